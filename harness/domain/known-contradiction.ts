import type { Intent } from './intent.js';

/**
 * A promise that a control plane is known to break. A run expects that to happen and counts where
 * it does; it diverges where it does not happen any more.
 */
export interface KnownContradiction {
  /** By which L0 marks the promises that it is about: `own-node-egress`. */
  readonly name: string;
  /** The sources that contradict each other, each with its words. */
  readonly cause: string;
}

/**
 * What is expected of a control plane of which these are known: a promise, or what it does instead.
 */
export function expectedIntent(known: readonly KnownContradiction[], intent: Intent): Intent {
  if (intent.kind !== 'contradicted') return intent;
  const divergence = known.find(({ name }) => name === intent.by);
  return divergence === undefined ? intent.promise : { ...intent, cause: divergence.cause };
}
