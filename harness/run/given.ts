/** What a scenario's functions give, held to what it has to be: it comes from people, and types are stripped unread. */
import type { History } from '../nouns/history.js';
import type { Intent } from '../nouns/intent.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { Predecessor } from '../nouns/scenario.js';
import type { Topology } from '../nouns/topology.js';
import type { TestVector } from '../nouns/vector.js';

export interface Given {
  readonly topology: Topology;
  readonly vectors: readonly TestVector[];
  readonly plan: ClusterPlan;
  readonly intent: Intent;
  readonly after: Predecessor<Readonly<Record<string, string>>> | undefined;
  readonly history: History;
}

/** What is wrong with it, to stand behind "gave"; undefined where nothing is. */
export function checkGiven(kind: keyof Given, given: unknown): string | undefined {
  if (given instanceof Promise) return 'a promise: it has to give what it is asked for at once';
  if (given === undefined) return kind === 'after' ? undefined : 'nothing';
  if (typeof given !== 'object' || given === null) return `${JSON.stringify(given)}, which is no ${kind}`;
  return undefined;
}
