/** A switch out of what ovs-ofctl prints of its bridges, and what their database says of them. */
import { InputError, Unsupported, unknownName } from '../base/errors/errors.js';
import type { BridgePlan, NodePlan, PortPlan } from '../domain/plan/cluster-plan.js';
import { parseFlows, printFlow, type OnLine } from '../openflow/flows/flow.js';
import { noNames, type Names } from '../openflow/syntax/form.js';
import { parseGroups } from '../openflow/groups/parse-group.js';
import { printGroup } from '../openflow/groups/print-group.js';
import { parseMeters, printMeter } from '../openflow/meters.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { parseTlvMap, printTlvMap } from '../openflow/syntax/tlv-map.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';
import { readShow } from './dumped-ports.js';
import type { TextSource } from './text-source.js';

export interface BridgeSources {
  readonly bridge: string;
  /** `ovs-ofctl dump-flows`, in any form. */
  readonly flows: TextSource;
  /**
   * `ovs-ofctl show`. Without it, and without a database, the ports are those that flows and groups
   * name, and numbers stand for themselves.
   */
  readonly ports?: TextSource;
  /** `ovs-ofctl dump-groups`, `dump-meters`, `dump-tlv-map`. */
  readonly groups?: TextSource;
  readonly meters?: TextSource;
  readonly tunnelOptions?: TextSource;
}

export interface DumpedSwitch {
  readonly plan: NodePlan;
  /** What names stand for on each bridge, by the bridge's name. */
  readonly names: ReadonlyMap<string, Names>;
  /** The bridges whose ports nobody has listed. */
  readonly unlisted: ReadonlySet<string>;
}

/**
 * @param say is told how far it is, where there is much to read.
 * @param database the bridges that an OVSDB dump tells of; a patch port whose other end is on none
 *   of `sources` is where packets leave.
 * @throws InputError with file, line and column for a flow, group, meter, option or port that is
 *   none, Unsupported for what plans have no words for.
 */
export function dumpedSwitch(
  sources: readonly BridgeSources[],
  database?: ReadonlyMap<string, DatabaseBridge>,
  say: (line: string) => void = () => undefined,
): DumpedSwitch {
  const known = sources.map((source) => source.bridge);
  const read = sources.map((source) => {
    const recorded = database?.get(source.bridge);
    if (database !== undefined && recorded === undefined)
      throw unknownName('bridge', source.bridge, [...database.keys()]);
    if (recorded !== undefined && recorded.unknown.length > 0)
      throw new Unsupported(
        `nothing is known of ${recorded.unknown.join(', ')} of bridge ${source.bridge}`,
      );
    return readBridge(source, recorded, known, say);
  });
  const plan: NodePlan = { node: 'switch', hosts: [], bridges: read.map(({ bridge }) => bridge) };
  checkPortNames(plan);
  return {
    plan,
    names: new Map(read.map(({ bridge, names }) => [bridge.name, names])),
    unlisted: new Set(read.filter(({ isListed }) => !isListed).map(({ bridge }) => bridge.name)),
  };
}

interface ReadBridge {
  readonly bridge: BridgePlan;
  readonly names: Names;
  readonly isListed: boolean;
}

/** So many lines take a second or more. */
const progressEvery = 20_000;

