/**
 * A batch of vectors: in each pass neighbours first, then all of them; then their final state.
 */
import { sha256 } from '../base/files/digest.js';
import { Unsupported } from '../base/errors/errors.js';
import { type InitialCounts } from '../compare/unmatched.js';
import { isCached, isWarm, type PassLookups } from '../compare/cache-count.js';
import type { FinalState } from '../domain/switch-state.js';
import type { KnownNeighbours } from '../fabric/stack/host.js';
import { nextHop } from '../fabric/stack/next-hop.js';
import type { Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import { passNames, type Pass, type Stimulus } from '../domain/test-vector.js';
import { type Counts } from '../domain/verdict.js';
import type { Reference } from '../testbeds/reference.js';
import type { Switches } from '../testbeds/testbed.js';
import { canonicalTrace } from './canonical-trace.js';
import { drawsFor } from './vector-randomness.js';
import { lookupsSince } from './play-in-lockstep.js';
import { playBatchPass, type BatchedStimulus } from './play-batch-pass.js';
import { compareBatchState } from './compare-batch-state.js';

/** A vector, and the passes that it is to be played in. */
export interface PlannedVector {
  readonly id: string;
  readonly passes: readonly Pass[];
}

/** One pass of one vector; cache lookups are those of the whole batch. */
export interface BatchedPass extends PassLookups {
  readonly pass: Pass;
  /** Of both sides: their outputs are the same. */
  readonly observation: Observation;
}

/**
 * `diverged`: model and switches did not do the same; only one by one shows which vector it was.
 * `uncached`: the caches alone answered in no pass.
 */
export type BatchResult =
  | {
      readonly kind: 'alike';
      /** Of each vector, those that were played. */
      readonly passes: readonly (readonly BatchedPass[])[];
      /**
       * Of each, a digest of what was observed of the switches; with the first, of the final state
       * of all of them.
       */
      readonly observed: readonly string[];
      /** Their final state in the switches. */
      readonly finalState: FinalState;
      /** What was compared once for all of them. */
      readonly counts: Counts;
    }
  | { readonly kind: 'diverged'; readonly where: string }
  | { readonly kind: 'uncached' };

/**
 * Plays the vectors between two resets of both sides, pass by pass. Neighbours are asked for first,
 * by ARP through the same switches. Counters and what is remembered are compared for all of them
 * and all passes; of flows of equal priority that do the same, the sum of their counters is.
 * @throws Unsupported where the model cannot predict, and where packets have met a flow that
 *   learns: then they decide over each other.
 */
export async function playBatch(
  model: Reference,
  real: Switches,
  plan: ClusterPlan,
  vectors: readonly PlannedVector[],
  seed: number,
): Promise<BatchResult> {
  await Promise.all([model.reset(), real.reset()]);
  const initial: InitialCounts = { model: await model.counts(), real: await real.counts() };
  const played = await playPasses({ model, real, plan, vectors, seed }, initial);
  const learnFlow = model.matchedLearnFlow();
  if (learnFlow !== undefined)
    throw new Unsupported(
      'packets have met a flow that learns from them, so that they decide over others: ' +
        `${learnFlow}`,
    );
  return played;
}

/** The two sides of a batch, and what is played on them. */
interface Batch {
  readonly model: Reference;
  readonly real: Switches;
  readonly plan: ClusterPlan;
  readonly vectors: readonly PlannedVector[];
  readonly seed: number;
}

async function playPasses(batch: Batch, initial: InitialCounts): Promise<BatchResult> {
  const { model, real, plan, vectors } = batch;
  const passes: BatchedPass[][] = vectors.map(() => []);
  for (const name of passNames) {
    if (name === 'cached' && passes.flat().some(isCached)) continue;
    const played = await playPass(batch, name);
    if (played.kind === 'diverged') return played;
    for (const { index, pass } of played.passes) passes[index]?.push(pass);
  }
  if (passes.flat().some(isWarm) && !passes.flat().some(isCached)) return { kind: 'uncached' };
  const final = await compareBatchState(model, real, plan, initial);
  if (final.kind === 'diverged') return final;
  return {
    kind: 'alike',
    passes,
    finalState: final.state,
    observed: vectors.map(({ id }, index) =>
      sha256(
        canonicalTrace(
          id,
          (passes[index] ?? []).map(({ pass, observation }) => ({ pass, real: observation })),
          index === 0 ? final.state : noFinalState,
        ),
      ),
    ),
    counts: final.counts,
  };
}

type BatchPassResult =
  | {
      readonly kind: 'alike';
      /** With the index of the vector that each is of. */
      readonly passes: readonly { readonly index: number; readonly pass: BatchedPass }[];
    }
  | Extract<BatchResult, { readonly kind: 'diverged' }>;

/** One pass of all vectors that have it, once senders know their neighbours. */
async function playPass(
  { model, real, plan, vectors, seed }: Batch,
  name: Pass['name'],
): Promise<BatchPassResult> {
  const passRuns = vectors.flatMap(({ id, passes: planned }, index) =>
    planned.filter((pass) => pass.name === name).map((pass) => ({ id, index, pass })),
  );
  const before = real.lookups();
  const arpStimuli = arpRequests(
    plan,
    passRuns.map(({ pass: { stimulus } }) => stimulus),
  );
  const resolved = await playBatchPass(
    model,
    real,
    plan,
    arpStimuli.map(
      (stimulus): BatchedStimulus => ({ stimulus, draws: drawsFor(seed, 'neighbours') }),
    ),
    new Map(),
  );
  if (resolved.kind === 'diverged') return resolved;
  const played = await playBatchPass(
    model,
    real,
    plan,
    passRuns.map(
      ({ id, pass: { stimulus } }): BatchedStimulus => ({ stimulus, draws: drawsFor(seed, id) }),
    ),
    neighboursIn(resolved.observations),
  );
  if (played.kind === 'diverged') return played;
  const lookups = lookupsSince(before, real);
  return {
    kind: 'alike',
    passes: passRuns.map(({ index, pass }, place) => ({
      index,
      pass: { pass, lookups, observation: played.observations[place] ?? noObservation },
    })),
  };
}

const noObservation: Observation = { frames: [], notes: [] };
const noFinalState: FinalState = { counts: [], state: { connections: [], macs: [] } };

/** What senders and those who answer them will have to ask, each question once. */
function arpRequests(plan: ClusterPlan, stimuli: readonly Stimulus[]): readonly Stimulus[] {
  const hosts = [...plan.nodes.flatMap((node) => node.hosts), ...(plan.externalHosts ?? [])];
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const byAddress = new Map(
    hosts.flatMap((host) => host.interfaces.map(({ ip }) => [ip, host] as const)),
  );
  /** Who sends on what pods send to the outside. */
  const nodeOf = new Map(
    plan.nodes.flatMap((node) =>
      node.hosts.map(({ name }) => [name, byName.get(node.node)] as const),
    ),
  );
  const wanted = new Map<string, Stimulus>();
  /**
   * `host` asks for its next hop on the way to `destination`: gives the address that it asks from,
   * where it has any to ask.
   */
  const want = (
    host: HostPlan | undefined,
    destination: string | undefined,
  ): string | undefined => {
    if (host === undefined || destination === undefined) return undefined;
    const hop = nextHop(host, destination);
    if (hop === undefined) return undefined;
    wanted.set(`${host.name} ${hop.ip}`, { kind: 'arp', from: host.name, target: hop.ip });
    return hop.via.ip;
  };
  for (const stimulus of stimuli) {
    if (!('to' in stimulus)) continue;
    const target = byAddress.get(stimulus.to);
    want(target, want(byName.get(stimulus.from), stimulus.to));
    if (target?.kind === 'external') want(target, want(nodeOf.get(stimulus.from), stimulus.to));
  }
  return [...wanted.values()];
}

function neighboursIn(observations: readonly Observation[]): KnownNeighbours {
  const known = new Map<string, Map<string, string>>();
  for (const note of observations.flatMap(({ notes }) => notes)) {
    if (note.kind !== 'resolved') continue;
    const own = known.get(note.host) ?? new Map<string, string>();
    known.set(note.host, own.set(note.ip, note.mac));
  }
  return known;
}
