/** A recorded run, played again on fresh switches: is it the same, event by event? */
import { attempt } from '../base/outcome.js';
import { compareCounters } from '../compare/counters.js';
import { compareFrames } from '../compare/frames.js';
import { compareState } from '../compare/state.js';
import { formatFlowId } from '../nouns/switching.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { Testbed } from '../testbeds/testbed.js';
import { playAlone } from './drive.js';
import { readWitness, type ScenarioRecord, type VectorRecord } from './record.js';
import { inconclusive, type Inconclusive } from './report.js';

export type Replayed = { readonly id: string } & (
  | { readonly kind: 'same'; readonly events: number }
  | { readonly kind: 'different'; readonly first: string }
  /** It could not be played, or there is nothing to hold it against. */
  | { readonly kind: 'inconclusive'; readonly cause: Inconclusive }
);

/** Plays the recorded vectors for which `wanted` holds, in their order, on switches brought up from the recorded plan. */
export async function replay(record: ScenarioRecord, seed: number, wanted: (id: string) => boolean, openReal: (plan: ClusterPlan) => Promise<Testbed>): Promise<readonly Replayed[]> {
  const vectors = record.vectors.filter(({ vector }) => wanted(vector.id));
  const results: Replayed[] = [];
  const played = await attempt(async () => {
    const real = await openReal(record.plan);
    try {
      for (const vector of vectors) results.push(await replayVector(real, record.plan, vector, seed));
    } finally {
      await real.close();
    }
  });
  if (played.kind === 'ok') return results;
  const cause = inconclusive(played.cause);
  return [...results, ...vectors.slice(results.length).map(({ vector }) => ({ id: vector.id, kind: 'inconclusive' as const, cause }))];
}

async function replayVector(real: Testbed, plan: ClusterPlan, { vector, real: recorded }: VectorRecord, seed: number): Promise<Replayed> {
  const { id } = vector;
  if (recorded === undefined) return { id, kind: 'inconclusive', cause: { cause: 'it was not played to its end when it was recorded', evidence: [], remedies: [] } };
  await real.reset();
  const observation = await playAlone(real, plan, vector, seed);
  const counts = (await real.counts()).filter(({ packets }) => packets > 0);
  const before = readWitness(recorded);
  const [frame] = compareFrames(before.observation.frames, observation.frames, new Set()).differences;
  if (frame !== undefined) return { id, kind: 'different', first: `${frame.direction === 'in' ? 'into' : 'out of'} ${frame.port} on ${frame.node} at ${frame.timeUs} µs: recorded ${frame.expected}, now ${frame.actual}` };
  const note = observation.notes.findIndex((now, index) => JSON.stringify(now) !== JSON.stringify(before.observation.notes[index]));
  if (note >= 0 || observation.notes.length !== before.observation.notes.length) return { id, kind: 'different', first: `note ${note + 1} of the hosts: recorded ${JSON.stringify(before.observation.notes[note])}, now ${JSON.stringify(observation.notes[note])}` };
  const [counter] = compareCounters(before.counts, counts).differences;
  if (counter !== undefined) return { id, kind: 'different', first: `${formatFlowId(counter.flow)} of ${counter.flow.bridge} on ${counter.flow.node}: recorded n_packets=${counter.expected ?? 0}, now ${counter.actual ?? 0}` };
  const state = await real.state();
  const [entry] = compareState(before.state, state, 0).differences;
  if (entry !== undefined) return { id, kind: 'different', first: `${entry.about}: recorded ${entry.expected}, now ${entry.actual}` };
  return { id, kind: 'same', events: observation.frames.length + observation.notes.length + counts.length + state.connections.length + state.macs.length };
}