function readBridge(
  source: BridgeSources,
  recorded: DatabaseBridge | undefined,
  bridges: readonly string[],
  say: (line: string) => void,
): ReadBridge {
  const onLine: OnLine = (index, count) => {
    if (count <= progressEvery || index % progressEvery !== 0) return;
    say(`reading the flows of ${source.bridge}: ${index} of ${count}`);
  };
  const shown = source.ports === undefined ? undefined : readShow(source.ports);
  const listed =
    shown?.ports ??
    (recorded === undefined
      ? undefined
      : new Map([
          ...recorded.ports.map(({ name, ofport }) => [name, ofport] as const),
          [source.bridge, reservedPorts.LOCAL] as const,
        ]));
  const tunnelOptions =
    source.tunnelOptions === undefined
      ? noNames.tunnelOptions
      : parseTlvMap(source.tunnelOptions.text, source.tunnelOptions.file);
  const names: Names = {
    ports: listed ?? noNames.ports,
    tables: recorded?.tables ?? noNames.tables,
    tunnelOptions,
  };
  const flows = parseFlows(source.flows.text, source.flows.file, names, onLine).map(printFlow);
  const groups =
    source.groups === undefined ? [] : parseGroups(source.groups.text, source.groups.file, names);
  const meters =
    source.meters === undefined ? [] : parseMeters(source.meters.text, source.meters.file);
  for (const text of [source.flows, ...(source.groups === undefined ? [] : [source.groups])]) {
    checkNamed(
      text,
      /\bgroup:(\d+)/g,
      groups.map(({ id }) => id),
      'group',
      'dump-groups',
    );
    checkNamed(
      text,
      /\bmeter(?:_id)?[:=](\d+)/g,
      meters.map(({ id }) => id),
      'meter',
      'dump-meters',
    );
  }
  const numbers =
    listed ??
    new Map(
      portsIn([...flows, ...groups.map((group) => printGroup(group))]).map((ofport) => [
        String(ofport),
        ofport,
      ]),
    );
  const ports = [...numbers]
    .filter(([, ofport]) => ofport !== reservedPorts.LOCAL)
    .map(([name, ofport]) => portOf(name, ofport, recorded, bridges));
  const { failMode, mirrors, multicastSnooping } = recorded ?? {};
  return {
    names,
    isListed: listed !== undefined,
    bridge: {
      name: source.bridge,
      mac: shown?.mac ?? recorded?.mac ?? localMac,
      flows,
      ports,
      groups: groups.map((group) => printGroup(group)),
      meters: meters.map((meter) => printMeter(meter).replaceAll('\n', ' ')),
      tunnelOptions: tunnelOptions.size === 0 ? [] : [printTlvMap(tunnelOptions)],
      ...(failMode === undefined ? {} : { failMode }),
      ...(mirrors === undefined ? {} : { mirrors }),
      ...(multicastSnooping === undefined ? {} : { multicastSnooping }),
    },
  };
}

/**
 * A switch has the groups and meters that its flows name. @throws InputError with the line of one
 * that names another: a dump is missing.
 */
function checkNamed(
  { text, file }: TextSource,
  pattern: RegExp,
  ids: readonly (number | string)[],
  what: string,
  command: string,
): void {
  const known = new Set(ids);
  for (const [index, line] of text.split('\n').entries()) {
    for (const { 1: id, index: column } of line.matchAll(pattern)) {
      if (known.has(Number(id))) continue;
      const others = ids.length === 0 ? '' : `; known are ${ids.slice(0, maxIdsListed).join(', ')}`;
      const more = ids.length <= maxIdsListed ? '' : ` and ${ids.length - maxIdsListed} more`;
      const remedy = `give what "ovs-ofctl ${command}" prints by --${what}s`;
      const place = { file, line: index + 1, column: column + 1 };
      throw new InputError(`${what} ${id} is not known${others}${more}: ${remedy}`, place);
    }
  }
}

/** More would bury the message. */
const maxIdsListed = 20;

/** Of the bridge's own port, where nothing tells it. */
const localMac = '02:00:00:00:00:01';

/**
 * What comes out of a tunnel's port is seen as it goes into the tunnel: dumps do not tell how the
 * network around it is made.
 */
function portOf(
  name: string,
  ofport: number,
  recorded: DatabaseBridge | undefined,
  bridges: readonly string[],
): PortPlan {
  const row = recorded?.ports.find((port) => port.name === name);
  const vlan = row?.vlan === undefined ? {} : { vlan: row.vlan };
  if (row?.peer !== undefined && bridges.includes(row.peer.bridge))
    return { kind: 'patch', name, ofport, peer: row.peer, ...vlan };
  return { kind: 'endpoint', name, ofport, ...vlan };
}

/**
 * Every number that the texts of flows and groups match as in_port, send to, resubmit with or
 * watch.
 */
