/** Which flow of a table a packet belongs to: the one of highest priority that matches (OpenFlow 1.3, section 5.3), conjunctions included. */
import { InputError, Unsupported } from '../base/errors.js';
import { word, type FlowKey } from '../packet/flow-key.js';
import type { Action } from '../openflow/actions.js';
import { wordsOf } from '../openflow/fields.js';
import { printFlow, type Flow } from '../openflow/flow.js';
import type { FieldMatch } from '../openflow/match.js';
import { printMatch } from '../openflow/print-match.js';
import { maskOf } from './keys.js';
import { isFilled, unknownOf } from './known.js';
import { located, presence, type OptionFields } from './options.js';

type Clause = Extract<Action, { readonly kind: 'conjunction' }>;

/** A flow ready to be matched: `key[word] & mask === value` for all of its words. */
export interface Rule {
  readonly flow: Flow;
  readonly actions: readonly Action[];
  /** Of the fields that the model can compare. */
  readonly words: readonly { readonly word: number; readonly mask: number; readonly value: number }[];
  /** The conjunctions that it is a part of: with any, it is no flow to be taken itself (ovs-actions(7), "conjunction"). */
  readonly clauses: readonly Clause[];
  /** What of the flow the model does not know. */
  readonly unknown: string | undefined;
}

/** The flows of one table; they come and go one by one. */
export interface FlowTable {
  /** By falling priority. */
  readonly rules: Rule[];
  /** By match, as text. */
  readonly sameMatch: Map<string, Rule[]>;
}

/** The flow tables of a bridge, by number; those without a flow may be missing. */
export type FlowTables = Map<number, FlowTable>;

/**
 * @param options of the bridge, where its flows have any.
 * @throws InputError when two flows have the same table, priority and match.
 */
export function compile(flows: readonly Flow[], options: OptionFields = []): FlowTables {
  const tables: FlowTables = new Map();
  for (const flow of flows) {
    const before = insert(tables, ruleOf(flow, options));
    if (before !== undefined) throw new InputError(`two flows with the same table, priority and match: ${printFlow(flow)}`);
  }
  return tables;
}

export function ruleOf(flow: Flow, options: OptionFields = []): Rule {
  const own = located(flow.match, options);
  const clauses = flow.actions.filter((action) => action.kind === 'conjunction');
  return { flow, clauses, actions: located(flow.actions, options), words: own.filter(({ field }) => isFilled(field)).flatMap(matchWords), unknown: unknownOf(own) };
}

/** Puts a rule into its table, in the place of the one with its priority and match: that one, if there was any, is returned. */
export function insert(tables: FlowTables, rule: Rule): Rule | undefined {
  const { table: number, match } = rule.flow;
  const table = tables.get(number) ?? { rules: [], sameMatch: new Map<string, Rule[]>() };
  tables.set(number, table);
  const before = find(tables, rule.flow);
  if (before !== undefined) remove(tables, before);
  const text = printMatch(match);
  table.sameMatch.set(text, [...(table.sameMatch.get(text) ?? []), rule]);
  table.rules.splice(placeFor(table.rules, rule.flow.priority), 0, rule);
  return before;
}

/** Takes a rule out of its table, where it is in it. */
export function remove(tables: FlowTables, rule: Rule): void {
  const table = tables.get(rule.flow.table);
  const index = table?.rules.indexOf(rule) ?? -1;
  if (table === undefined || index < 0) return;
  table.rules.splice(index, 1);
  const text = printMatch(rule.flow.match);
  const left = (table.sameMatch.get(text) ?? []).filter((other) => other !== rule);
  if (left.length > 0) table.sameMatch.set(text, left);
  else table.sameMatch.delete(text);
}

/** The rule of the same table, priority and match: what OpenFlow calls the same flow. */
export function find(tables: FlowTables, { table, priority, match }: Pick<Flow, 'table' | 'priority' | 'match'>): Rule | undefined {
  return tables.get(table)?.sameMatch.get(printMatch(match))?.find(({ flow }) => flow.priority === priority);
}

/** All rules, by table, there by falling priority, and in the order in which they came. */
export function rulesOf(tables: FlowTables): readonly Rule[] {
  return [...tables.values()].flatMap(({ rules }) => rules);
}

