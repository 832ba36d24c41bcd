/** A batch of vectors, judged. */
import { judgeIntent } from '../../compare/judge-intent.js';
import { cacheCount } from '../../compare/cache-count.js';
import type { FinalState } from '../../domain/switch-state.js';
import type { Observation } from '../../domain/observation.js';
import type { TestVector } from '../../domain/test-vector.js';
import { addCounts, noCounts, type Count, type Counts } from '../../domain/verdict.js';
import type { Switches } from '../../testbeds/testbed.js';
import { playBatch, type BatchResult, type BatchedPass } from '../../lockstep/play-batch.js';
import { intentExpectedIn, intentOfPass } from './expected-intent.js';
import { passesOf } from '../passes.js';
import { recordOutcome, type RecordedBatch } from '../records/run-record.js';
import { siblingOf, observedOf, type JudgedVector } from './vector-judgement.js';
import type { RunContext } from '../run-context.js';
import { assertUndisturbed } from '../../lockstep/play-in-lockstep.js';

/**
 * `parted`: model and switches did not do the same, or a promise was not kept; which vector it was
 * only running them one by one shows it. `uncached`: what the caches alone answer was not seen.
 */
export type BatchOutcome =
  | { readonly kind: 'conforms'; readonly judged: readonly JudgedVector[] }
  | Exclude<BatchResult, { readonly kind: 'alike' }>;

/**
 * Each vector's promises are judged by its own hosts; that nothing else came out anywhere, each
 * call has shown.
 */
export async function judgeBatch(
  context: RunContext,
  real: Switches,
  vectors: readonly TestVector[],
  ports: ReadonlySet<string>,
): Promise<BatchOutcome> {
  const { plan, model, seed } = context;
  const planned = vectors.map((vector) => passesOf(context, vector));
  const played = await playBatch(
    model,
    real,
    plan,
    vectors.map(({ id }, index) => ({ id, passes: planned[index] ?? [] })),
    seed,
  );
  if (played.kind === 'diverged') await assertUndisturbed(model, real);
  if (played.kind !== 'alike') return played;
  const judged: JudgedVector[] = [];
  for (const [index, vector] of vectors.entries()) {
    const passes = played.passes[index] ?? [];
    const observed = played.observed[index] ?? '';
    for (const { pass, observation } of passes) {
      const { name, stimulus } = pass;
      const broken = judgeIntent(intentOfPass(context, pass), stimulus, observation);
      if (broken !== undefined)
        return {
          kind: 'diverged',
          where:
            `what was promised of ${vector.id}${name === 'cold' ? '' : `, ${name} pass`}: ` +
            broken.actual,
        };
    }
    const own = addCounts([
      ...passes.map(({ observation }) => ({
        ...noCounts,
        intent: bothLevels,
        ...framesOf(observation, ports),
      })),
      {
        ...noCounts,
        cache: cacheCount(
          passes.map(({ observation, ...pass }) => ({ ...pass, model: observation })),
        ),
      },
    ]);
    judged.push({
      report: {
        id: vector.id,
        stimulus: { ...vector.stimulus },
        intent: { ...intentExpectedIn(context, vector.stimulus) },
        ...siblingOf(context, planned[index] ?? []),
        ...observedOf(vector, passes[0]?.observation),
        verdict: 'conforms',
        counts: index === 0 ? addCounts([own, played.counts]) : own,
        differences: [],
      },
      record: {
        vector,
        together: {
          observed,
          ...(vector.depth === 'cold'
            ? {}
            : recordBatch(passes, index === 0 ? played.finalState : undefined)),
        },
      },
      observed,
    });
  }
  return { kind: 'conforms', judged };
}

function recordBatch(
  passes: readonly BatchedPass[],
  finalState: FinalState | undefined,
): Omit<RecordedBatch, 'observed'> {
  const { passes: recorded, ...rest } = recordOutcome(
    passes.map(({ pass, observation }) => ({ pass, real: observation })),
    finalState ?? { counts: [], state: { connections: [], macs: [] } },
  );
  return { passes: recorded, ...(finalState === undefined ? {} : { left: rest }) };
}

const bothLevels: Count = { expected: 2, made: 2, skipped: 0 };

function framesOf(
  { frames }: Observation,
  ports: ReadonlySet<string>,
): Pick<Counts, 'frames' | 'silence'> {
  const portsWithOutput = new Set(
    frames
      .filter(({ direction }) => direction === 'out')
      .map(({ node, port }) => `${node} ${port}`),
  ).size;
  const count = (comparisons: number): Count => ({
    expected: comparisons,
    made: comparisons,
    skipped: 0,
  });
  return { frames: count(frames.length), silence: count(ports.size - portsWithOutput) };
}
