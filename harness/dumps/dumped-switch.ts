/** A switch out of what ovs-ofctl prints of its bridges, and what their database says of them. */
import { InputError, Unsupported, unknownName } from '../base/errors/errors.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { DumpedProgram } from '../domain/plan/dumped-node.js';
import { printFlow, printOpenflow10Flow } from '../openflow/flows/flow.js';
import { noNames, type Names } from '../openflow/syntax/form.js';
import { groupLines, parseGroups } from '../openflow/groups/parse-group.js';
import { printGroup } from '../openflow/groups/print-group.js';
import { parseMeters, printMeter } from '../openflow/meters.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { parseTlvMap, printTlvMap } from '../openflow/syntax/tlv-map.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';
import { rowsToBuild, type RowsToBuild } from './ovsdb/rows-to-build.js';
import { readShow } from './dumped-ports.js';
import { shownDown, shownWords } from './shown-words.js';
import type { TextSource } from './text-source.js';
import { AssignedPorts } from './assigned-ports.js';
import { checkReferences } from './check-references.js';
import { undoMarkup } from './pasted/undo-markup.js';
import { type OnFlow, readFlowDump } from './read-flow-dump.js';
import { portsIn } from './ports-in.js';
import { rememberFlows } from '../openflow/bridge-program.js';
import {
  recordedPorts,
  namedInFlows,
  assignedNote,
  floodNote,
  portOf,
  localMac,
} from './listed-ports.js';

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
  /** What the dumps hold, or cannot hold, of which something is not answered. */
  readonly notes: readonly string[];
  /** Devices that a testbed has not, and what it has in their place. */
  readonly substitutions: readonly string[];
  /** What they cannot say of floods, for packets that go out of several ports. */
  readonly floodNotes: readonly string[];
}

/**
 * @param say is called with how far it is, where there is much to read.
 * @param database the bridges that an OVSDB dump holds; a patch port whose other end is on none
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
    if (recorded !== undefined) refuseUnknown(source.bridge, recorded.unknown);
    return readBridge(source, recorded, known, say);
  });
  const built = builtRows(known, database);
  const plan: NodePlan = {
    node: 'switch',
    hosts: [],
    bridges: read.map(({ bridge }) => bridge),
    ...(known.some((name) => database?.get(name)?.tagsMax === 2) ? { tagsMax: 2 } : {}),
    asDumped: {
      ...(built === undefined ? {} : { rows: built.rows, activeMembers: built.activeMembers }),
      programs: Object.fromEntries(read.map(({ bridge, asDumped }) => [bridge.name, asDumped])),
      downPorts: [
        ...new Set([...(built?.downPorts ?? []), ...read.flatMap(({ downPorts }) => downPorts)]),
      ],
    },
  };
  checkPortNames(plan);
  return {
    plan,
    names: new Map(read.map(({ bridge, names }) => [bridge.name, names])),
    notes: read.flatMap(({ notes }) => notes),
    substitutions: built?.notes ?? [],
    floodNotes: read.flatMap(({ floodNotes }) => floodNotes),
    unlisted: new Set(read.filter(({ isListed }) => !isListed).map(({ bridge }) => bridge.name)),
  };
}

/** Of all bridges that are given; undefined without a database. */
function builtRows(
  bridges: readonly string[],
  database: ReadonlyMap<string, DatabaseBridge> | undefined,
): RowsToBuild | undefined {
  if (database === undefined) return undefined;
  const rows = bridges.flatMap((name) => database.get(name)?.rows ?? []);
  return rowsToBuild([...new Map(rows.map((row) => [row.uuid, row])).values()], bridges);
}

function refuseUnknown(bridge: string, unknown: readonly string[]): void {
  if (unknown.length > 0)
    throw new Unsupported(`nothing is known of ${unknown.join(', ')} of bridge ${bridge}`);
}

interface ReadBridge {
  readonly bridge: BridgePlan;
  readonly asDumped: DumpedProgram;
  /** By what `show` says. */
  readonly downPorts: readonly string[];
  readonly names: Names;
  readonly isListed: boolean;
  readonly notes: readonly string[];
  readonly floodNotes: readonly string[];
}

/** So many lines take a second or more. */
const progressEvery = 20_000;

