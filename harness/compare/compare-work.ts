/** What the model needed for a pass, and what the switches counted of it. */
import type { Difference } from '../domain/verdict.js';
import type { PassName } from '../domain/test-vector.js';
import type { CountedWork, Work } from '../domain/work.js';

export interface PassWork {
  readonly predicted: Work;
  /** Missing where the datapaths do not say. */
  readonly counted?: CountedWork;
}

/**
 * Lookups and recirculations are the same, packet by packet; upcalls are the switch's own affair,
 * and at most all of the lookups.
 */
export function compareWork(pass: PassName, work: PassWork | undefined): readonly Difference[] {
  const { predicted, counted } = work ?? {};
  if (predicted === undefined || counted === undefined) return [];
  return (['lookups', 'recirculations'] as const)
    .filter((kind) => predicted[kind] !== counted[kind])
    .map((kind) => ({
      aspect: 'cache',
      between: 'model and switch',
      pass,
      summary: `${kind} of the datapaths`,
      expected: String(predicted[kind]),
      actual: String(counted[kind]),
      afterDivergence: false,
    }));
}
