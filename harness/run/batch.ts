/** Vectors that are played together, judged. */
import { judge } from '../compare/intent.js';
import { cacheCount, type Aftermath } from '../compare/vector.js';
import type { Observation } from '../nouns/observation.js';
import type { TestVector } from '../nouns/vector.js';
import { addCounts, noCounts, type Count, type Counts } from '../nouns/verdict.js';
import type { Switches } from '../testbeds/testbed.js';
import { playBatch, type BatchPlay, type PassTogether } from './batch-play.js';
import { expectedIn } from './expected.js';
import { passesOf } from './passes.js';
import { recordWitness, type RecordedTogether } from './record.js';
import { observedOf, siblingOf, type Judged, type Stage } from './vector-run.js';

/**
 * `parted`: model and switches did not do the same, or a promise was not kept; which vector it was
 * only playing them alone tells. `uncached`: what the caches alone answer was not seen.
 */
export type BatchOutcome =
  | { readonly kind: 'conforms'; readonly judged: readonly Judged[] }
  | Exclude<BatchPlay, { readonly kind: 'alike' }>;

/**
 * Each vector's promises are judged by its own hosts; that nothing else came out anywhere, each
 * call has shown.
 */
export async function judgeBatch(
  stage: Stage,
  real: Switches,
  vectors: readonly TestVector[],
  ports: ReadonlySet<string>,
): Promise<BatchOutcome> {
  const { plan, model, seed } = stage;
  const planned = vectors.map((vector) => passesOf(stage, vector));
  const played = await playBatch(
    model,
    real,
    plan,
    vectors.map(({ id }, index) => ({ id, passes: planned[index] ?? [] })),
    seed,
  );
  if (played.kind === 'parted') await real.counts(); // it throws where they were disturbed
  if (played.kind !== 'alike') return played;
  const judged: Judged[] = [];
  for (const [index, vector] of vectors.entries()) {
    const passes = played.passes[index] ?? [];
    const observed = played.observed[index] ?? '';
    for (const {
      pass: { name, stimulus },
      observation,
    } of passes) {
      const broken = judge(expectedIn(stage, stimulus), stimulus, observation);
      if (broken !== undefined)
        return {
          kind: 'parted',
          where:
            `what was promised of ${vector.id}${name === 'cold' ? '' : `, ${name} pass`}: ` +
            broken.actual,
        };
    }
    const own = addCounts([
      ...passes.map(({ observation }) => ({
        ...noCounts,
        intent: both,
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
        intent: { ...expectedIn(stage, vector.stimulus) },
        ...siblingOf(stage, planned[index] ?? []),
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
            : recordTogether(passes, index === 0 ? played.left : undefined)),
        },
      },
      observed,
    });
  }
  return { kind: 'conforms', judged };
}

function recordTogether(
  passes: readonly PassTogether[],
  left: Aftermath | undefined,
): Omit<RecordedTogether, 'observed'> {
  const { passes: recorded, ...rest } = recordWitness(
    passes.map(({ pass, observation }) => ({ pass, real: observation })),
    left ?? { counts: [], state: { connections: [], macs: [] } },
  );
  return { passes: recorded, ...(left === undefined ? {} : { left: rest }) };
}

const both: Count = { expected: 2, made: 2, skipped: 0 };

function framesOf(
  { frames }: Observation,
  ports: ReadonlySet<string>,
): Pick<Counts, 'frames' | 'silence'> {
  const speaking = new Set(
    frames
      .filter(({ direction }) => direction === 'out')
      .map(({ node, port }) => `${node} ${port}`),
  ).size;
  const count = (comparisons: number): Count => ({
    expected: comparisons,
    made: comparisons,
    skipped: 0,
  });
  return { frames: count(frames.length), silence: count(ports.size - speaking) };
}
