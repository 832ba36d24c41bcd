/**
 * Flows that come and go: the steps that all changes of a bridge's tables consist of, each of which
 * can be taken back.
 */
import type { Action, LearnAction } from '../../../openflow/actions/actions.js';
import { find, insert, remove, type Rule } from '../flow-tables.js';
import type { ModelBridge } from '../../model-bridge.js';
import { hasTimeout, recordOf, type FlowRecord } from './flow-record.js';
import { deleteLearnedActions, learnerKey } from './learners.js';

/** A flow that came, one that went, or one that came in the place of another. */
export interface Edit {
  readonly bridge: ModelBridge;
  readonly added?: Rule;
  readonly removed?: { readonly rule: Rule; readonly record: FlowRecord };
}

/**
 * Puts a flow into its table, in the place of the one with its priority and match, where there is
 * one.
 */
export function installRule(bridge: ModelBridge, rule: Rule, record: FlowRecord): Edit {
  const before = find(bridge.tables, rule);
  const removed = before === undefined ? {} : deleteRule(bridge, before);
  insert(bridge.tables, rule);
  bridge.records.set(rule, record);
  bridge.generations.program++;
  if (hasTimeout(record)) bridge.expiring.add(rule);
  bridge.isUnchanged = false;
  return { ...removed, bridge, added: rule };
}

/** Takes a flow out of its table. */
export function deleteRule(bridge: ModelBridge, rule: Rule): Edit {
  const record = recordOf(bridge, rule);
  bridge.generations.program++;
  remove(bridge.tables, rule);
  bridge.records.delete(rule);
  bridge.expiring.delete(rule);
  bridge.ids.delete(rule);
  bridge.isUnchanged = false;
  return { bridge, removed: { rule, record } };
}

/** Everything is again as it was before the edit, which is the last that was made. */
function rollBack({ bridge, added, removed }: Edit): void {
  if (added !== undefined) deleteRule(bridge, added);
  if (removed !== undefined) installRule(bridge, removed.rule, removed.record);
}

/** A change under way: what it has done so far, and how that is taken back, the last first. */
export interface FlowTransaction {
  readonly bridge: ModelBridge;
  readonly nowMs: number;
  readonly edits: Edit[];
  readonly undo: (() => void)[];
}

export function recordEdit({ edits, undo }: FlowTransaction, edit: Edit): void {
  edits.push(edit);
  undo.push(() => {
    rollBack(edit);
  });
}

/**
 * What the edits of one change lead to: where the last flow is gone that learns with
 * delete_learned, all flows of its cookie in its table go as well (ovs-actions(7), "learn";
 * ofproto/ofproto.c, learned_cookies_flush).
 */
export function flushLearnedCookies(bridge: ModelBridge, edits: readonly Edit[]): readonly Edit[] {
  const { learners } = bridge;
  for (const { added } of edits)
    for (const learn of deleteLearnedActions(added))
      learners.set(learnerKey(learn), (learners.get(learnerKey(learn)) ?? 0) + 1);
  const dead: LearnAction[] = [];
  for (const { removed } of edits) {
    for (const learn of deleteLearnedActions(removed?.rule)) {
      const left = (learners.get(learnerKey(learn)) ?? 0) - 1;
      learners.set(learnerKey(learn), left);
      if (left === 0) dead.push(learn);
    }
  }
  return dead.flatMap((learn) => {
    learners.delete(learnerKey(learn));
    const learned = rulesWith(bridge, learn).map((rule) => deleteRule(bridge, rule));
    return [...learned, ...flushLearnedCookies(bridge, learned)];
  });
}

/**
 * The flows of a cookie in a table: those that `learn` made, and any other that looks like them.
 */
export function rulesWith(
  { tables }: ModelBridge,
  { table, cookie }: Pick<LearnAction, 'table' | 'cookie'>,
): readonly Rule[] {
  return (tables.get(table)?.rules ?? []).filter(({ flow }) => flow.cookie === cookie);
}

/**
 * With the actions that stand in others, as Open vSwitch looks for one (lib/ofp-actions.c,
 * ofpact_next_flattened).
 */
export function flattened(actions: readonly Action[]): readonly Action[] {
  return actions.flatMap((action) => {
    if (action.kind === 'clone' || action.kind === 'write_actions')
      return [action, ...flattened(action.actions)];
    return action.kind === 'ct' ? [action, ...flattened(action.exec)] : [action];
  });
}
