/** A node's plan as rows of the Open_vSwitch database (ovs-vswitchd.conf.db(5)). */
import { assert } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { DumpedRow } from '../../../domain/plan/dumped-node.js';
import type { PortPlan } from '../../../domain/plan/port-plan.js';
import { map, named, set } from '../../../ovs/ovsdb/ovsdb-value.js';
import type { DatabaseSchema, Operation, Value } from '../../../ovs/ovsdb/ovsdb.js';
import { bridgesIn, insertDumpedRows } from './dumped-rows.js';
import { insertBridge, type DatapathType } from './insert-bridge.js';
import { insertPort } from './insert-port.js';
import { interfacesOf, type DeviceOf, type InterfacePlan } from './interface-plan.js';

/** The transaction that makes the bridges of `plan`, on a datapath of this type. */
export function configureOperations(
  plan: NodePlan,
  deviceOf: DeviceOf,
  datapath: DatapathType,
): readonly Operation[] {
  const bridges = plan.bridges.map((bridge, index) => ({
    bridge,
    id: `bridge${index}`,
    interfaces: interfacesOf(bridge, deviceOf),
  }));
  return [
    ...bridges.flatMap(({ bridge, id, interfaces }) => [
      ...interfaces.flatMap((row, index) => insertPort(row, `${id}_${index}`)),
      ...insertBridge(
        bridge,
        id,
        datapath,
        new Map(interfaces.map(({ name }, index) => [name, `port_${id}_${index}`])),
      ),
    ]),
    {
      op: 'mutate',
      table: 'Open_vSwitch',
      where: [],
      mutations: [
        ['bridges', 'insert', set(bridges.map(({ id }) => named(id)))],
        ['other_config', 'insert', caching],
      ],
    },
  ];
}

/** The same of a node that was dumped with its database: its own rows. */
export function dumpedOperations(
  rows: readonly DumpedRow[],
  schema: DatabaseSchema,
  deviceOf: DeviceOf,
): readonly Operation[] {
  return [
    ...insertDumpedRows(rows, schema, deviceOf),
    {
      op: 'mutate',
      table: 'Open_vSwitch',
      where: [],
      mutations: [
        ['bridges', 'insert', bridgesIn(rows)],
        ['other_config', 'insert', caching],
      ],
    },
  ];
}

/** The transaction that gives a bridge one port more. */
export function attachOperations(
  bridge: BridgePlan,
  port: PortPlan,
  deviceOf: DeviceOf,
): readonly Operation[] {
  const [row] = interfacesOf({ ...bridge, ports: [port] }, deviceOf).slice(1);
  assert(row !== undefined, 'a port has an interface');
  return attachInterface(bridge.name, row);
}

function attachInterface(bridge: string, row: InterfacePlan): readonly Operation[] {
  return [
    ...insertPort(row, 'new'),
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', bridge]],
      mutations: [['ports', 'insert', set([named('port_new')])]],
    },
  ];
}

/**
 * The transactions that make the same bridges as `configureOperations`, a bridge or a port each:
 * bridges first, ports of pods last, otherwise as the plan has them. Not for mirrors and rows of
 * dumps, which name ports.
 */
export function configureInOrder(
  plan: NodePlan,
  deviceOf: DeviceOf,
  datapath: DatapathType,
): readonly { readonly what: string; readonly operations: readonly Operation[] }[] {
  const { bridges } = plan;
  assert(plan.asDumped === undefined, `${plan.node} is of a plan`);
  assert(
    bridges.every(({ mirrors = [] }) => mirrors.length === 0),
    `${plan.node} has no mirrors`,
  );
  const ports = bridges.flatMap((bridge) => {
    const kinds = new Map(bridge.ports.map(({ name, kind }) => [name, kind]));
    return interfacesOf(bridge, deviceOf)
      .slice(1)
      .map((row) => ({ bridge: bridge.name, row, isOfPod: kinds.get(row.name) === 'endpoint' }));
  });
  return [
    ...bridges.map((bridge) => ({
      what: `make bridge ${bridge.name}`,
      operations: configureOperations(
        { ...plan, bridges: [{ ...bridge, ports: [] }] },
        deviceOf,
        datapath,
      ),
    })),
    ...[...ports.filter(({ isOfPod }) => !isOfPod), ...ports.filter(({ isOfPod }) => isOfPod)].map(
      ({ bridge, row }) => ({
        what: `make port ${row.name}`,
        operations: attachInterface(bridge, row),
      }),
    ),
  ];
}

/**
 * The transaction that takes the port of this UUID from a bridge: what nothing refers to any more,
 * the database forgets.
 */
export function detachOperations(bridge: string, port: Value): readonly Operation[] {
  return [
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', bridge]],
      mutations: [['ports', 'delete', set([port])]],
    },
  ];
}

/**
 * Forgets what ovs-vswitchd has reported of its ports. One that restarts may not correct what
 * stands there from before: it takes for unchanged what it has received last from the database,
 * which may be behind what it wrote itself.
 */
export const forgetInterfaces: Operation = {
  op: 'update',
  table: 'Interface',
  where: [],
  row: { ofport: set([]), mac_in_use: set([]) },
};

/**
 * Makes ovs-vswitchd report when it has applied this transaction, and all before it; `raised` is
 * the number that it will report.
 */
export const bumpNextCfg = [
  { op: 'mutate', table: 'Open_vSwitch', where: [], mutations: [['next_cfg', '+=', 1]] },
  { op: 'select', table: 'Open_vSwitch', where: [], columns: ['next_cfg'] },
] as const satisfies readonly Operation[];
export const configured = (raised: Value) =>
  ({
    table: 'Open_vSwitch',
    where: [],
    columns: ['cur_cfg'],
    until: '==',
    rows: [{ cur_cfg: raised }],
  }) as const;

const anHour = '3600000';

/**
 * What a datapath's cache holds stays there until it is purged, whatever time passes, and packets
 * ask it alone: with an exact-match cache before it, filled by chance, it would be unknown which of
 * the two had answered. Revalidators, which run in real time, have nothing to do before they are
 * asked.
 */
const caching = map({ 'max-idle': anHour, 'max-revalidator': anHour, 'emc-insert-inv-prob': '0' });

/** No more flows than that are cached. */
export const limitCache: Operation = {
  op: 'mutate',
  table: 'Open_vSwitch',
  where: [],
  mutations: [['other_config', 'insert', map({ 'flow-limit': '0' })]],
};
