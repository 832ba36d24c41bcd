/** A flow ready to be matched and carried out on one bridge. */
import type { Action } from '../../openflow/actions.js';
import type { Flow } from '../../openflow/flow.js';
import type { Match } from '../../openflow/match.js';
import { unknownOf } from '../known.js';
import { located, type OptionFields } from '../options.js';

export type Clause = Extract<Action, { readonly kind: 'conjunction' }>;

export interface Rule {
  readonly flow: Flow;
  /** With the bridge's own tunnel options, as `actions`. */
  readonly match: Match;
  readonly actions: readonly Action[];
  /** The conjunctions that it is a part of: with any, it is no flow to be taken itself (ovs-actions(7), "conjunction"). */
  readonly clauses: readonly Clause[];
  /** What of the flow the model does not know. */
  readonly unknown: string | undefined;
}

/** @param options of the bridge, where its flows have any. */
export function ruleOf(flow: Flow, options: OptionFields = []): Rule {
  const match = located(flow.match, options);
  return { flow, match, actions: located(flow.actions, options), clauses: clausesOf(flow), unknown: unknownOf(match) };
}

const noClauses: readonly Clause[] = [];

function clausesOf({ actions }: Flow): readonly Clause[] {
  const clauses = actions.filter((action) => action.kind === 'conjunction');
  return clauses.length === 0 ? noClauses : clauses;
}
