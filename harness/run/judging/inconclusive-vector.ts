/** Vectors without a verdict: what would have been compared, and why it was not. */
import { yieldToEventLoop } from '../../base/concurrency/yield-to-event-loop.js';
import type { Observation } from '../../domain/observation.js';
import { expectedCounts } from '../../compare/expected-counts.js';
import { isWarm } from '../../compare/cache-count.js';
import type { TestVector } from '../../domain/test-vector.js';
import { withEmulatedHosts } from '../../lockstep/emulated-hosts.js';
import { noCounts, type Counts } from '../../domain/verdict.js';
import { visiblePorts } from './visible-ports.js';
import { passesOf } from '../passes.js';
import type { RunContext } from '../run-context.js';
import type { JudgedVector } from './vector-judgement.js';
import type { Inconclusive, VectorReport } from './vector-report.js';
import { Unsupported } from '../../base/errors/errors.js';
import { intentExpectedIn } from './expected-intent.js';

/**
 * A vector without a verdict, and why: never a pass. What would have been compared, as far as the
 * model can predict, is expected and not made.
 */
export async function inconclusiveVector(
  context: RunContext,
  vector: TestVector,
  cause: Inconclusive,
): Promise<JudgedVector> {
  await yieldToEventLoop();
  const counts = await expectedButNotMade(context, vector).catch(
    (error: unknown) => asUnknown(error).counts,
  );
  const report = {
    id: vector.id,
    stimulus: { ...vector.stimulus },
    intent: intentOrUnknown(context, vector),
    verdict: 'inconclusive' as const,
    counts,
    differences: [],
    inconclusive: cause,
  };
  return { report, record: { vector }, observed: '' };
}

/** @throws Unsupported when the model cannot predict. */
export async function expectedButNotMade(context: RunContext, vector: TestVector): Promise<Counts> {
  const { plan, model, seed } = context;
  const passes = passesOf(context, vector);
  await model.reset();
  const cluster = withEmulatedHosts(model, plan, { seed, hosts: 'start afresh' });
  const observations: Observation[] = [];
  for (const { stimulus } of passes) observations.push(await cluster.play(vector.id, stimulus));
  return expectedCounts(
    observations,
    passes.some((pass) => isWarm({ pass })) ? 'all' : 'cold',
    { counts: await model.counts(), state: await model.state() },
    visiblePorts(plan),
  );
}

/** Of a vector that the model cannot play, no more than this is known to be missing. */
export const onlyIntentCounts: Counts = {
  ...noCounts,
  intent: { expected: 2, made: 0, skipped: 0 },
};

/** Something that model or intent do not know costs this vector its verdict, and no other. */
export function asUnknown(error: unknown): {
  readonly kind: 'unknown';
  readonly cause: Unsupported;
  readonly counts: Counts;
} {
  if (error instanceof Unsupported)
    return { kind: 'unknown', cause: error, counts: onlyIntentCounts };
  throw error;
}

export function intentOrUnknown(
  context: RunContext,
  { stimulus }: TestVector,
): VectorReport['intent'] {
  try {
    return { ...intentExpectedIn(context, stimulus) };
  } catch (error) {
    return { kind: 'unknown', why: asUnknown(error).cause.message };
  }
}
