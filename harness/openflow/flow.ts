/** Flows: read as ovs-ofctl(8) writes and reads them, printed in one canonical form. */
import type { FlowId } from '../nouns/switching.js';
import { parseActions, printActions, type Action } from './actions.js';
import { parseMatch, printMatch, type Match } from './match.js';
import type { PortNames } from './ports.js';
import { complain, cut, parseNumber, part, shorten, span, split, type Span } from './text.js';

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

/** What comes before the match in a dump and does not matter to where a packet goes. */
const counters = /^(cookie|duration|n_bytes|idle_age|hard_age|idle_timeout|hard_timeout|importance|send_flow_rem|check_overlap|reset_counts|no_packet_counts|no_byte_counts)$/;

/** OpenFlow's default where a flow names no priority (ovs-ofctl(8)). */
const defaultPriority = 32768n;

/**
 * Reads one flow.
 * @param text `table=0, priority=200,ip,in_port=1 actions=output:2`, with or without what a dump adds.
 * @throws InputError with file, line and column, for everything it does not understand.
 */
export function parseFlow(text: string, ports: PortNames = new Map(), place = { file: 'flow', line: 1 }): Flow {
  return parseDumpedFlow(text, ports, place).flow;
}

/** As `parseFlow`, with the counters of a dump's line. */
export function parseDumpedFlow(text: string, ports: PortNames = new Map(), place = { file: 'flow', line: 1 }): DumpedFlow {
  const whole = span(text, { ...place, column: 1 });
  const at = /(^|[\s,])actions=/.exec(text);
  if (at === null) throw complain(whole, `expected "actions=" in "${shorten(text.trim())}"`);
  const matchText = part(whole, 0, at.index);
  const actions = parseActions(part(whole, at.index + at[0].length), ports);
  const match: Span[] = [];
  let table = 0n;
  let priority = defaultPriority;
  let packets = 0n;
  for (const piece of split(matchText, /[,\s]/)) {
    const [name, value] = cut(piece, '=');
    if (value !== undefined && (name.text === 'table' || name.text === 'table_id')) table = parseNumber(value, 'table', 254n);
    else if (value !== undefined && name.text === 'priority') priority = parseNumber(value, 'priority', 65535n);
    else if (value !== undefined && name.text === 'n_packets') packets = parseNumber(value, 'n_packets', 1n << 64n);
    else if (!counters.test(name.text)) match.push(piece);
  }
  return { flow: { table: Number(table), priority: Number(priority), match: parseMatch(match, ports), actions }, packets: Number(packets) };
}

/** Reads a file of flows, one a line; blank lines and lines that begin with # are left out. */
export function parseFlows(text: string, file: string, ports: PortNames = new Map()): readonly Flow[] {
  return text.split('\n').flatMap((line, index) => (/^\s*(#|$)/.test(line) ? [] : [parseFlow(line, ports, { file, line: index + 1 })]));
}

/** As `ovs-ofctl -O OpenFlow15 dump-flows --no-stats --no-names` prints it, the table always given. */
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
