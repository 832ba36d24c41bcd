/** A bridge out of what ovs-ofctl prints of it, and what its database says of it. */
import { InputError, Unsupported } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { DumpedProgram } from '../domain/plan/dumped-node.js';
import type { PortPlan } from '../domain/plan/port-plan.js';
import { printFlow, printOpenflow10Flow } from '../openflow/flows/flow.js';
import { noNames, type Names } from '../openflow/syntax/form.js';
import { groupLines, parseGroups } from '../openflow/groups/parse-group.js';
import { printGroup } from '../openflow/groups/print-group.js';
import type { Group } from '../openflow/groups/group.js';
import { parseMeters, printMeter, type Meter } from '../openflow/meters.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { parseTlvMap, printTlvMap } from '../openflow/syntax/tlv-map.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';
import { readShow, shownNameMax, type DumpedPorts } from './dumped-ports.js';
import { matchPorts, withCutNames } from './matched-ports.js';
import { programWords } from './program-words.js';
import { shownDown, shownWords, type ShownPort } from './shown-words.js';
import type { TextSource } from './text-source.js';
import { AssignedPorts } from './assigned-ports.js';
import { checkReferences } from './check-references.js';
import { ofOneBridge } from './pasted/sections.js';
import { undoMarkup } from './pasted/undo-markup.js';
import { type OnFlow, readFlowDump } from './read-flow-dump.js';
import { portsIn } from './ports-in.js';
import { rememberFlows } from '../openflow/bridge-program.js';
import {
  recordedPorts,
  namedInFlows,
  assignedNote,
  cutNamesNote,
  floodNotes,
  portOf,
  localMac,
  type FloodNote,
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

export function refuseUnknown(bridge: string, unknown: readonly string[]): void {
  if (unknown.length > 0)
    throw new Unsupported(`nothing is known of ${unknown.join(', ')} of bridge ${bridge}`);
}

/** @throws InputError where it is of another bridge than the database says, or its flows are of. */
function shownPorts(
  bridge: string,
  source: TextSource,
  recorded: DatabaseBridge | undefined,
): DumpedPorts {
  const shown = readShow(source);
  if (shown.local !== undefined && shown.local !== bridge.slice(0, shownNameMax))
    throw new InputError(
      `this is what "ovs-ofctl show ${shown.local}" prints; expected that of ${bridge}`,
      { file: source.file },
    );
  return recorded === undefined ? shown : matchPorts(bridge, source.file, shown, recorded);
}

/** Of a port that is down: as the database has it, or `show`, or its number. */
function nameOf(
  bridge: string,
  { number, name, isShownTwice }: ShownPort,
  recorded: DatabaseBridge | undefined,
): string {
  if (number === 'LOCAL') return bridge;
  const row = recorded?.ports.find(({ ofport }) => String(ofport) === number);
  return row?.name ?? (isShownTwice ? number : name);
}

/** Open vSwitch's patch ports have no link (lib/netdev-vport.c). */
function downCables(ports: readonly PortPlan[]): readonly string[] {
  return ports.flatMap(({ kind, name, link }) =>
    kind === 'patch' && link === 'down' ? [`the link of ${name}, a patch port, which is down`] : [],
  );
}

export interface ReadBridge {
  readonly bridge: BridgePlan;
  readonly asDumped: DumpedProgram;
  /** By what `show` says. */
  readonly downPorts: readonly string[];
  readonly names: Names;
  readonly isListed: boolean;
  readonly notes: readonly string[];
  readonly floodNotes: readonly FloodNote[];
}

/** So many lines take a second or more. */
const progressEvery = 20_000;

/** @throws InputError, and Unsupported for what plans have no words for. */
export function readBridge(
  written: BridgeSources,
  recorded: DatabaseBridge | undefined,
  bridges: readonly string[],
  say: (line: string) => void,
): ReadBridge {
  const { source, notes } = withOvnOptions(withoutMarkup(written));
  const onFlow: OnFlow = (index, count) => {
    if (count <= progressEvery || index % progressEvery !== 0) return;
    say(`reading the flows of ${source.bridge}: ${index} of ${count}`);
  };
  const shown =
    source.ports === undefined ? undefined : shownPorts(source.bridge, source.ports, recorded);
  refuseUnknown(source.bridge, shown?.unknown ?? []);
  const listed =
    shown?.ports ?? (recorded === undefined ? undefined : recordedPorts(source.bridge, recorded));
  const texts = [source.flows, ...(source.groups === undefined ? [] : [source.groups])];
  const ports = listed ?? new AssignedPorts(portsIn(texts.map(({ text }) => text)));
  const tunnelOptions =
    source.tunnelOptions === undefined
      ? noNames.tunnelOptions
      : parseTlvMap(source.tunnelOptions.text, source.tunnelOptions.file);
  const allNames = listed === undefined ? ports : withCutNames(listed);
  const tables = recorded?.tables ?? noNames.tables;
  const known: Names = { ports: allNames, tables, tunnelOptions };
  const groupTexts = source.groups === undefined ? [] : groupLines(source.groups.text);
  const dump = readFlowDump(source.flows, known, onFlow, groupTexts);
  const names: Names = { ...known, tables: dump.tables };
  const { groups, meters } = readGroupsAndMeters(source, names);
  checkReferences(texts, groups, meters);
  const read = dump.flows.flatMap(({ flow, onlyBy }) => (onlyBy === undefined ? [flow] : []));
  const flows = read.map(printFlow);
  rememberFlows(flows, read);
  const openflow10Flows = dump.flows.flatMap(({ flow, onlyBy }) =>
    onlyBy === 'OpenFlow10' ? printOpenflow10Flow(flow) : [],
  );
  const programs = [...flows, ...openflow10Flows, ...groups.map((group) => printGroup(group))];
  const numbers = listed ?? namedInFlows(ports, programs);
  const planned = [...numbers]
    .filter(([, ofport]) => ofport !== reservedPorts.LOCAL)
    .map(([name, ofport]): PortPlan => {
      const port = portOf(name, ofport, recorded, bridges);
      return { ...port, ...shown?.settings.get(name) };
    });
  refuseUnknown(source.bridge, downCables(planned));
  const shownLink = shown?.settings.get(source.bridge)?.link;
  return {
    names: { ...names, ports: listed === undefined ? new Map(ports) : names.ports },
    isListed: listed !== undefined,
    notes: [
      ...notes,
      ...dump.notes,
      ...(listed === undefined && ports.size > 0 ? [assignedNote(ports)] : []),
      ...(shown === undefined || recorded !== undefined ? [] : cutNamesNote(shown)),
      ...(recorded?.notes ?? []),
    ],
    downPorts: shownDown(source.ports).map((port) => nameOf(source.bridge, port, recorded)),
    asDumped: {
      flows: dump.texts,
      groups: dump.tablesAre === 'known' ? groupTexts : groups.map((group) => printGroup(group)),
      ...programWords(source.meters, source.tunnelOptions),
      ...shownWords(source.ports),
    },
    floodNotes: floodNotes(source.bridge, planned, { listed, shown, recorded }),
    bridge: {
      name: source.bridge,
      mac: shown?.mac ?? recorded?.mac ?? localMac,
      flows,
      ...(openflow10Flows.length === 0 ? {} : { openflow10Flows }),
      ports: planned,
      groups: groups.map((group) => printGroup(group)),
      meters: meters.map((meter) => printMeter(meter).replaceAll('\n', ' ')),
      tunnelOptions: tunnelOptions.size === 0 ? [] : [printTlvMap(tunnelOptions)],
      ...recorded?.settings,
      ...((recorded?.localLink ?? shownLink) === 'down' ? { localLink: 'down' } : {}),
      ...(shown?.fragments === undefined ? {} : { fragments: shown.fragments }),
    },
  };
}

function readGroupsAndMeters(
  { groups, meters }: BridgeSources,
  names: Names,
): { readonly groups: readonly Group[]; readonly meters: readonly Meter[] } {
  return {
    groups: groups === undefined ? [] : parseGroups(groups.text, groups.file, names),
    meters: meters === undefined ? [] : parseMeters(meters.text, meters.file),
  };
}

/** The option in which OVN carries ports (OVN controller/ofctrl.c, ovn_geneve). */
const ovnOption = '{class=0x102,type=0x80,len=4}->tun_metadata0';

/** OVN's flows name one option, beside datapaths that they have in metadata. */
function withOvnOptions(read: ReturnType<typeof withoutMarkup>): ReturnType<typeof withoutMarkup> {
  const { source, notes } = read;
  const { text } = source.flows;
  if (source.tunnelOptions !== undefined || !/\btun_metadata0\b/i.test(text)) return read;
  if (/\btun_metadata[1-9]/i.test(text) || !/\bmetadata=0x/.test(text)) return read;
  return {
    source: { ...source, tunnelOptions: { text: ovnOption, file: "OVN's own map" } },
    notes: [
      ...notes,
      `nothing says which option tun_metadata0 of ${source.bridge} is: taken to be that of OVN, ` +
        `${ovnOption}; --tlv-map says otherwise`,
    ],
  };
}

/**
 * What is of this bridge, with what was done to it undone; of flows, their reader undoes what was
 * done to each.
 */
function withoutMarkup(written: BridgeSources): {
  readonly source: BridgeSources;
  readonly notes: readonly string[];
} {
  const kinds = ['flows', 'ports', 'groups', 'meters', 'tunnelOptions'] as const;
  const undone = kinds.flatMap((kind) => {
    const given = written[kind];
    if (given === undefined) return [];
    const { source, notes } = ofOneBridge(given, kind, written.bridge);
    const text = kind === 'flows' ? { ...source, notes: [] } : undoMarkup(source);
    return [[kind, text, [...notes, ...text.notes]] as const];
  });
  return {
    source: { ...written, ...Object.fromEntries(undone.map(([kind, text]) => [kind, text])) },
    notes: undone.flatMap(([, , notes]) => notes),
  };
}
