/** Flows that a text has twice: a switch holds one of a table, priority and match. */
import { InputError } from '../base/errors/errors.js';
import { oncePer } from '../base/once-per.js';
import { printActions } from '../openflow/actions/actions.js';
import type { Flow } from '../openflow/flows/flow.js';
import type { Match } from '../openflow/match/match.js';
import { printMatch } from '../openflow/match/print-match.js';

interface LinedFlow {
  readonly flow: Flow;
  /** From 1. */
  readonly line: number;
}

/** Whether the text is what a switch held at one time, or what was added one after the other. */
export type FlowOrder = 'a dump' | 'added in turn';

const printed = oncePer((match: Match) => printMatch(match));

/**
 * @returns indices of flows that others take the place of, and a note of each.
 * @throws InputError with both lines where a dump has two that do different things.
 */
export function repeatedFlows(
  flows: readonly LinedFlow[],
  file: string,
  order: FlowOrder,
): { readonly replaced: ReadonlySet<number>; readonly notes: readonly string[] } {
  const known = new Map<string, number>();
  const replaced = new Set<number>();
  const notes: string[] = [];
  for (const [index, { flow, line }] of flows.entries()) {
    const identity = `${flow.table} ${flow.priority} ${printed(flow.match)}`;
    const before = known.get(identity);
    known.set(identity, index);
    const other = before === undefined ? undefined : flows[before];
    if (before === undefined || other === undefined) continue;
    const isSame = printActions(other.flow.actions) === printActions(flow.actions);
    if (!isSame && order === 'a dump')
      throw new InputError(
        `this flow has the table, priority and match of that of line ${other.line}, and other ` +
          'actions: a switch holds one of them, so these are dumps of two switches or times; ' +
          'leave one out',
        { file, line },
      );
    replaced.add(before);
    notes.push(
      `${file}: the flow of line ${line} ` +
        (isSame ? `is that of line ${other.line} again` : `takes the place of line ${other.line}`),
    );
  }
  return { replaced, notes: shortened(notes, file) };
}

/** More would bury the others. */
const listed = 5;

function shortened(notes: readonly string[], file: string): readonly string[] {
  return notes.length <= listed
    ? notes
    : [...notes.slice(0, listed), `${file}: ${notes.length - listed} more flows are there twice`];
}
