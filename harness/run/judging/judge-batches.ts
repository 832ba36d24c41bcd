/** Vectors, one after the other, on the model and on real switches in step. */
import { Disturbed } from '../../base/errors/errors.js';
import { attempt } from '../../base/errors/outcome.js';
import type { TestVector } from '../../domain/test-vector.js';
import { type Difference } from '../../domain/verdict.js';
import type { Switches } from '../../testbeds/testbed.js';
import { judgeBatch } from './judge-batch.js';
import { inconclusive, type Inconclusive } from './vector-report.js';
import type { Batch } from '../batches.js';
import type { RunContext } from '../run-context.js';
import { type JudgedVector } from './vector-judgement.js';
import { judgeVector } from './judge-vector.js';
import { asUnknown, inconclusiveVector } from './inconclusive-vector.js';
import { visiblePorts } from './visible-ports.js';

/**
 * Switches that failed once are not trusted again: what comes after stays open, and nothing is
 * tried twice. `gone` says why, where they did. Those that were disturbed are put right by the
 * next reset.
 */
export async function judgeBatches(
  context: RunContext,
  real: Switches,
  batches: readonly Batch[],
): Promise<{ readonly judged: readonly JudgedVector[]; readonly gone: Inconclusive | undefined }> {
  const ports = visiblePorts(context.plan);
  const judged: JudgedVector[] = [];
  let switchesLost: Inconclusive | undefined;
  const judgeOne = async (vector: TestVector): Promise<JudgedVector> => {
    if (switchesLost !== undefined) return await inconclusiveVector(context, vector, switchesLost);
    const outcome = await attempt(() => judgeVector(context, real, vector, ports)).catch(asUnknown);
    if (outcome.kind === 'unavailable' && !(outcome.cause instanceof Disturbed))
      switchesLost = inconclusive(outcome.cause);
    else context.onJudged();
    return outcome.kind === 'ok'
      ? outcome.value
      : await inconclusiveVector(context, vector, inconclusive(outcome.cause));
  };
  for (const batch of batches) {
    const played =
      batch.length === 1 || switchesLost !== undefined
        ? undefined
        : await attempt(() => judgeBatch(context, real, batch, ports)).catch(asUnknown);
    if (played?.kind === 'unavailable' && !(played.cause instanceof Disturbed))
      switchesLost = inconclusive(played.cause);
    const outcome = played?.kind === 'ok' ? played.value : undefined;
    if (outcome?.kind === 'conforms') {
      judged.push(...outcome.judged);
      batch.forEach(() => {
        context.onJudged();
      });
      continue;
    }
    const oneByOne: JudgedVector[] = [];
    for (const vector of batch) oneByOne.push(await judgeOne(vector));
    judged.push(
      ...(outcome?.kind === 'diverged' ? withBatchDivergence(oneByOne, outcome.where) : oneByOne),
    );
  }
  return { judged, gone: switchesLost };
}

/**
 * Vectors that conform one by one, and did not as a batch: that is a difference, reported with the
 * first of them.
 */
function withBatchDivergence(
  oneByOne: readonly JudgedVector[],
  where: string,
): readonly JudgedVector[] {
  if (oneByOne.some(({ report }) => report.verdict !== 'conforms')) return oneByOne;
  const difference: Difference = {
    aspect: 'frames',
    between: 'model and switch',
    summary:
      `a batch of ${oneByOne.length} vectors diverged, though each of them conforms when run ` +
      `alone: ${where}`,
    expected: 'the same as in the model',
    actual: where,
    afterDivergence: false,
  };
  return oneByOne.map((judged, index) =>
    index === 0
      ? { ...judged, report: { ...judged.report, verdict: 'diverges', differences: [difference] } }
      : judged,
  );
}
