/** A recorded run, played again on fresh switches: is it the same, event by event? */
import { attempt } from '../../base/errors/outcome.js';
import type { Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Switches } from '../../testbeds/testbed.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { playBatch, type BatchResult } from '../../lockstep/play-batch.js';
import { differenceFromRecord, framesDifference, type HeldToRecord } from './held-to-record.js';
import { replayVectors } from '../timeline/replay-vectors.js';
import type { RecordedOutcome, ScenarioRecord, VectorRecord } from './run-record.js';
import { inconclusive, type Inconclusive } from '../judging/vector-report.js';
import { withoutChance } from '../judging/equivalent-flows.js';
import { batchesOf } from '../batches.js';
import { withEmulatedHosts } from '../../lockstep/emulated-hosts.js';
import type { ClusterTestbed } from '../../testbeds/cluster-testbed.js';

export type ReplayResult = { readonly id: string } & (
  | { readonly kind: 'same'; readonly events: number }
  | { readonly kind: 'different'; readonly first: string }
  /** It could not be played, or there is nothing to hold it against. */
  | { readonly kind: 'inconclusive'; readonly cause: Inconclusive }
);

/**
 * Plays the recorded vectors for which `wanted` holds, in their order, on switches brought up from
 * the recorded plan. One that ran in a batch is so again, and of a timeline all
 * that was before them happens again.
 */
export async function replay(
  record: ScenarioRecord,
  seed: number,
  wanted: (id: string) => boolean,
  openReal: (plan: ClusterPlan) => Promise<Switches>,
  heldOf: (id: string) => HeldToRecord = () => 'everything',
): Promise<readonly ReplayResult[]> {
  const recorded = new Map(record.vectors.map((records) => [records.vector.id, records]));
  const batches = batchesOf(record.vectors.map(({ vector }) => vector)).filter((batch) =>
    batch.some(({ id }) => wanted(id)),
  );
  const results: ReplayResult[] = [];
  const played = await attempt(async () => {
    const real = await openReal(record.plan);
    try {
      if (record.timeline !== undefined)
        return void results.push(...(await replayTimeline(real, record, seed, { wanted, heldOf })));
      const cluster = withEmulatedHosts(real, record.plan, { seed, hosts: 'start afresh' });
      for (const batch of batches) {
        const records = batch.flatMap(({ id }) => recorded.get(id) ?? []);
        if (records.every(({ together }) => together !== undefined))
          results.push(
            ...(await replayBatch(real, record.plan, { records, heldOf }, seed)).filter(({ id }) =>
              wanted(id),
            ),
          );
        else
          for (const vector of records)
            if (wanted(vector.vector.id))
              results.push(
                await replayVector(cluster, real, record.plan, vector, heldOf(vector.vector.id)),
              );
      }
    } finally {
      await real.close();
    }
  });
  if (played.kind === 'ok') return results;
  const cause = inconclusive(played.cause);
  const missing = batches
    .flat()
    .filter(({ id }) => wanted(id))
    .slice(results.length);
  return [...results, ...missing.map(({ id }) => ({ id, kind: 'inconclusive' as const, cause }))];
}

interface RecordsOfBatch {
  readonly records: readonly VectorRecord[];
  readonly heldOf: (id: string) => HeldToRecord;
}

async function replayBatch(
  real: Switches,
  plan: ClusterPlan,
  { records, heldOf }: RecordsOfBatch,
  seed: number,
): Promise<readonly ReplayResult[]> {
  const planned = records.map(({ vector: { id, stimulus }, together }) => ({
    id,
    passes: together?.passes?.map(({ pass }) => pass) ?? [{ name: 'cold' as const, stimulus }],
  }));
  const played = await playBatch(openModel(plan, real.versions), real, plan, planned, seed);
  const results = replayedBatch(plan, { records, heldOf }, played);
  if (results.some(({ kind }) => kind === 'different')) await real.assertUndisturbed();
  return results;
}

/**
 * Of a batch in which switches did what the model does, that is what was recorded of it, too; where
 * all is held to the record, its digest has to be the same.
 */
