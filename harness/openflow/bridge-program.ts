/** What a plan wants on one bridge: flows, groups, meters. */
import { transientTexts } from '../base/text/transient-texts.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { parseFlow, parseOpenflow10Flow, printFlow, type Flow } from './flows/flow.js';
import { knownFlowReader, type KnownFlow } from './flows/known-texts.js';
import { actionsReader } from './actions/known-actions.js';
import { noNames, type Names, type TlvMap } from './syntax/form.js';
import { parseGroup } from './groups/parse-group.js';
import type { Group } from './groups/group.js';
import { parseMeter, type Meter } from './meters.js';
import { reservedPorts, type PortNames } from './syntax/ports.js';
import { parseTlvMap } from './syntax/tlv-map.js';

/**
 * A plan's flows are read by the model, the switches and whoever compares them, once for each
 * cluster that is brought up.
 */
const read = new WeakMap<readonly string[], ReadFlows>();

interface ReadFlows {
  readonly flows: readonly Flow[];
  /** What names in the texts stood for; undefined where there are none. */
  readonly names: Pick<BridgePlan, 'name' | 'ports' | 'tunnelOptions'> | undefined;
}

/** The same flows as `texts`, canonical and without names, for those who ask for them. */
export function rememberFlows(texts: readonly string[], flows: readonly Flow[]): void {
  read.set(texts, { flows, names: undefined });
}

/**
 * Reads the flows of a bridge that was dumped again: those that it had before are the same objects,
 * and are not read again. A dump has numbers alone, so that names play no part.
 */
export function readDumpedAgain(node: string, before: BridgePlan, after: BridgePlan): void {
  const isAlike =
    after.origin === 'dumped' &&
    before.origin === 'dumped' &&
    (before.tunnelOptions ?? []).join('\n') === (after.tunnelOptions ?? []).join('\n');
  const held = read.get(before.flows)?.flows;
  if (!isAlike || held?.length !== before.flows.length || read.has(after.flows)) return;
  const known = new Map(before.flows.map((text, index) => [text, held[index]]));
  const names = namesOf(node, after);
  const file = `flows of ${after.name} on ${node}`;
  const readActions = actionsReader();
  const flows = readLines(
    after.flows,
    (text, line) => known.get(text) ?? parseFlow(text, names, { file, line }, readActions),
  );
  read.set(after.flows, { flows, names: after });
}

/**
 * Reads its flows with the bridge's own names; blank lines and what follows # are left out. The
 * same plan is read once.
 * @throws InputError that names the file the flows came from, or node and bridge, with line and
 *   column.
 */
export function parseBridgeFlows(node: string, bridge: BridgePlan): readonly Flow[] {
  const known = read.get(bridge.flows);
  if (known !== undefined && (known.names === undefined || hasSameNames(known.names, bridge)))
    return known.flows;
  const names = namesOf(node, bridge);
  const file = bridge.flowsFile ?? `flows of ${bridge.name} on ${node}`;
  const readActions = actionsReader();
  const flows = readLines(bridge.flows, (text, line) =>
    parseFlow(text, names, { file, line }, readActions),
  );
  read.set(bridge.flows, { flows, names: bridge });
  return flows;
}

/**
 * Its flows for switches of many nodes, where nobody asks for more than their texts.
 * @throws InputError as `parseBridgeFlows`.
 */
export function knownFlows(node: string, bridge: BridgePlan): readonly KnownFlow[] {
  const known = read.get(bridge.flows);
  if (known !== undefined && known.names === undefined) return known.flows.map(printFlow);
  const file = bridge.flowsFile ?? `flows of ${bridge.name} on ${node}`;
  const readFlow = knownFlowReader(namesOf(node, bridge));
  return readLines(transientTexts(bridge.flows), (text, line) => readFlow(text, { file, line }));
}

function hasSameNames(one: NonNullable<ReadFlows['names']>, other: BridgePlan): boolean {
  return (
    one.name === other.name &&
    one.ports === other.ports &&
    one.tunnelOptions === other.tunnelOptions
  );
}

/** All of its flows, those that OpenFlow 1.0 adds among them. */
export function parseAllFlows(node: string, bridge: BridgePlan): readonly Flow[] {
  const flows = parseBridgeFlows(node, bridge);
  const others = parseOpenflow10Flows(node, bridge);
  return others.length === 0 ? flows : [...flows, ...others];
}

/** Those of its flows that OpenFlow 1.0 adds. */
export function parseOpenflow10Flows(node: string, bridge: BridgePlan): readonly Flow[] {
  const names = namesOf(node, bridge);
  const file = `flows of OpenFlow 1.0 of ${bridge.name} on ${node}`;
  return readLines(bridge.openflow10Flows ?? [], (text, line) =>
    parseOpenflow10Flow(text, names, { file, line }),
  );
}

/** The same of its groups. */
export function parseBridgeGroups(node: string, bridge: BridgePlan): readonly Group[] {
  const names = namesOf(node, bridge);
  return readLines(bridge.groups ?? [], (text, line) =>
    parseGroup(text, names, { file: `groups of ${bridge.name} on ${node}`, line }),
  );
}

/** The same of its meters. */
export function parseBridgeMeters(node: string, bridge: BridgePlan): readonly Meter[] {
  return readLines(bridge.meters ?? [], (text, line) =>
    parseMeter(text, { file: `meters of ${bridge.name} on ${node}`, line }),
  );
}

/** What its fields tun_metadataN stand for. @throws InputError naming node and bridge. */
export function parseBridgeOptions(node: string, bridge: BridgePlan): TlvMap {
  return parseTlvMap(
    (bridge.tunnelOptions ?? []).join('\n'),
    `tunnel options of ${bridge.name} on ${node}`,
  );
}

/** OpenFlow numbers by name, of a bridge's ports and of LOCAL under the bridge's own name. */
export function portNumbers(bridge: BridgePlan): PortNames {
  return new Map([
    ...bridge.ports.map((port) => [port.name, port.ofport] as const),
    [bridge.name, reservedPorts.LOCAL] as const,
  ]);
}

function namesOf(node: string, bridge: BridgePlan): Names {
  return {
    ...noNames,
    ports: portNumbers(bridge),
    tunnelOptions: parseBridgeOptions(node, bridge),
  };
}

function readLines<T>(
  lines: readonly string[],
  read: (text: string, line: number) => T,
): readonly T[] {
  return lines.flatMap((line, index) => {
    const text = line.includes('#') ? line.replace(/#.*/, '') : line;
    return text.trim() === '' ? [] : [read(text, index + 1)];
  });
}
