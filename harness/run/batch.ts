/** Vectors that are played together, judged. */
import { judge } from '../compare/intent.js';
import type { Observation } from '../nouns/observation.js';
import type { TestVector } from '../nouns/vector.js';
import { addCounts, noCounts, type Count, type Counts } from '../nouns/verdict.js';
import type { Switches } from '../testbeds/testbed.js';
import { playBatch } from './batch-play.js';
import type { Judged, Stage } from './vector-run.js';

/** `parted`: model and switches did not do the same, or a promise was not kept; which vector it was only playing them alone tells. */
export type BatchOutcome = { readonly kind: 'conforms'; readonly judged: readonly Judged[] } | { readonly kind: 'parted'; readonly where: string };

/** Each vector's promise is judged by its own hosts; that nothing else came out anywhere, each call has shown. */
export async function judgeBatch({ scenario, topology, plan, model, seed }: Stage, real: Switches, vectors: readonly TestVector[], ports: ReadonlySet<string>): Promise<BatchOutcome> {
  const played = await playBatch(model, real, plan, vectors, seed);
  if (played.kind === 'parted') return played;
  const judged: Judged[] = [];
  for (const [index, vector] of vectors.entries()) {
    const observation = played.observations[index] ?? { frames: [], notes: [] };
    const observed = played.observed[index] ?? '';
    const intent = scenario.intent(topology, vector.stimulus);
    const broken = judge(intent, vector.stimulus, observation);
    if (broken !== undefined) return { kind: 'parted', where: `what was promised of ${vector.id}: ${broken.actual}` };
    const own = { ...noCounts, intent: both, ...framesOf(observation, ports) };
    judged.push({
      report: { id: vector.id, stimulus: { ...vector.stimulus }, intent: { ...intent }, verdict: 'conforms', counts: index === 0 ? addCounts([own, played.counts]) : own, differences: [] },
      record: { vector, together: { observed } },
      observed,
    });
  }
  return { kind: 'conforms', judged };
}

const both: Count = { expected: 2, made: 2, skipped: 0 };

function framesOf({ frames }: Observation, ports: ReadonlySet<string>): Pick<Counts, 'frames' | 'silence'> {
  const speaking = new Set(frames.filter(({ direction }) => direction === 'out').map(({ node, port }) => `${node} ${port}`)).size;
  const count = (comparisons: number): Count => ({ expected: comparisons, made: comparisons, skipped: 0 });
  return { frames: count(frames.length), silence: count(ports.size - speaking) };
}
