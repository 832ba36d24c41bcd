/** The flow tables of a bridge: flows come and go one by one, without a scan of the others. */
import { InputError } from '../../base/errors/errors.js';
import { printFlow, type Flow } from '../../openflow/flows/flow.js';
import { ruleOf, type Rule } from './classifier/rule.js';
import {
  emptySubtable,
  insertRule,
  subtableName,
  removeRule,
  type Subtable,
} from './classifier/subtable.js';
import { bucketWith } from './classifier/hash-subtable.js';
import { matchWords } from './classifier/match-words.js';
import type { OptionFields } from '../fields/tunnel-options.js';
import type { FlowTable, FlowTables } from './flow-table.js';

export { lookup, type LookupResult } from './classifier/lookup.js';
export { ruleOf, type Rule } from './classifier/rule.js';

/**
 * @param options of the bridge, where its flows have any.
 * @throws InputError when two flows have the same table, priority and match.
 */
export function compile(flows: readonly Flow[], options: OptionFields = []): FlowTables {
  const tables: FlowTables = new Map();
  for (const flow of flows) {
    const before = insert(tables, ruleOf(flow, options));
    if (before !== undefined)
      throw new InputError(`two flows with the same table, priority and match: ${printFlow(flow)}`);
  }
  return tables;
}

/**
 * Puts a rule into its table, in the place of the one with its priority and match: that one, if
 * there was any, is returned.
 */
export function insert(tables: FlowTables, rule: Rule): Rule | undefined {
  const table = tables.get(rule.flow.table) ?? { rules: [], subtables: [] };
  tables.set(rule.flow.table, table);
  const slot = slotOf(table, rule);
  const before = heldIn(slot, rule);
  if (before !== undefined) takeOut(table, slot, before);
  const { subtable, values } = slot;
  if (subtable.priorityMax < 0) table.subtables.push(subtable);
  insertRule(subtable, values, rule);
  table.subtables.sort(byPriority);
  table.rules.splice(placeBehind(table.rules, rule.flow.priority), 0, rule);
  return before;
}

/** Takes a rule out of its table, where it is in it. */
export function remove(tables: FlowTables, rule: Rule): void {
  const table = tables.get(rule.flow.table);
  if (table === undefined) return;
  const slot = slotOf(table, rule);
  if (heldIn(slot, rule) === rule) takeOut(table, slot, rule);
}

/** The rule with the table, priority and match of this one: what OpenFlow calls the same flow. */
export function find(tables: FlowTables, rule: Rule): Rule | undefined {
  const table = tables.get(rule.flow.table);
  return table === undefined ? undefined : heldIn(slotOf(table, rule), rule);
}

/**
 * Where a match belongs in a table: a subtable, which is new where it is empty, and the values
 * there.
 */
interface Slot {
  readonly subtable: Subtable;
  readonly values: readonly number[];
}

function slotOf({ subtables }: FlowTable, rule: Rule): Slot {
  const words = matchWords(rule.match);
  const name = subtableName(words, rule);
  return {
    subtable: subtables.find((known) => known.name === name) ?? emptySubtable(name, words),
    values: words.values,
  };
}

function heldIn({ subtable, values }: Slot, { flow: { priority } }: Rule): Rule | undefined {
  return bucketWith(subtable, values)?.items.find(({ flow }) => flow.priority === priority);
}

function takeOut({ rules, subtables }: FlowTable, { subtable, values }: Slot, rule: Rule): void {
  removeRule(subtable, values, rule);
  if (subtable.priorityMax < 0) subtables.splice(subtables.indexOf(subtable), 1);
  subtables.sort(byPriority);
  rules.splice(rules.indexOf(rule, placeBehind(rules, rule.flow.priority + 1)), 1);
}

/** All rules, by table, there by falling priority, and in the order in which they came. */
export function rulesOf(tables: FlowTables): readonly Rule[] {
  const all: Rule[] = [];
  for (const { rules } of tables.values()) for (const rule of rules) all.push(rule);
  return all;
}

function byPriority(one: Subtable, other: Subtable): number {
  return other.priorityMax - one.priorityMax;
}

/** Behind all rules of this priority and above. */
function placeBehind(rules: readonly Rule[], priority: number): number {
  let [from, to] = [0, rules.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rules[middle]?.flow.priority ?? 0) >= priority) from = middle + 1;
    else to = middle;
  }
  return from;
}
