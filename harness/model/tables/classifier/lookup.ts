/**
 * Which flow of a table a packet belongs to: the one of highest priority that matches (OpenFlow
 * 1.3, section 5.3), conjunctions included.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { printFlow } from '../../../openflow/flows/flow.js';
import { word, type FlowKey } from '../../../packet/flow-key/flow-key.js';
import type { FlowTable, FlowTables } from '../flow-table.js';
import type { Rule } from './rule.js';
import { bucketFor, foldWildcards } from './hash-subtable.js';

/** The rule that wins; where OpenFlow does not say which of several it is, all of them. */
export interface LookupResult {
  readonly rule: Rule | undefined;
  readonly ties: readonly Rule[];
  /** The parts of conjunctions that led to them. */
  readonly clauses?: readonly Rule[];
}

const none: readonly Rule[] = [];
const nothing: LookupResult = { rule: undefined, ties: none };

/**
 * @param wildcards takes the bits that the answer depends on, beside those that it has.
 * @throws Unsupported where a rule has something that the model does not know, and all that it
 *   knows matches.
 */
export function lookup(
  tables: FlowTables,
  number: number,
  key: FlowKey,
  wildcards?: FlowKey,
): LookupResult {
  const table = tables.get(number);
  if (table === undefined) return nothing;
  const { whole, clauseRules } = bestMatches(table, key, wildcards);
  return (
    (clauseRules === undefined
      ? undefined
      : matchConjunctions(table, clauseRules, key, wildcards)) ?? oneOf(whole)
  );
}

/** The best flows that are no parts of conjunctions, and all parts of higher priority. */
function bestMatches(
  { subtables }: FlowTable,
  key: FlowKey,
  wildcards?: FlowKey,
): { readonly whole: readonly Rule[]; readonly clauseRules: readonly Rule[] | undefined } {
  let whole: Rule[] | undefined;
  let clauseRules: Rule[] | undefined;
  let best = -1;
  for (const subtable of subtables) {
    if (subtable.priorityMax < best) break;
    if (wildcards !== undefined) foldWildcards(wildcards, subtable);
    const items = bucketFor(subtable, key)?.items ?? none;
    for (let index = 0; index < items.length; index++) {
      const rule = items[index];
      if (rule === undefined || rule.flow.priority < best) break;
      if (rule.clauses.length > 0) (clauseRules ??= []).push(rule);
      else {
        if (rule.flow.priority > best) whole = [rule];
        else whole?.push(rule);
        best = rule.flow.priority;
        break;
      }
    }
  }
  return {
    whole: whole ?? none,
    clauseRules: clauseRules?.filter(({ flow }) => flow.priority > best),
  };
}

function oneOf(rules: readonly Rule[]): LookupResult {
  if (rules.length === 0) return nothing;
  const [rule] = refuseUnsupported(rules);
  return { rule, ties: rules.length > 1 ? rules : none };
}

function refuseUnsupported(rules: readonly Rule[]): readonly Rule[] {
  for (const { unsupported, flow } of rules)
    if (unsupported !== undefined)
      throw new Unsupported(`the model does not know ${unsupported} of ${printFlow(flow)}`);
  return rules;
}

/** What the parts of the highest priority that complete a conjunction lead to. */
function matchConjunctions(
  table: FlowTable,
  clauseRules: readonly Rule[],
  key: FlowKey,
  wildcards?: FlowKey,
): LookupResult | undefined {
  for (const priority of [...new Set(clauseRules.map(({ flow }) => flow.priority))].sort(
    (a, b) => b - a,
  )) {
    const samePriority = clauseRules.filter(({ flow }) => flow.priority === priority);
    const found = new Set(
      satisfiedConjunctions(refuseUnsupported(samePriority)).flatMap((id) =>
        conjunctionFlows(table, key, id, wildcards),
      ),
    );
    if (found.size === 0) continue;
    const one = oneOf([...found]);
    return one.ties.length === 0 ? one : { ...one, clauses: samePriority };
  }
  return undefined;
}

/**
 * The conjunctions of which each clause is there. As in Open vSwitch it takes as many flows as
 * clauses, though one flow may be part of several (lib/classifier.c, find_conjunctive_match).
 */
function satisfiedConjunctions(clauseRules: readonly Rule[]): readonly number[] {
  const found = new Map<number, ClauseSet>();
  const possible = conjunctionCandidates(clauseRules);
  if (possible.size === 0) return noIds;
  for (const part of clauseRules) {
    for (const { id, clause, clauses } of part.clauses) {
      if (clauses > clauseRules.length || !possible.has(id)) continue;
      const one = found.get(id);
      if (one === undefined)
        found.set(id, addClause({ clauses, missing: clauses, low: 0, high: 0 }, clause));
      else if (one.clauses === clauses) addClause(one, clause);
      else
        throw new Unsupported(
          `the model does not know conjunction ${id} with ${one.clauses} and ${clauses} ` +
            'clauses at once',
        );
    }
  }
  const ids: number[] = [];
  for (const [id, { missing }] of found) if (missing === 0) ids.push(id);
  return ids;
}

const noIds: readonly number[] = [];

/**
 * Those that may be complete. One of n clauses is in n of the parts, unless a part has several of
 * its clauses, and so in some part beside the n - 1 with the most: of a part that is of thousands,
 * as a rule for everybody's port is, hardly any has to be checked.
 */
function conjunctionCandidates(clauseRules: readonly Rule[]): ReadonlySet<number> {
  const found = new Set<number>();
  const fewest = Math.min(...clauseRules.map(({ clausesMin }) => clausesMin));
  const byCount = clauseRules.toSorted((a, b) => a.clauses.length - b.clauses.length);
  for (const [index, { clauses, repeats }] of byCount.entries())
    if (repeats || index + fewest <= clauseRules.length)
      for (const { id } of clauses) found.add(id);
  return found;
}

/**
 * How many clauses of a conjunction are not there yet; those that are, a bit each: there are 64 at
 * most.
 */
interface ClauseSet {
  readonly clauses: number;
  missing: number;
  low: number;
  high: number;
}

function addClause(one: ClauseSet, clause: number): ClauseSet {
  const half = clause <= 32 ? 'low' : 'high';
  const bit = 1 << ((clause - 1) & 31);
  if ((one[half] & bit) === 0) one.missing--;
  one[half] |= bit;
  return one;
}

/**
 * The flows of highest priority for packets of the conjunction `id`, whatever else matches them.
 * Open vSwitch does not see one below a part of a conjunction with the same match.
 */
function conjunctionFlows(
  { subtables }: FlowTable,
  key: FlowKey,
  id: number,
  wildcards?: FlowKey,
): readonly Rule[] {
  const before = key[word.conjId] ?? 0;
  key[word.conjId] = id;
  let best: Rule[] = [];
  for (const subtable of subtables) {
    const priority = best[0]?.flow.priority ?? -1;
    if (subtable.priorityMax < priority) break;
    if (wildcards !== undefined) foldWildcards(wildcards, subtable);
    const rule = bucketFor(subtable, key)?.items[0];
    if (rule === undefined || rule.clauses.length > 0 || rule.flow.priority < priority) continue;
    best = rule.flow.priority === priority ? [...best, rule] : [rule];
  }
  key[word.conjId] = before;
  return refuseUnsupported(best);
}
