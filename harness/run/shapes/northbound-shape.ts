/** The shape of a `NorthboundPlan`, and what in one names something that its plan does not have. */
import { z } from 'zod';
import type { TopologyProblem } from '../../domain/topology-problem.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import {
  northboundTables,
  type Binding,
  type ChassisPlan,
  type Localnet,
  type NorthboundPlan,
  type NorthboundRow,
  type ProgramCall,
  type RemoteChassis,
  type ZonePlan,
} from '../../domain/plan/northbound-plan.js';
import { ipv4, looseShape, type ShapeOf } from './shape-values.js';

const atom = z.union([z.string(), z.number(), z.boolean(), z.strictObject({ row: z.string() })]);
const value = z.union([
  atom,
  z.strictObject({ set: z.array(atom) }),
  z.strictObject({ map: z.record(z.string(), z.string()) }),
]);

const row = looseShape({
  table: z.enum(northboundTables),
  id: z.string(),
  columns: z.record(z.string(), value),
} satisfies ShapeOf<NorthboundRow>);

const binding = looseShape({
  port: z.string(),
  logicalPort: z.string(),
} satisfies ShapeOf<Binding>);

const chassis = looseShape({
  node: z.string(),
  bridge: z.string(),
  encapIp: ipv4,
  bindings: z.array(binding),
  localnets: z
    .array(
      looseShape({
        port: z.string(),
        logicalPort: z.string(),
        network: z.string(),
        bridge: z.string(),
      } satisfies ShapeOf<Localnet>),
    )
    .optional(),
} satisfies ShapeOf<ChassisPlan>);

const call = {
  what: z.string(),
  node: z.string(),
  program: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  stdin: z.string(),
  dies: z.literal(true).optional(),
};
const programCall = looseShape({
  ...call,
  undo: looseShape(call satisfies ShapeOf<Omit<ProgramCall, 'undo'>>).optional(),
} satisfies ShapeOf<ProgramCall>);

export const northboundPlan = looseShape({
  zones: z.array(
    looseShape({
      name: z.string(),
      chassis: z.array(chassis),
      rows: z.array(row),
      remoteChassis: z
        .array(looseShape({ node: z.string(), encapIp: ipv4 } satisfies ShapeOf<RemoteChassis>))
        .optional(),
      programs: z.array(programCall).optional(),
    } satisfies ShapeOf<ZonePlan>),
  ),
} satisfies ShapeOf<NorthboundPlan>);

/** Chassis without their bridge or ports, and bridges that nobody would program. */
export function northboundProblems({ nodes, northbound }: ClusterPlan): readonly TopologyProblem[] {
  const all = (northbound?.zones ?? []).flatMap(({ chassis: planned }, z) =>
    planned.map((one, c) => ({ one, path: ['northbound', 'zones', z, 'chassis', c] })),
  );
  const bridgeOf = ({ node, bridge }: ChassisPlan) =>
    nodes
      .find((candidate) => candidate.node === node)
      ?.bridges.find(({ name, origin }) => name === bridge && origin === 'dumped');
  return [
    ...all.flatMap(({ one, path }): readonly TopologyProblem[] => {
      const bridge = bridgeOf(one);
      if (bridge === undefined)
        return [
          {
            path: [...path, 'bridge'],
            message: `${one.node} has no bridge "${one.bridge}" of origin "dumped"`,
          },
        ];
      return one.bindings.flatMap(({ port }, b) =>
        bridge.ports.some(({ name }) => name === port)
          ? []
          : [
              {
                path: [...path, 'bindings', b, 'port'],
                message: `bridge ${one.bridge} of ${one.node} has no port "${port}"`,
              },
            ],
      );
    }),
    ...nodes.flatMap(({ node, bridges }, n) =>
      bridges.flatMap(({ name, origin }, b) =>
        origin !== 'dumped' || all.some(({ one }) => one.node === node && one.bridge === name)
          ? []
          : [
              {
                path: ['nodes', n, 'bridges', b, 'origin'],
                message: `flows of ${name} on ${node} are "dumped", and no chassis programs it`,
              },
            ],
      ),
    ),
  ];
}
