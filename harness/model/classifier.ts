/** Which flow of a table a packet belongs to: the one of highest priority that matches (OpenFlow 1.3, section 5.3). */
import { InputError, Unsupported } from '../base/errors.js';
import type { FlowKey } from '../packet/flow-key.js';
import { wordsOf } from '../openflow/fields.js';
import { printFlow, printFlowKey, type Flow } from '../openflow/flow.js';
import type { FieldMatch } from '../openflow/match.js';
import { printMatch } from '../openflow/print-match.js';
import { isFilled, unknownOf } from './known.js';

/** A flow ready to be matched: `key[word] & mask === value` for all of its words. */
export interface Rule {
  readonly flow: Flow;
  /** The match as ovs-ofctl prints it, made once: it names the flow. */
  readonly match: string;
  /** Of the fields that the model can compare. */
  readonly words: readonly { readonly word: number; readonly mask: number; readonly value: number }[];
  /** What of the flow the model does not know. */
  readonly unknown: string | undefined;
}

/** Rules a table, by falling priority. */
export type Tables = ReadonlyMap<number, readonly Rule[]>;

/** @throws InputError when two flows have the same table, priority and match. */
export function compile(flows: readonly Flow[]): Tables {
  const keys = new Set<string>();
  const tables = new Map<number, Rule[]>();
  for (const flow of flows) {
    const key = printFlowKey(flow);
    if (keys.has(key)) throw new InputError(`two flows with the same table, priority and match: ${printFlow(flow)}`);
    keys.add(key);
    const rules = tables.get(flow.table) ?? [];
    tables.set(flow.table, rules);
    rules.push({ flow, match: printMatch(flow.match), words: flow.match.filter(({ field }) => isFilled(field)).flatMap(matchWords), unknown: unknownOf(flow) });
  }
  for (const rules of tables.values()) rules.sort((a, b) => b.flow.priority - a.flow.priority);
  return tables;
}

/**
 * The rule that wins, and any other of its priority that matches too: OpenFlow leaves open which of them it is.
 * @throws Unsupported where one of them has something that the model does not know, and all that it knows matches.
 */
export function lookup(tables: Tables, table: number, key: FlowKey): { readonly rule: Rule | undefined; readonly ties: readonly Rule[] } {
  const rules = tables.get(table) ?? [];
  const first = rules.findIndex((rule) => matches(rule, key));
  const rule = rules[first];
  if (rule === undefined) return { rule, ties: [] };
  const ties: Rule[] = [];
  for (let index = first + 1; rules[index]?.flow.priority === rule.flow.priority; index++) {
    const other = rules[index];
    if (other !== undefined && matches(other, key)) ties.push(other);
  }
  for (const candidate of [rule, ...ties]) if (candidate.unknown !== undefined) throw new Unsupported(`the model does not know ${candidate.unknown} of ${printFlow(candidate.flow)}`);
  return { rule, ties };
}

function matches(rule: Rule, key: FlowKey): boolean {
  return rule.words.every(({ word, mask, value }) => (((key[word] ?? 0) & mask) >>> 0) === value);
}

function matchWords({ field, value, mask }: FieldMatch): Rule['words'] {
  const count = wordsOf(field);
  return Array.from({ length: count }, (_, index) => {
    const bits = (number: bigint) => Number(((number << BigInt(field.shift)) >> BigInt((count - 1 - index) * 32)) & 0xffffffffn);
    return { word: field.word + index, mask: bits(mask), value: bits(value) };
  }).filter(({ mask: bits }) => bits !== 0);
}