export function portsIn(texts: readonly string[]): readonly number[] {
  const found = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:in_port=|output:|port=|enqueue:|resubmit\(|watch_port:)(\d+)\b/g)].map(
      ([, number]) => Number(number),
    ),
  );
  return [...new Set(found)]
    .filter((number) => number > 0 && number < reservedPorts.UNSET)
    .sort((a, b) => a - b);
}

/** Ports of a switch have one name each, whatever bridge they are of. */
function checkPortNames({ bridges }: NodePlan): void {
  const owners = new Map<string, string>();
  for (const { name: bridge, ports } of bridges) {
    for (const name of [bridge, ...ports.map((port) => port.name)]) {
      const other = owners.get(name);
      if (other !== undefined)
        throw new InputError(
          `${other} and ${bridge} both have a port "${name}"; with several bridges, ports ` +
            'need names of their own: give what "ovs-ofctl show" prints of each, or --ovsdb',
        );
      owners.set(name, bridge);
    }
  }
}

export interface PortPlace {
  readonly bridge: BridgePlan;
  /** OpenFlow number. */
  readonly ofport: number;
}

/**
 * The port of that name, or of that number where only one bridge has it; any number, on the only
 * bridge, where nobody has listed ports.
 * @throws InputError naming the known ones.
 */
export function findPort({ plan: { bridges }, unlisted }: DumpedSwitch, port: string): PortPlace {
  const places: readonly {
    readonly bridge: BridgePlan;
    readonly name: string;
    readonly ofport: number;
  }[] = bridges.flatMap((bridge) => [
    { bridge, name: bridge.name, ofport: reservedPorts.LOCAL },
    ...bridge.ports.map(({ name, ofport }) => ({ bridge, name, ofport })),
  ]);
  const numbered = places.filter(
    ({ ofport }) => (ofport === reservedPorts.LOCAL ? 'LOCAL' : String(ofport)) === port,
  );
  const found =
    places.find(({ name }) => name === port) ?? (numbered.length > 1 ? undefined : numbered[0]);
  if (found !== undefined) return { bridge: found.bridge, ofport: found.ofport };
  if (numbered.length > 1)
    throw new InputError(
      `port ${port} is there on ${numbered.map(({ bridge }) => bridge.name).join(', ')}: give ` +
        `the port's name, or the bridge before FLOW`,
    );
  const [only, ...others] = bridges;
  if (
    only !== undefined &&
    others.length === 0 &&
    unlisted.has(only.name) &&
    /^[1-9]\d{0,4}$/.test(port) &&
    Number(port) < lastPort
  )
    return { bridge: only, ofport: Number(port) };
  throw unknownName(
    'port',
    port,
    places.map(({ name }) => name),
  );
}

/** Ports of a bridge have numbers below this one. */
const lastPort = 0xff00;

/**
 * The switch with the ports that packets come in at, where nobody has listed its ports. @throws
 * InputError for a port that a listed bridge does not have.
 */
export function withPorts(
  target: DumpedSwitch,
  places: readonly { readonly bridge: string; readonly ofport: number }[],
): DumpedSwitch {
  const bridges = target.plan.bridges.map((bridge): BridgePlan => {
    const wanted = [
      ...new Set(
        places.filter((place) => place.bridge === bridge.name).map(({ ofport }) => ofport),
      ),
    ];
    const missing = wanted.filter(
      (ofport) => ofport < lastPort && !bridge.ports.some((port) => port.ofport === ofport),
    );
    if (missing.length > 0 && !target.unlisted.has(bridge.name))
      throw unknownName(
        `port of ${bridge.name}`,
        String(missing[0]),
        bridge.ports.map(({ name, ofport }) => `${ofport} (${name})`),
      );
    return {
      ...bridge,
      ports: [
        ...bridge.ports,
        ...missing.map((ofport): PortPlan => ({ kind: 'endpoint', name: String(ofport), ofport })),
      ],
    };
  });
  return { ...target, plan: { ...target.plan, bridges } };
}
