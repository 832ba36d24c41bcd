/** A flow, prepared for matching and execution on one bridge. */
import { oncePer } from '../../../base/once-per.js';
import type { Action } from '../../../openflow/actions/actions.js';
import type { Flow } from '../../../openflow/flows/flow.js';
import type { Match } from '../../../openflow/match/match.js';
import { unsupportedFieldOf } from '../../fields/supported-fields.js';
import { hasOptions, withOptionFields, type OptionFields } from '../../fields/tunnel-options.js';

export type Clause = Extract<Action, { readonly kind: 'conjunction' }>;

export interface Rule {
  readonly flow: Flow;
  /** With the bridge's own tunnel options, as `actions`. */
  readonly match: Match;
  readonly actions: readonly Action[];
  /**
   * The conjunctions that it is a part of: with any, it is no flow to be taken itself
   * (ovs-actions(7), "conjunction").
   */
  readonly clauses: readonly Clause[];
  /**
   * Whether several of them are of one conjunction; and of how many clauses the smallest of those
   * conjunctions is.
   */
  readonly repeats: boolean;
  readonly clausesMin: number;
  /** What of the flow the model does not know. */
  readonly unsupported: string | undefined;
}

/**
 * An object of its own each time. What of it has nothing of a bridge's own is made once a flow.
 * @param options of the bridge, where its flows have any.
 */
export function ruleOf(flow: Flow, options: OptionFields = []): Rule {
  const isPlain = options.length === 0 || !hasOptions(flow);
  return isPlain ? { ...plainRule(flow) } : madeRule(flow, options);
}

const plainRule = oncePer((flow: Flow) => madeRule(flow, []));

function madeRule(flow: Flow, options: OptionFields): Rule {
  const match = withOptionFields(flow.match, options);
  const clauses = clausesOf(flow);
  return {
    flow,
    match,
    actions: withOptionFields(flow.actions, options),
    clauses,
    unsupported: unsupportedFieldOf(match),
    repeats: new Set(clauses.map(({ id }) => id)).size < clauses.length,
    clausesMin: clauses.length === 0 ? 0 : Math.min(...clauses.map((clause) => clause.clauses)),
  };
}

const noClauses: readonly Clause[] = [];

function clausesOf({ actions }: Flow): readonly Clause[] {
  const clauses = actions.filter((action) => action.kind === 'conjunction');
  return clauses.length === 0 ? noClauses : clauses;
}
