/** A recorded run, played again on fresh switches: is it the same, event by event? */
import { attempt } from '../../base/errors/outcome.js';
import { compareCounters, describeCounterDifference } from '../../compare/compare-counters.js';
import { compareFrames } from '../../compare/compare-frames.js';
import { compareState } from '../../compare/compare-state.js';
import type { FinalState } from '../../domain/switch-state.js';
import type { FrameEvent, Observation } from '../../domain/observation.js';
import { formatFlowId } from '../../domain/switching.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Switches } from '../../testbeds/testbed.js';
import { withoutKernelChoices } from '../../testbeds/netns/kernel-choices.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { playBatch, type BatchResult } from '../../lockstep/play-batch.js';
import { replayVectors } from '../timeline/replay-vectors.js';
import {
  readObservation,
  type RecordedPass,
  type RecordedOutcome,
  type ScenarioRecord,
  type VectorRecord,
} from './run-record.js';
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
 * What is held to the record: what switches count and remember is another thing on another
 * datapath.
 */
export type HeldToRecord = 'everything' | 'frames and notes';

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
  held: HeldToRecord = 'everything',
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
        return void results.push(...(await replayTimeline(real, record, seed, wanted)));
      const cluster = withEmulatedHosts(real, record.plan, { seed, hosts: 'start afresh' });
      for (const batch of batches) {
        const records = batch.flatMap(({ id }) => recorded.get(id) ?? []);
        if (records.every(({ together }) => together !== undefined))
          results.push(
            ...(await replayBatch(real, record.plan, records, seed)).filter(({ id }) => wanted(id)),
          );
        else
          for (const vector of records)
            if (wanted(vector.vector.id))
              results.push(await replayVector(cluster, real, record.plan, vector, held));
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

async function replayBatch(
  real: Switches,
  plan: ClusterPlan,
  records: readonly VectorRecord[],
  seed: number,
): Promise<readonly ReplayResult[]> {
  const planned = records.map(({ vector: { id, stimulus }, together }) => ({
    id,
    passes: together?.passes?.map(({ pass }) => pass) ?? [{ name: 'cold' as const, stimulus }],
  }));
  const played = await playBatch(openModel(plan, real.versions), real, plan, planned, seed);
  const results = replayedBatch(records, played);
  if (results.some(({ kind }) => kind === 'different')) await real.assertUndisturbed();
  return results;
}

function replayedBatch(
  records: readonly VectorRecord[],
  played: BatchResult,
): readonly ReplayResult[] {
  return records.map(({ vector: { id }, together }, index): ReplayResult => {
    if (played.kind === 'diverged')
      return { id, kind: 'different', first: `model and switches diverge now: ${played.where}` };
    if (played.kind === 'uncached')
      return { id, kind: 'different', first: 'the caches alone answer in no pass now' };
    const observations = (played.passes[index] ?? []).map(({ observation }) => observation);
    const first = together?.passes?.flatMap(
      (pass, place) => firstDifference(pass, observations[place]) ?? [],
    )[0];
    if (first !== undefined) return { id, kind: 'different', first };
    if (played.observed[index] !== together?.observed)
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
  if (held === 'frames and notes') {
    const asChosen = withoutChoices(plan);
    const first = differenceOf(
      recorded,
      observations.map((observation) => ({
        ...observation,
        frames: observation.frames.map(asChosen),
      })),
      asChosen,
    );
    return first === undefined
      ? { id, kind: 'same', events: countEvents(observations) }
      : { id, kind: 'different', first };
  }
  return await compareWithRecord(cluster, real, plan, id, recorded, observations);
}

/** What kernels choose in outer headers is put to what is the same everywhere. */
function withoutChoices({ nodes }: ClusterPlan): (event: FrameEvent) => FrameEvent {
  // Frames come in at one node as they left another.
  const asChosen = nodes.map((node) => withoutKernelChoices(node));
  return (event) => ({
    ...event,
    frame: asChosen.reduce((frame, choose) => choose(frame), event.frame),
  });
}

function differenceOf(
  { passes }: RecordedOutcome,
  observations: readonly Observation[],
  asCompared: (event: FrameEvent) => FrameEvent = (event) => event,
): string | undefined {
  return passes.flatMap(
    (pass, index) => firstDifference(pass, observations[index], asCompared) ?? [],
  )[0];
}

async function replayTimeline(
  real: Switches,
  record: ScenarioRecord,
  seed: number,
  wanted: (id: string) => boolean,
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
  } of replayVectors({ ...record, vectors }, cluster)) {
    // The switches are asked behind every vector, as when it was recorded.
    const result =
      recorded === undefined
        ? notRecorded(id)
        : await compareWithRecord(cluster, real, record.plan, id, recorded, observations);
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

async function compareWithRecord(
  cluster: ClusterTestbed,
  real: Switches,
  plan: ClusterPlan,
  id: string,
  recorded: RecordedOutcome,
  observations: readonly Observation[],
): Promise<ReplayResult> {
  const { counts: all, state } = await cluster.observe();
  const counts = withoutChance(plan, all).filter(({ packets }) => packets > 0);
  const first =
    differenceOf(recorded, observations) ?? firstFinalStateDifference(recorded, { counts, state });
  if (first !== undefined) {
    await real.assertUndisturbed();
    return { id, kind: 'different', first };
  }
  return {
    id,
    kind: 'same',
    events:
      countEvents(observations) + counts.length + state.connections.length + state.macs.length,
  };
}

function firstDifference(
  recorded: RecordedPass,
  now: Observation = { frames: [], notes: [] },
  asCompared: (event: FrameEvent) => FrameEvent = (event) => event,
): string | undefined {
  const read = readObservation(recorded);
  const before = { ...read, frames: read.frames.map(asCompared) };
  const pass = recorded.pass.name === 'cold' ? '' : `, ${recorded.pass.name} pass`;
  const [frame] = compareFrames(before.frames, now.frames, new Set()).differences;
  if (frame !== undefined)
    return (
      `${frame.direction === 'in' ? 'into' : 'out of'} ${frame.port} on ${frame.node} at ` +
      `${frame.timeUs} µs${pass}: recorded ${frame.expected}, now ${frame.actual}`
    );
  const notePair = (index: number) =>
    [before.notes[index], now.notes[index]].map((note) => JSON.stringify(note));
  const note = Array.from(
    { length: Math.max(before.notes.length, now.notes.length) },
    (_, index) => index,
  ).find((index) => notePair(index)[0] !== notePair(index)[1]);
  return note === undefined
    ? undefined
    : `note ${note + 1} of the hosts${pass}: recorded ${notePair(note)[0]}, now ` +
        `${notePair(note)[1]}`;
}

function firstFinalStateDifference(before: FinalState, now: FinalState): string | undefined {
  const [counter] = compareCounters(before.counts, now.counts).differences;
  if (counter !== undefined) {
    const { expected, actual } = describeCounterDifference(counter);
    return (
      `${formatFlowId(counter.flow)} of ${counter.flow.bridge} on ${counter.flow.node}: ` +
      `recorded ${expected}, now ${actual}`
    );
  }
  const [entry] = compareState(before.state, now.state, 0).differences;
  return entry === undefined
    ? undefined
    : `${entry.about}: recorded ${entry.expected}, now ${entry.actual}`;
}