/** Behind all rules of this priority and above. */
function placeFor(rules: readonly Rule[], priority: number): number {
  let [from, to] = [0, rules.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rules[middle]?.flow.priority ?? 0) >= priority) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The rule that wins; where OpenFlow leaves open which of several it is, all of them. */
export interface Found {
  readonly rule: Rule | undefined;
  readonly ties: readonly Rule[];
}

const nothing: Found = { rule: undefined, ties: [] };

/** @throws Unsupported where a rule has something that the model does not know, and all that it knows matches. */
export function lookup(tables: FlowTables, number: number, key: FlowKey): Found {
  const table = tables.get(number);
  if (table === undefined) return nothing;
  const matching = table.rules.filter((rule) => matches(rule, key));
  for (let first = 0; first < matching.length; ) {
    const priority = matching[first]?.flow.priority;
    const behind = matching.findIndex((rule, index) => index > first && rule.flow.priority !== priority);
    const level = matching.slice(first, behind === -1 ? undefined : behind);
    const whole = level.filter(({ clauses }) => clauses.length === 0);
    if (whole.length > 0) return one(whole);
    const joined = completed(known(level)).map((id) => conjoined(table, key, id)).filter(({ rule }) => rule !== undefined);
    if (joined.length > 0) return one([...new Set(joined.flatMap(({ rule, ties }) => (ties.length > 0 ? ties : (rule ?? []))))]);
    first += level.length;
  }
  return nothing;
}

function one(rules: readonly Rule[]): Found {
  const [rule] = known(rules);
  return { rule, ties: rules.length > 1 ? rules : [] };
}

function known(rules: readonly Rule[]): readonly Rule[] {
  for (const { unknown, flow } of rules) if (unknown !== undefined) throw new Unsupported(`the model does not know ${unknown} of ${printFlow(flow)}`);
  return rules;
}

/**
 * The conjunctions of which each clause is there. As in Open vSwitch it takes as many flows as clauses, though one flow may be part of
 * several (lib/classifier.c, find_conjunctive_match).
 */
function completed(parts: readonly Rule[]): readonly number[] {
  const clauses = parts.flatMap((part) => part.clauses).filter((clause) => clause.clauses <= parts.length);
  const ids = [...new Set(clauses.map(({ id }) => id))].filter((id) => {
    const found = clauses.filter((clause) => clause.id === id);
    const sizes = new Set(found.map((clause) => clause.clauses));
    if (sizes.size > 1) throw new Unsupported(`the model does not know conjunction ${id} with ${[...sizes].join(' and ')} clauses at once`);
    return new Set(found.map(({ clause }) => clause)).size === found[0]?.clauses;
  });
  return ids;
}

/** The flow of highest priority for packets of the conjunction `id`: whatever else matches them does as well. */
function conjoined(table: FlowTable, key: FlowKey, id: number): Found {
  const asked = key.slice();
  asked[word.conjId] = id;
  const matching = table.rules.filter((rule) => rule.clauses.length === 0 && matches(rule, asked) && !isHidden(table, rule));
  const best = matching.filter(({ flow }) => flow.priority === matching[0]?.flow.priority);
  return best.length === 0 ? nothing : one(best);
}

/** Whether a part of a conjunction has the same match and a higher priority: where a conjunction is asked for its flow, Open vSwitch does not see this one. */
function isHidden({ sameMatch }: FlowTable, { flow }: Rule): boolean {
  return sameMatch.get(printMatch(flow.match))?.some((other) => other.clauses.length > 0 && other.flow.priority > flow.priority) === true;
}

function matches(rule: Rule, key: FlowKey): boolean {
  return rule.words.every(({ word: index, mask, value }) => (((key[index] ?? 0) & mask) >>> 0) === value);
}

function matchWords({ field, value, mask: asked }: FieldMatch): Rule['words'] {
  const mask = maskOf(field, value, asked);
  const count = wordsOf(field);
  const words = Array.from({ length: count }, (_, index) => {
    const bits = (number: bigint) => Number(((number << BigInt(field.shift)) >> BigInt((count - 1 - index) * 32)) & 0xffffffffn);
    return { word: field.word + index, mask: bits(mask), value: bits(value) };
  });
  const there = field.notation === 'option' ? [{ ...presence(field), value: presence(field).mask }] : [];
  return [...words, ...there].filter(({ mask: bits }) => bits !== 0);
}