function readBridge(
  written: BridgeSources,
  recorded: DatabaseBridge | undefined,
  bridges: readonly string[],
  say: (line: string) => void,
): ReadBridge {
  const { source, notes } = withoutMarkup(written);
  const onFlow: OnFlow = (index, count) => {
    if (count <= progressEvery || index % progressEvery !== 0) return;
    say(`reading the flows of ${source.bridge}: ${index} of ${count}`);
  };
  const shown = source.ports === undefined ? undefined : readShow(source.ports);
  refuseUnknown(source.bridge, shown?.unknown ?? []);
  const listed =
    shown?.ports ?? (recorded === undefined ? undefined : recordedPorts(source.bridge, recorded));
  const texts = [source.flows, ...(source.groups === undefined ? [] : [source.groups])];
  const ports = listed ?? new AssignedPorts(portsIn(texts.map(({ text }) => text)));
  const tunnelOptions =
    source.tunnelOptions === undefined
      ? noNames.tunnelOptions
      : parseTlvMap(source.tunnelOptions.text, source.tunnelOptions.file);
  const known: Names = { ports, tables: recorded?.tables ?? noNames.tables, tunnelOptions };
  const dump = readFlowDump(source.flows, known, onFlow);
  const names: Names = { ...known, tables: dump.tables };
  const groups =
    source.groups === undefined ? [] : parseGroups(source.groups.text, source.groups.file, names);
  const meters =
    source.meters === undefined ? [] : parseMeters(source.meters.text, source.meters.file);
  checkReferences(texts, groups, meters);
  const read = dump.flows.flatMap(({ flow, onlyBy }) => (onlyBy === undefined ? [flow] : []));
  const flows = read.map(printFlow);
  rememberFlows(flows, read);
  const openflow10Flows = dump.flows.flatMap(({ flow, onlyBy }) =>
    onlyBy === 'OpenFlow10' ? printOpenflow10Flow(flow) : [],
  );
  const programs = [...flows, ...openflow10Flows, ...groups.map((group) => printGroup(group))];
  const numbers = listed ?? namedInFlows(ports, programs);
  const localDown =
    recorded?.localLink === 'down' || shown?.settings.get(source.bridge)?.link === 'down';
  const floods = programs.some((text) => /\b(NORMAL|FLOOD)\b/.test(text));
  return {
    names: { ...names, ports: listed ?? new Map(ports) },
    isListed: listed !== undefined,
    notes: [
      ...notes,
      ...dump.notes,
      ...(listed === undefined && ports.size > 0 ? [assignedNote(ports)] : []),
      ...(recorded?.notes ?? []),
    ],
    downPorts: shownDown(source.ports),
    asDumped: {
      flows: dump.texts,
      groups: source.groups === undefined ? [] : groupLines(source.groups.text),
      ...shownWords(source.ports),
    },
    floodNotes: floods && shown?.saysNoFlood === false ? [floodNote(source.bridge)] : [],
    bridge: {
      name: source.bridge,
      mac: shown?.mac ?? recorded?.mac ?? localMac,
      flows,
      ...(openflow10Flows.length === 0 ? {} : { openflow10Flows }),
      ports: [...numbers]
        .filter(([, ofport]) => ofport !== reservedPorts.LOCAL)
        .map(([name, ofport]) => ({
          ...portOf(name, ofport, recorded, bridges),
          ...shown?.settings.get(name),
        })),
      groups: groups.map((group) => printGroup(group)),
      meters: meters.map((meter) => printMeter(meter).replaceAll('\n', ' ')),
      tunnelOptions: tunnelOptions.size === 0 ? [] : [printTlvMap(tunnelOptions)],
      ...recorded?.settings,
      ...(localDown ? { localLink: 'down' } : {}),
      ...(shown?.fragments === undefined ? {} : { fragments: shown.fragments }),
    },
  };
}

/** Of flows, their reader undoes what was done to each. */
function withoutMarkup(source: BridgeSources): {
  readonly source: BridgeSources;
  readonly notes: readonly string[];
} {
  const undone = (['ports', 'groups', 'meters', 'tunnelOptions'] as const).flatMap((kind) => {
    const given = source[kind];
    return given === undefined ? [] : [[kind, undoMarkup(given)] as const];
  });
  return {
    source: { ...source, ...Object.fromEntries(undone) },
    notes: undone.flatMap(([, { notes }]) => notes),
  };
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
