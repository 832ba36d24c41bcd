/**
 * Flows: read as ovs-ofctl(8) writes and reads them, printed in one canonical form or as a dump of
 * any version shows them.
 */
import type { FlowId } from '../../domain/switching.js';
import type { ActionsReader } from '../actions/known-actions.js';
import { parseActions, printActions, type Action } from '../actions/actions.js';
import {
  numberOf,
  parseAttributes,
  parseStatistics,
  printAttributes,
  sortPieces,
  type Attributes,
  type Statistics,
} from './flow-attributes.js';
import { InputError } from '../../base/errors/errors.js';
import { oncePer } from '../../base/once-per.js';
import { canonical, noNames, type Form, type Names, type Protocol } from '../syntax/form.js';
import { knownMatch } from '../match/known-matches.js';
import type { Match } from '../match/match.js';
import { printName, unquote } from '../syntax/ports.js';
import { printMatch } from '../match/print-match.js';
import {
  complain,
  lastTable,
  parseDecimal,
  part,
  shorten,
  span,
  split,
  type Span,
} from '../syntax/text.js';

export interface Flow extends Attributes {
  readonly table: number;
  readonly priority: number;
  readonly match: Match;
  readonly actions: readonly Action[];
}

/** A line of a flow dump; one by `--no-stats` has no statistics. */
export interface DumpedFlow {
  readonly flow: Flow;
  readonly statistics?: Statistics;
  /**
   * Only OpenFlow 1.0 takes it: it does not ask for the match that its actions need, and they
   * change nothing where a packet has no such header.
   */
  readonly onlyBy?: 'OpenFlow10';
}

/** OpenFlow's default where a flow names no priority (ovs-ofctl(8)). */
const defaultPriority = 32768;

/**
 * Reads one flow.
 * @param text `table=0, priority=200,ip,in_port=1 actions=output:2`, with or without what a dump
 *   adds.
 * @param readActions where many flows of one bridge are read: `actionsReader()`.
 * @throws InputError with file, line and column, for everything it does not understand.
 */
export function parseFlow(
  text: string,
  names: Names = noNames,
  place = { file: 'flow', line: 1 },
  readActions: ActionsReader = parseActions,
): Flow {
  return readFlow(text, names, place, canonical.protocol, { readActions }).flow;
}

/** As `parseFlow`, of a flow that OpenFlow 1.0 adds to a switch. */
export function parseOpenflow10Flow(
  text: string,
  names: Names = noNames,
  place = { file: 'flow', line: 1 },
): Flow {
  return readFlow(text, names, place, 'OpenFlow10').flow;
}

/**
 * As `parseFlow`, of a flow that a switch holds, whichever version of OpenFlow has added it, with
 * the counters of a dump's line.
 * @param readActions where many flows of one switch are read: `actionsReader()`.
 */
export function parseDumpedFlow(
  text: string,
  names: Names = noNames,
  place = { file: 'flow', line: 1 },
  readActions: ActionsReader = parseActions,
): DumpedFlow {
  try {
    return readFlow(text, names, place, canonical.protocol, { readActions });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const attempted = attemptOpenflow10(text, names, place);
    if (attempted === undefined) throw error;
    return { ...attempted, onlyBy: 'OpenFlow10' };
  }
}

