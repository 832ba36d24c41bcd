/** A node's plan as rows of the Open_vSwitch database (ovs-vswitchd.conf.db(5)). */
import { assert, Unavailable } from '../../../base/errors/errors.js';
import {
  type BridgePlan,
  type MirrorPlan,
  type NodePlan,
} from '../../../domain/plan/cluster-plan.js';
import { type VlanPlan } from '../../../domain/plan/port-plan.js';
import { flowBased } from '../../../domain/plan/port-plan.js';
import { type PortPlan } from '../../../domain/plan/port-plan.js';
import type { Operation, Row, Value } from '../../../ovs/ovsdb/ovsdb.js';

/** The OpenFlow port number of a bridge's own port. */
const local = 65534;

/** One row of table Interface, as far as it is asked for and checked. */
interface InterfacePlan {
  readonly name: string;
  readonly ofport: number;
  readonly mac?: string;
  readonly type: string;
  readonly options: Readonly<Record<string, string>>;
  readonly vlan?: VlanPlan;
  readonly mtu?: number;
  /** Of table Port. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * The names of the ports that have a wire: each bridge's LOCAL port by the bridge's name, and all
 * but tunnels and patch ports.
 */
export function wiredPorts(plan: NodePlan): readonly string[] {
  return plan.bridges.flatMap((bridge) => [
    bridge.name,
    ...bridge.ports
      .filter(({ kind }) => kind !== 'tunnel' && kind !== 'patch')
      .map(({ name }) => name),
  ]);
}

/** The transaction that makes the bridges of `plan`; `socketOf` is the path of a port's wire. */
export function configureOperations(
  plan: NodePlan,
  socketOf: (port: string) => string,
): readonly Operation[] {
  const bridges = plan.bridges.map((bridge, index) => ({
    bridge,
    id: `bridge${index}`,
    interfaces: interfacesOf(bridge, socketOf),
  }));
  return [
    ...bridges.flatMap(({ bridge, id, interfaces }) => [
      ...interfaces.flatMap((row, index) => insertPort(row, `${id}_${index}`)),
      ...insertBridge(
        bridge,
        id,
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

/** The transaction that gives a bridge one port more. */
export function attachOperations(
  bridge: BridgePlan,
  port: PortPlan,
  socketOf: (port: string) => string,
): readonly Operation[] {
  const [row] = interfacesOf({ ...bridge, ports: [port] }, socketOf).slice(1);
  assert(row !== undefined, 'a port has an interface');
  return [
    ...insertPort(row, 'new'),
    {
      op: 'mutate',
      table: 'Bridge',
      where: [['name', '==', bridge.name]],
      mutations: [['ports', 'insert', set([named('port_new')])]],
    },
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
 * Forgets what ovs-vswitchd has told of its ports. One that starts anew may not correct what stands
 * there from before: it takes for unchanged what it has heard of last from the database, which may
 * be behind what it wrote itself.
 */
export const forgetInterfaces: Operation = {
  op: 'update',
  table: 'Interface',
  where: [],
  row: { ofport: set([]), mac_in_use: set([]) },
};

/**
 * Makes ovs-vswitchd tell when it has carried out what was asked for together with this, and all
 * before it; `raised` is what it will tell.
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

/**
 * The transactions that give zones their timeouts, once there are bridges. None where no zone has
 * any. Ovs-vswitchd takes what a zone comes with for known (vswitchd/bridge.c,
 * ct_zones_reconfigure), so that zones come with nothing, and then change.
 */
export function timeoutTransactions({ conntrack }: NodePlan): readonly (readonly Operation[])[] {
  const { timeouts = [] } = conntrack ?? {};
  if (timeouts.length === 0) return [];
  const label = (zone: number) => map({ zone: String(zone) });
  const zones = timeouts.flatMap(({ zone }): readonly Operation[] => [
    {
      op: 'insert',
      table: 'CT_Timeout_Policy',
      'uuid-name': `timeouts_${zone}`,
      row: { external_ids: label(zone) },
    },
    {
      op: 'insert',
      table: 'CT_Zone',
      'uuid-name': `zone_${zone}`,
      row: { timeout_policy: named(`timeouts_${zone}`) },
    },
  ]);
  return [
    [
      ...zones,
      {
        op: 'insert',
        table: 'Datapath',
        'uuid-name': 'datapath',
        row: { ct_zones: ['map', timeouts.map(({ zone }) => [zone, named(`zone_${zone}`)])] },
      },
      {
        op: 'mutate',
        table: 'Open_vSwitch',
        where: [],
        mutations: [['datapaths', 'insert', ['map', [['system', named('datapath')]]]]],
      },
    ],
    timeouts.map(
      ({ zone, seconds }): Operation => ({
        op: 'mutate',
        table: 'CT_Timeout_Policy',
        where: [['external_ids', '==', label(zone)]],
        mutations: [['timeouts', 'insert', ['map', Object.entries(seconds)]]],
      }),
    ),
  ];
}

export const selectInterfaces: Operation = {
  op: 'select',
  table: 'Interface',
  where: [],
  columns: ['name', 'ofport', 'mac_in_use', 'error'],
};

/**
 * @throws Unavailable naming the ports that ovs-vswitchd refused, or gave another number than was
 *   asked for.
 */
export function checkPorts(plan: NodePlan, rows: readonly Row[]): void {
  const wrong = compareRows(plan, rows, ({ name, ofport }, row) => {
    if (typeof row['error'] === 'string') return `${name}: ${row['error']}`;
    return row['ofport'] === ofport
      ? undefined
      : `${name}: OpenFlow port ${ofport} was asked for, it has ${JSON.stringify(row['ofport'])}`;
  });
  if (wrong.length > 0)
    throw new Unavailable(
      `ovs-vswitchd of node ${plan.node} did not make its ports as planned: ${wrong.join('; ')}`,
    );
}

/**
 * The ports that do not yet have the MAC that was asked for, one line each: ovs-vswitchd reports it
 * some time after cur_cfg.
 */
export function awaitedMacs(plan: NodePlan, rows: readonly Row[]): readonly string[] {
  return compareRows(plan, rows, ({ name, mac }, row) =>
    mac === undefined || row['mac_in_use'] === mac
      ? undefined
      : `${name}: MAC ${mac} was asked for, it has ${JSON.stringify(row['mac_in_use'])}`,
  );
}

function compareRows(
  plan: NodePlan,
  rows: readonly Row[],
  compare: (wanted: InterfacePlan, row: Row) => string | undefined,
): readonly string[] {
  const byName = new Map(rows.map((row) => [row['name'], row]));
  const wanted = plan.bridges.flatMap((bridge) => interfacesOf(bridge, () => ''));
  return wanted
    .map((port) => compare(port, byName.get(port.name) ?? {}))
    .filter((line) => line !== undefined);
}

function interfacesOf(
  bridge: BridgePlan,
  socketOf: (port: string) => string,
): readonly InterfacePlan[] {
  const stream = (port: string) => ({ stream: `unix:${socketOf(port)}` });
  return [
    {
      name: bridge.name,
      ofport: local,
      mac: bridge.mac,
      type: 'internal' as const,
      options: stream(bridge.name),
      ...(bridge.localVlan === undefined ? {} : { vlan: bridge.localVlan }),
    },
    ...bridge.ports.map((port) => ({
      ...interfaceOf(port, stream),
      ...(port.vlan === undefined ? {} : { vlan: port.vlan }),
      ...(port.mtu === undefined ? {} : { mtu: port.mtu }),
    })),
  ].map((port) => ({ ...port, settings: portSnooping(bridge, port.name) }));
}

function interfaceOf(
  port: PortPlan,
  stream: (port: string) => Readonly<Record<string, string>>,
): InterfacePlan {
  const { name, ofport } = port;
  switch (port.kind) {
    case 'endpoint':
    case 'uplink':
      return { name, ofport, type: 'dummy', options: stream(name) };
    case 'internal':
      return { name, ofport, mac: port.mac, type: 'internal', options: stream(name) };
    case 'tunnel':
      return { name, ofport, type: port.tunnel, options: { ...(port.options ?? flowBased) } };
    case 'patch':
      return { name, ofport, type: 'patch', options: { peer: port.peer.port } };
  }
}

function insertPort(plan: InterfacePlan, id: string): readonly Operation[] {
  const { name, ofport, mac, type, options, vlan, mtu, settings = {} } = plan;
  const row: Row = {
    name,
    type,
    options: map(options),
    ...(mtu === undefined ? {} : { mtu_request: mtu }),
    ...(ofport === local ? {} : { ofport_request: ofport, ...(mac === undefined ? {} : { mac }) }),
  };
  return [
    { op: 'insert', table: 'Interface', 'uuid-name': `interface_${id}`, row },
    {
      op: 'insert',
      table: 'Port',
      'uuid-name': `port_${id}`,
      row: {
        name,
        interfaces: named(`interface_${id}`),
        other_config: map({ ...settings, ...vlanSettings(vlan) }),
        ...vlanColumns(vlan),
      },
    },
  ];
}

function vlanColumns(vlan: VlanPlan | undefined): Row {
  if (vlan === undefined) return {};
  return {
    trunks: set(vlan.trunks),
    ...(vlan.tag === undefined ? {} : { tag: vlan.tag }),
    ...(vlan.mode === undefined ? {} : { vlan_mode: vlan.mode }),
    ...(vlan.customerVlans === undefined ? {} : { cvlans: set(vlan.customerVlans) }),
  };
}

/** Of other_config. */
function vlanSettings(vlan: VlanPlan | undefined): Readonly<Record<string, string>> {
  return {
    ...(vlan?.priorityTags === undefined ? {} : { 'priority-tags': vlan.priorityTags }),
    ...(vlan?.outerTag === undefined ? {} : { 'qinq-ethtype': vlan.outerTag }),
  };
}

/** `fail_mode=secure`: without a controller the bridge does what its flows say and nothing else. */
function insertBridge(
  bridge: BridgePlan,
  id: string,
  portIds: ReadonlyMap<string, string>,
): readonly Operation[] {
  const mirrors = (bridge.mirrors ?? []).map((mirror, index) =>
    insertMirror(mirror, mirrorUuid(id, index), portIds),
  );
  const row: Row = {
    name: bridge.name,
    fail_mode: bridge.failMode ?? 'secure',
    datapath_type: 'system',
    other_config: map({
      hwaddr: bridge.mac,
      ...(bridge.forwardBpdu === undefined ? {} : { 'forward-bpdu': 'true' }),
      ...macTableColumns(bridge),
      ...bridgeSnooping(bridge),
    }),
    ports: set([...portIds.values()].map(named)),
    mirrors: set(mirrors.map((_, index) => ['uuid', mirrorUuid(id, index)])),
    mcast_snooping_enable: bridge.multicastSnooping !== undefined,
  };
  return [...mirrors, { op: 'insert', table: 'Bridge', 'uuid-name': id, row }];
}

function macTableColumns({
  macTable: { ageingS, size } = {},
}: BridgePlan): Readonly<Record<string, string>> {
  return {
    ...(ageingS === undefined ? {} : { 'mac-aging-time': String(ageingS) }),
    ...(size === undefined ? {} : { 'mac-table-size': String(size) }),
  };
}

function bridgeSnooping({
  multicastSnooping: { ageingS, size, unregistered } = {},
}: BridgePlan): Readonly<Record<string, string>> {
  return {
    ...(ageingS === undefined ? {} : { 'mcast-snooping-aging-time': String(ageingS) }),
    ...(size === undefined ? {} : { 'mcast-snooping-table-size': String(size) }),
    ...(unregistered === undefined
      ? {}
      : { 'mcast-snooping-disable-flood-unregistered': String(unregistered === 'to routers') }),
  };
}

function portSnooping(
  { multicastSnooping: { flood = [], floodReports = [] } = {} }: BridgePlan,
  port: string,
): Readonly<Record<string, string>> {
  return {
    ...(flood.includes(port) ? { 'mcast-snooping-flood': 'true' } : {}),
    ...(floodReports.includes(port) ? { 'mcast-snooping-flood-reports': 'true' } : {}),
  };
}

/** Packets meet mirrors in the order of their UUIDs: here that of the plan. */
function mirrorUuid(bridge: string, index: number): string {
  const digits = (number: string | number) => String(number).padStart(6, '0');
  return `00000000-0000-4000-8000-${digits(bridge.replace(/\D/g, ''))}${digits(index)}`;
}

function insertMirror(
  { name, select, vlans, output, snapLength }: MirrorPlan,
  uuid: string,
  portIds: ReadonlyMap<string, string>,
): Operation {
  const port = (wanted: string) => named(portIds.get(wanted) ?? wanted);
  const row: Row = {
    name,
    select_vlan: set(vlans),
    ...(select === 'all'
      ? { select_all: true }
      : {
          select_src_port: set(select.sources.map(port)),
          select_dst_port: set(select.destinations.map(port)),
        }),
    ...(output.kind === 'port' ? { output_port: port(output.port) } : { output_vlan: output.vlan }),
    ...(snapLength === undefined ? {} : { snaplen: snapLength }),
  };
  return { op: 'insert', table: 'Mirror', uuid, row };
}

const named = (name: string): Value => ['named-uuid', name];
function set(values: readonly Value[]): Value {
  return ['set', values];
}
const map = (entries: Readonly<Record<string, string>>): Value => ['map', Object.entries(entries)];

const anHour = '3600000';

/**
 * What a datapath's cache holds stays there until it is purged, whatever time passes, and packets
 * ask it alone: with an exact-match cache before it, filled by chance, nobody could say which of
 * the two had answered. Revalidators, which run by the real clock, have nothing to do before they
 * are asked.
 */
const caching = map({ 'max-idle': anHour, 'max-revalidator': anHour, 'emc-insert-inv-prob': '0' });
