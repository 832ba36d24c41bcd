/** Flows: read as ovs-ofctl(8) writes and reads them, printed in one canonical form. */
import type { FlowId } from '../nouns/switching.js';
import { parseActions, printActions, type Action } from './actions.js';
import { parseMatch, printMatch, type Match } from './match.js';
import { noNames, type Names } from './form.js';
import { complain, cut, lastTable, parseNumber, part, shorten, span, split, type Span } from './text.js';

export interface Flow {
  readonly table: number;
  readonly priority: number;
  readonly match: Match;
  readonly actions: readonly Action[];
}

/** A line of a flow dump: the flow and what the switch counted on it. */
export interface DumpedFlow {
  readonly flow: Flow;
  /** n_packets, or 0 where the dump has no counters. */
  readonly packets: number;
}

/** What a dump adds, or a controller asks for, that does not matter to where a packet goes. */
const ignored = /^((cookie|duration|n_bytes|idle_age|hard_age|importance)=.+|send_flow_rem|check_overlap|reset_counts|no_packet_counts|no_byte_counts)$/s;

/** OpenFlow's default where a flow names no priority (ovs-ofctl(8)). */
const defaultPriority = 32768n;

/**
 * Reads one flow.
 * @param text `table=0, priority=200,ip,in_port=1 actions=output:2`, with or without what a dump adds.
 * @throws InputError with file, line and column, for everything it does not understand.
 */
export function parseFlow(text: string, names: Names = noNames, place = { file: 'flow', line: 1 }): Flow {
  return parseDumpedFlow(text, names, place).flow;
}

/** As `parseFlow`, with the counters of a dump's line. */
export function parseDumpedFlow(text: string, names: Names = noNames, place = { file: 'flow', line: 1 }): DumpedFlow {
  const whole = span(text, { ...place, column: 1 });
  const at = /(^|[\s,])actions\s*=/.exec(text);
  if (at === null) throw complain(whole, `expected "actions=" in "${shorten(text.trim())}"`);
  const pieces: Span[] = [];
  let table = 0;
  let priority = defaultPriority;
  let packets = 0n;
  for (const piece of split(part(whole, 0, at.index), /[,\s]/)) {
    const [name, value] = cut(piece, '=');
    if (value !== undefined && (name.text === 'table' || name.text === 'table_id')) table = Number(parseNumber(value, 'table', lastTable));
    else if (value !== undefined && name.text === 'priority') priority = parseNumber(value, 'priority', 65535n);
    else if (value !== undefined && name.text === 'n_packets') packets = parseNumber(value, 'n_packets', (1n << 64n) - 1n);
    else if (value !== undefined && /^(idle|hard)_timeout$/.test(name.text)) checkTimeout(name, value);
    else if (!ignored.test(piece.text)) pieces.push(piece);
  }
  const match = parseMatch(pieces, names);
  const actions = parseActions(part(whole, at.index + at[0].length), { table, match, ports: names.ports, names });
  return { flow: { table, priority: Number(priority), match, actions }, packets: Number(packets) };
}

/** Flows that expire would be other flows after some time. */
function checkTimeout(name: Span, value: Span): void {
  if (parseNumber(value, name.text, 65535n) !== 0n) throw complain(value, `flows with ${name.text} are not known here`);
}

/** Reads a file of flows, one a line; blank lines and lines that begin with # are left out. */
export function parseFlows(text: string, file: string, names: Names = noNames): readonly Flow[] {
  return text.split('\n').flatMap((line, index) => (/^\s*(#|$)/.test(line) ? [] : [parseFlow(line, names, { file, line: index + 1 })]));
}

/** The canonical text: as `ovs-ofctl -O OpenFlow15 dump-flows --no-stats --no-names` prints it, the table always given. */
export function printFlow(flow: Flow): string {
  return `${printFlowKey(flow)} actions=${printActions(flow.actions)}`;
}

/** What OpenFlow tells flows apart by: `table=0, priority=200,ip,in_port=1`. */
export function printFlowKey(flow: Flow): string {
  const match = printMatch(flow.match);
  return `table=${flow.table}, priority=${flow.priority}${match === '' ? '' : `,${match}`}`;
}

export function flowId(node: string, bridge: string, flow: Flow): FlowId {
  return { node, bridge, table: flow.table, priority: flow.priority, match: printMatch(flow.match) };
}