function attemptOpenflow10(text: string, names: Names, place: LinePlace): DumpedFlow | undefined {
  try {
    return readFlow(text, names, place, 'OpenFlow10', { isDumped: true });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** In either number: ovs-ofctl asks for no more (lib/ofp-flow.c, ofp_extract_actions). */
const beforeActions = /(^|[\s,])actions?\s*=/;
const oneLineEach = 'a flow stands on one line; this one is broken, or none';

interface LinePlace {
  readonly file: string;
  readonly line: number;
}

function readFlow(
  text: string,
  names: Names,
  place: LinePlace,
  protocol: Protocol,
  {
    isDumped = false,
    readActions = parseActions,
  }: { readonly isDumped?: boolean; readonly readActions?: ActionsReader } = {},
): DumpedFlow {
  const whole = span(text, { ...place, column: 1 });
  const at = beforeActions.exec(text);
  if (at === null)
    throw complain(whole, `expected "actions=" in "${shorten(text.trim())}": ${oneLineEach}`);
  const { attributes, match: pieces } = sortPieces(split(part(whole, 0, at.index), /[,\s]/));
  const tableText = attributes.get('table');
  const table = tableText === undefined ? 0 : parseTable(tableText, names);
  const match = knownMatch(pieces, names);
  const unknown = match.find(({ field }) => !field.inFlows);
  if (unknown !== undefined) throw complain(whole, `flows cannot match ${unknown.field.name}`);
  const actions = readActions(part(whole, at.index + at[0].length), {
    table,
    match,
    names,
    protocol,
    isDumped,
  });
  const priority = Number(numberOf(attributes, 'priority', 0xffffn) ?? defaultPriority);
  const statistics = parseStatistics(attributes);
  return {
    flow: { table, priority, match, actions, ...parseAttributes(attributes) },
    ...(statistics === undefined ? {} : { statistics }),
  };
}

/** A table by number or by name. */
export function parseTable(at: Span, { tables }: Names): number {
  return tables.get(unquote(at.text)) ?? parseDecimal(at, 'table', lastTable);
}

/**
 * Reads a file of flows, one a line; blank lines and lines that begin with # are left out, and so
 * are the heads of a dump's replies.
 */
export function parseFlows(
  text: string,
  file: string,
  names: Names = noNames,
  onLine?: OnLine,
): readonly Flow[] {
  return parseDump(text, file, names, onLine).map(({ flow }) => flow);
}

/** Called for each line before it is read: its index, from 0, and how many there are. */
export type OnLine = (index: number, count: number) => void;

/** As `parseFlows`, with the counters. */
export function parseDump(
  text: string,
  file: string,
  names: Names = noNames,
  onLine?: OnLine,
): readonly DumpedFlow[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    onLine?.(index, lines.length);
    return isNoFlow.test(line) ? [] : [parseDumpedFlow(line, names, { file, line: index + 1 })];
  });
}

const isNoFlow = /^\s*(#|$|(NXST|OFPST)_FLOW reply )/;

/**
 * The canonical text, which ovs-ofctl reads: as its `-O OpenFlow15 dump-flows --no-stats
 * --no-names` prints it but for what that loses, table and priority always given.
 */
export function printFlow(flow: Flow): string {
  return (
    `${printAttributes(flow, undefined, `table=${flow.table}, `, canonical)}${afterTable(flow)} ` +
    `actions=${canonicalActions(flow.actions)}`
  );
}

/** The text by which `ovs-ofctl -O OpenFlow10 add-flow` makes it. */
export function printOpenflow10Flow(flow: Flow): string {
  return printDumpedFlow({ flow }, { ...canonical, protocol: 'OpenFlow10' });
}

/** Texts are made once an object: flows of many dumps share their matches and actions. */
const canonicalMatch = oncePer((match: Match) => printMatch(match));
const dumpedMatch = oncePer((match: Match) => printMatch(match, canonical));
export const canonicalActions = oncePer((actions: readonly Action[]) => printActions(actions));

/** What OpenFlow distinguishes flows by: `table=0, priority=200,ip,in_port=1`. */
export function printFlowKey(flow: Flow): string {
  return `table=${flow.table}, ${afterTable(flow)}`;
}

function afterTable({ priority, match }: Flow): string {
  const text = canonicalMatch(match);
  return `priority=${priority}${text === '' ? '' : `,${text}`}`;
}

/**
 * The line that `ovs-ofctl dump-flows` prints of it in this form, without the space that it begins
 * with.
 */
export function printDumpedFlow({ flow, statistics }: DumpedFlow, form: Form): string {
  const { table, priority, match } = flow;
  const tableText =
    statistics !== undefined || table !== 0 ? `table=${printName(table, form.tables)}, ` : '';
  const key = [priority === defaultPriority ? '' : `priority=${priority}`, printMatch(match, form)]
    .filter((text) => text !== '')
    .join(',');
  return (
    `${printAttributes(flow, statistics, tableText, form)}${key}${key === '' ? '' : ' '}` +
    `actions=${printActions(flow.actions, form)}`
  );
}

/** What a dump calls the flow by: it loses masks of some tunnel fields. */
export function flowId(node: string, bridge: string, flow: Flow): FlowId {
  return {
    node,
    bridge,
    table: flow.table,
    priority: flow.priority,
    match: dumpedMatch(flow.match),
  };
}
