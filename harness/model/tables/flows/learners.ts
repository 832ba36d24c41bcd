/** Flows that learn with delete_learned: what they learned goes with the last of them. */
import type { LearnAction } from '../../../openflow/actions/actions.js';
import type { Rule } from '../flow-tables.js';

/** How many learning flows with delete_learned there are, by table and cookie. */
export function countLearners(rules: readonly Rule[]): Map<string, number> {
  const learners = new Map<string, number>();
  for (const learn of rules.flatMap(deleteLearnedActions))
    learners.set(learnerKey(learn), (learners.get(learnerKey(learn)) ?? 0) + 1);
  return learners;
}

/** Of those that do not stand in other actions: Open vSwitch does not look there for it. */
export function deleteLearnedActions(rule: Rule | undefined): readonly LearnAction[] {
  return (rule?.flow.actions ?? [])
    .filter((action) => action.kind === 'learn')
    .filter(({ deleteLearned }) => deleteLearned);
}

export function learnerKey({ table, cookie }: LearnAction): string {
  return `${table} ${cookie}`;
}
