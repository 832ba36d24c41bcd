/** Which flow of a table a packet belongs to: the one of highest priority that matches (OpenFlow 1.3, section 5.3), conjunctions included. */
import { InputError, Unsupported } from '../base/errors.js';
import { word, type FlowKey } from '../packet/flow-key.js';
import type { Action } from '../openflow/actions.js';
import { wordsOf } from '../openflow/fields.js';
import { printFlow, printFlowKey, type Flow } from '../openflow/flow.js';
import type { FieldMatch } from '../openflow/match.js';
import { printMatch } from '../openflow/print-match.js';
import { maskOf } from './keys.js';
import { isFilled, unknownOf } from './known.js';
import { located, presence, type OptionFields } from './options.js';

type Clause = Extract<Action, { readonly kind: 'conjunction' }>;

/** A flow ready to be matched: `key[word] & mask === value` for all of its words. */
export interface Rule {
  readonly flow: Flow;
  /** The match as ovs-ofctl prints it, made once: it names the flow. */
  readonly match: string;
  readonly actions: readonly Action[];
  /** Of the fields that the model can compare. */
  readonly words: readonly { readonly word: number; readonly mask: number; readonly value: number }[];
  /** The conjunctions that it is a part of: with any, it is no flow to be taken itself (ovs-actions(7), "conjunction"). */
  readonly clauses: readonly Clause[];
  /** What of the flow the model does not know. */
  readonly unknown: string | undefined;
  /** Whether a part of a conjunction has the same match and a higher priority: where a conjunction is asked for its flow, Open vSwitch does not see this one. */
  readonly isHidden: boolean;
}

/** Rules a table, by falling priority. */
export type Tables = ReadonlyMap<number, readonly Rule[]>;

/**
 * @param options of the bridge, where its flows have any.
 * @throws InputError when two flows have the same table, priority and match.
 */
export function compile(flows: readonly Flow[], options: OptionFields = []): Tables {
  const keys = new Set<string>();
  const tables = new Map<number, Flow[]>();
  for (const flow of flows) {
    const key = printFlowKey(flow);
    if (keys.has(key)) throw new InputError(`two flows with the same table, priority and match: ${printFlow(flow)}`);
    keys.add(key);
    tables.set(flow.table, [...(tables.get(flow.table) ?? []), flow]);
  }
  return new Map([...tables].map(([table, found]) => [table, compileTable(found, options)]));
}

function compileTable(flows: readonly Flow[], options: OptionFields): readonly Rule[] {
  const parts = new Set<string>();
  return flows.toSorted((a, b) => b.priority - a.priority).map((flow) => {
    const match = printMatch(flow.match);
    const clauses = flow.actions.filter((action) => action.kind === 'conjunction');
    const isHidden = parts.has(match);
    if (clauses.length > 0) parts.add(match);
    const own = located(flow.match, options);
    return { flow, match, clauses, isHidden, actions: located(flow.actions, options), words: own.filter(({ field }) => isFilled(field)).flatMap(matchWords), unknown: unknownOf(own) };
  });
}

/** The rule that wins; where OpenFlow leaves open which of several it is, all of them. */
export interface Found {
  readonly rule: Rule | undefined;
  readonly ties: readonly Rule[];
}

const nothing: Found = { rule: undefined, ties: [] };

/** @throws Unsupported where a rule has something that the model does not know, and all that it knows matches. */
export function lookup(tables: Tables, table: number, key: FlowKey): Found {
  const matching = (tables.get(table) ?? []).filter((rule) => matches(rule, key));
  for (let first = 0; first < matching.length; ) {
    const priority = matching[first]?.flow.priority;
    const behind = matching.findIndex((rule, index) => index > first && rule.flow.priority !== priority);
    const level = matching.slice(first, behind === -1 ? undefined : behind);
    const whole = level.filter(({ clauses }) => clauses.length === 0);
    if (whole.length > 0) return one(whole);
    const joined = completed(known(level)).map((id) => conjoined(tables.get(table) ?? [], key, id)).filter(({ rule }) => rule !== undefined);
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
function conjoined(rules: readonly Rule[], key: FlowKey, id: number): Found {
  const asked = key.slice();
  asked[word.conjId] = id;
  const matching = rules.filter((rule) => rule.clauses.length === 0 && !rule.isHidden && matches(rule, asked));
  const best = matching.filter(({ flow }) => flow.priority === matching[0]?.flow.priority);
  return best.length === 0 ? nothing : one(best);
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
