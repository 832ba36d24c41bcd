/** What a scenario's code throws, on its way to another process. */
import { BugInFlowbed, InputError, Unsupported } from '../../base/errors/errors.js';
import { refusedByMachine } from '../../base/errors/machine-refusal.js';
import { serialiseError } from '../../base/errors/serialised-error.js';
import { describeThrown } from '../processes/guard-exit.js';
import { placeInScenario } from '../scenarios/scenario-code.js';
import type { Outcome, Thrown } from './messages.js';

/** What a function gave does not come to another process: `gave a promise`. */
export class NoData extends Error {}

/** Errors of Flowbed's stay what they are; of everything else there are words, and its place. */
export function described(thrown: unknown): Thrown {
  if (
    thrown instanceof InputError ||
    thrown instanceof Unsupported ||
    thrown instanceof BugInFlowbed ||
    refusedByMachine(thrown) !== undefined
  )
    return { kind: 'error', error: serialiseError(thrown) };
  const place = thrown instanceof Error ? placeInScenario(thrown.stack) : undefined;
  return {
    kind: 'described',
    did: thrown instanceof NoData ? thrown.message : `threw ${describeThrown(thrown)}`,
    ...(place === undefined ? {} : { place }),
  };
}

export function outcomeOf(work: () => unknown): Outcome {
  try {
    return { kind: 'given', value: work() };
  } catch (thrown) {
    return { kind: 'threw', thrown: described(thrown) };
  }
}