function replayedBatch(
  plan: ClusterPlan,
  { records, heldOf }: RecordsOfBatch,
  played: BatchResult,
): readonly ReplayResult[] {
  return records.map(({ vector: { id }, together }, index): ReplayResult => {
    if (played.kind === 'diverged')
      return { id, kind: 'different', first: `model and switches diverge now: ${played.where}` };
    if (played.kind === 'uncached')
      return { id, kind: 'different', first: 'the caches alone answer in no pass now' };
    const observations = (played.passes[index] ?? []).map(({ observation }) => observation);
    const held = heldOf(id);
    const first = framesDifference(together?.passes ?? [], observations, held, plan);
    if (first !== undefined) return { id, kind: 'different', first };
    if (held === 'everything' && played.observed[index] !== together?.observed)
      return {
        id,
        kind: 'different',
        first: 'what was observed has another digest than what was recorded',
      };
    return { id, kind: 'same', events: countEvents(observations) };
  });
}

function countEvents(observations: readonly Observation[]): number {
  return observations.reduce((sum, { frames, notes }) => sum + frames.length + notes.length, 0);
}

async function replayVector(
  cluster: ClusterTestbed,
  real: Switches,
  plan: ClusterPlan,
  { vector, real: recorded }: VectorRecord,
  held: HeldToRecord,
): Promise<ReplayResult> {
  const { id } = vector;
  if (recorded === undefined) return notRecorded(id);
  await cluster.reset();
  const observations: Observation[] = [];
  for (const { pass } of recorded.passes) observations.push(await cluster.play(id, pass.stimulus));
  return await compareWithRecord({ cluster, real, plan, held }, id, recorded, observations);
}

interface Wanted {
  readonly wanted: (id: string) => boolean;
  readonly heldOf: (id: string) => HeldToRecord;
}

async function replayTimeline(
  real: Switches,
  record: ScenarioRecord,
  seed: number,
  { wanted, heldOf }: Wanted,
): Promise<readonly ReplayResult[]> {
  const last = record.vectors.findLastIndex(({ vector }) => wanted(vector.id));
  const vectors = record.vectors.slice(0, last + 1);
  const results: ReplayResult[] = [];
  const cluster = withEmulatedHosts(real, record.plan, { seed, hosts: 'keep what they know' });
  for await (const {
    recorded: {
      vector: { id },
      real: recorded,
    },
    observations,
    plan,
  } of replayVectors({ ...record, vectors }, cluster)) {
    // The switches are asked behind every vector, as when it was recorded.
    const result =
      recorded === undefined
        ? notRecorded(id)
        : await compareWithRecord(
            { cluster, real, plan, held: heldOf(id) },
            id,
            recorded,
            observations,
          );
    if (wanted(id)) results.push(result);
  }
  const played = new Set(results.map(({ id }) => id));
  return [
    ...results,
    ...vectors
      .filter(({ vector: { id } }) => wanted(id) && !played.has(id))
      .map(({ vector: { id } }) => notRecorded(id)),
  ];
}

function notRecorded(id: string): ReplayResult {
  return {
    id,
    kind: 'inconclusive',
    cause: {
      cause: 'it was not played to its end when it was recorded',
      evidence: [],
      remedies: [],
    },
  };
}

interface Played {
  readonly cluster: ClusterTestbed;
  readonly real: Switches;
  readonly plan: ClusterPlan;
  readonly held: HeldToRecord;
}

async function compareWithRecord(
  { cluster, real, plan, held }: Played,
  id: string,
  recorded: RecordedOutcome,
  observations: readonly Observation[],
): Promise<ReplayResult> {
  const { counts: all, state } = await cluster.observe();
  const counts = withoutChance(plan, all).filter(({ packets }) => packets > 0);
  const first = differenceFromRecord(recorded, { observations, counts, state }, held, plan);
  if (first !== undefined) {
    await real.assertUndisturbed();
    return { id, kind: 'different', first };
  }
  const remembered = [...state.connections, ...state.macs].length;
  return {
    id,
    kind: 'same',
    events:
      countEvents(observations) +
      (held === 'frames and notes' ? 0 : counts.length) +
      (held === 'everything' ? remembered : 0),
  };
}
