/** What in a plan names something that the plan does not have, or two things alike. */
import { formatPath, type TopologyProblem } from '../../domain/topology-problem.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { northboundProblems } from './northbound-shape.js';
import type { ScenarioRecord } from '../records/run-record.js';

type Path = TopologyProblem['path'];

/** `nodes[0].hosts[1].routes[0].interface: …` each; none of a plan that can be. */
export function planProblems(plan: ClusterPlan): readonly string[] {
  const { nodes, externalHosts = [] } = plan;
  const hosts = [
    ...nodes.flatMap((node, n) =>
      node.hosts.map(({ name }, h) => ({ name, path: ['nodes', n, 'hosts', h, 'name'] })),
    ),
    ...externalHosts.map(({ name }, h) => ({ name, path: ['externalHosts', h, 'name'] })),
  ];
  return [
    ...twice(nodes.map(({ node }, n) => ({ name: node, path: ['nodes', n, 'node'] }))),
    ...twice(hosts),
    ...nodes.flatMap((node, n) => inNode(node, ['nodes', n])),
    ...externalHosts.flatMap((host, h) => inHost(host, ['externalHosts', h])),
    ...northboundProblems(plan),
  ].map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

/** The same of all plans of a scenario's record at `path`, and of those who send its vectors. */
export function unknownNames(
  { plan, timeline = [], vectors }: ScenarioRecord,
  path: string,
): readonly string[] {
  const plans = [
    { plan, at: `${path}.plan` },
    ...timeline.map((event, index) => ({
      plan: event.plan,
      at: `${path}.timeline[${index}].plan`,
    })),
  ];
  const hosts = new Set(
    plans.flatMap(({ plan: { nodes, externalHosts = [] } }) =>
      [...nodes.flatMap((node) => node.hosts), ...externalHosts].map(({ name }) => name),
    ),
  );
  return [
    ...plans.flatMap((one) => planProblems(one.plan).map((problem) => `${one.at}.${problem}`)),
    // Who would have sent what was not played may come later than where a timeline has ended.
    ...vectors.flatMap(({ vector: { stimulus }, real, together }, index) =>
      hosts.has(stimulus.from) ||
      (timeline.length > 0 && real === undefined && together === undefined)
        ? []
        : [
            `${path}.vectors[${index}].vector.stimulus.from: no host of the plan is called ` +
              JSON.stringify(stimulus.from),
          ],
    ),
  ];
}

function inNode({ bridges, hosts }: NodePlan, at: Path): readonly TopologyProblem[] {
  const named = bridges.flatMap(({ name, ports }, b) => [
    { name, path: [...at, 'bridges', b, 'name'] },
    ...ports.map((port, p) => ({
      name: port.name,
      path: [...at, 'bridges', b, 'ports', p, 'name'],
    })),
  ]);
  /** Hosts are at the ends of wires; tunnels and cables have others. */
  const wired = bridges.flatMap(({ name, ports }) => [
    name,
    ...ports.filter(({ kind }) => kind !== 'tunnel' && kind !== 'patch').map((port) => port.name),
  ]);
  return [
    ...twice(named),
    ...bridges.flatMap((bridge, b) => inBridge(bridge, bridges, [...at, 'bridges', b])),
    ...hosts.flatMap((host, h) => [
      ...inHost(host, [...at, 'hosts', h]),
      ...host.interfaces.flatMap(({ port }, i) =>
        port === undefined
          ? []
          : unknown(port, wired, 'port for a host', [...at, 'hosts', h, 'interfaces', i, 'port']),
      ),
    ]),
  ];
}

function inBridge(
  { ports }: BridgePlan,
  bridges: readonly BridgePlan[],
  at: Path,
): readonly TopologyProblem[] {
  return [
    ...twice(
      ports.map(({ ofport }, p) => ({ name: String(ofport), path: [...at, 'ports', p, 'ofport'] })),
    ),
    ...ports.flatMap((port, p) => {
      if (port.kind !== 'patch') return [];
      const { bridge, port: other } = port.peer;
      const peer = bridges.find(({ name }) => name === bridge);
      const path = [...at, 'ports', p, 'peer'];
      return peer === undefined
        ? unknown(
            bridge,
            bridges.map(({ name }) => name),
            'bridge',
            [...path, 'bridge'],
          )
        : unknown(
            other,
            peer.ports.map(({ name }) => name),
            'port',
            [...path, 'port'],
          );
    }),
  ];
}

function inHost({ interfaces, routes }: HostPlan, at: Path): readonly TopologyProblem[] {
  const names = interfaces.map(({ name }) => name);
  return routes.flatMap((route, r) =>
    unknown(route.interface, names, 'interface', [...at, 'routes', r, 'interface']),
  );
}

interface Named {
  readonly name: string;
  readonly path: Path;
}

function twice(all: readonly Named[]): readonly TopologyProblem[] {
  const first = new Map<string, Path>();
  return all.flatMap(({ name, path }) => {
    const before = first.get(name);
    if (before !== undefined)
      return [{ path, message: `${JSON.stringify(name)} is at ${formatPath(before)} already` }];
    first.set(name, path);
    return [];
  });
}

function unknown(
  name: string,
  known: readonly string[],
  kind: string,
  path: Path,
): readonly TopologyProblem[] {
  return known.includes(name)
    ? []
    : [
        {
          path,
          message:
            `there is no ${kind} ${JSON.stringify(name)} here, but ` +
            (known.join(', ') || 'none at all'),
        },
      ];
}
