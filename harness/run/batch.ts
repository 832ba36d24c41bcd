/** Vectors that are played together, judged. */
import { sha256 } from '../base/digest.js';
import { compareCounters, withSums } from '../compare/counters.js';
import { judge } from '../compare/intent.js';
import { compareState } from '../compare/state.js';
import type { Aftermath } from '../compare/vector.js';
import type { KnownNeighbours } from '../fabric/host.js';
import { nextHop } from '../fabric/routing.js';
import type { Observation } from '../nouns/observation.js';
import type { ClusterPlan, HostPlan } from '../nouns/plan.js';
import type { Stimulus, TestVector } from '../nouns/vector.js';
import { addCounts, noCounts, type Count, type Counts } from '../nouns/verdict.js';
import type { Switches } from '../testbeds/testbed.js';
import { canonicalTrace } from './canonical-trace.js';
import { draw } from './drive.js';
import { playTogether, type Sending } from './together.js';
import type { Judged, Stage } from './vector-run.js';

/** `parted`: model and switches did not do the same, or a promise was not kept; which vector it was only playing them alone tells. */
export type BatchOutcome = { readonly kind: 'conforms'; readonly judged: readonly Judged[] } | { readonly kind: 'parted'; readonly where: string };

/**
 * Plays the vectors between two resets of both sides. Neighbours are asked for first, by ARP through the same switches. Each vector's promise is
 * judged by its own hosts; that nothing else came out anywhere, each call has shown; counters and what is remembered are compared for all of them. Of
 * flows of equal priority that do the same, the sum of their counters is.
 */
export async function judgeBatch(stage: Stage, real: Switches, vectors: readonly TestVector[], ports: ReadonlySet<string>): Promise<BatchOutcome> {
  const { scenario, topology, plan, model, seed } = stage;
  await Promise.all([model.reset(), real.reset()]);
  const asked = arpRequests(plan, vectors.map(({ stimulus }) => stimulus));
  const resolved = await playTogether(model, real, plan, asked.map((stimulus): Sending => ({ stimulus, draws: draw(seed, 'neighbours') })), new Map());
  if (resolved.kind === 'parted') return resolved;
  const played = await playTogether(model, real, plan, vectors.map(({ id, stimulus }): Sending => ({ stimulus, draws: draw(seed, id) })), neighboursIn(resolved.observations));
  if (played.kind === 'parted') return played;
  const [counts, state, strays] = [await real.counts(), await real.state(), await real.strays()];
  const leftOpen = model.leftOpen();
  const counters = compareCounters(withSums(await model.counts(), leftOpen), withSums(counts, leftOpen));
  const remembered = compareState(await model.state(), state, plan.nodes.length);
  if (strays.length > 0) return { kind: 'parted', where: `a frame out of ${strays[0]?.port ?? ''} on ${strays[0]?.node ?? ''} after all was over` };
  if (counters.differences.length > 0) return { kind: 'parted', where: 'what flows counted' };
  if (remembered.differences.length > 0) return { kind: 'parted', where: `what is remembered: ${remembered.differences[0]?.about ?? ''}` };
  const ofAll: Counts = { ...noCounts, counters: counters.count, connections: remembered.connections, macs: remembered.macs };
  const judged: Judged[] = [];
  for (const [index, vector] of vectors.entries()) {
    const observation = played.observations[index] ?? { frames: [], notes: [] };
    const intent = scenario.intent(topology, vector.stimulus);
    const broken = judge(intent, vector.stimulus, observation);
    if (broken !== undefined) return { kind: 'parted', where: `what was promised of ${vector.id}: ${broken.actual}` };
    const own = { ...noCounts, intent: both, ...framesOf(observation, ports) };
    judged.push({
      report: { id: vector.id, stimulus: { ...vector.stimulus }, intent: { ...intent }, verdict: 'conforms', counts: index === 0 ? addCounts([own, ofAll]) : own, differences: [] },
      record: { vector },
      observed: sha256(canonicalTrace(vector.id, [{ pass: { name: 'cold' }, real: observation }], index === 0 ? { counts: withSums(counts, leftOpen), state } : nothing)),
    });
  }
  return { kind: 'conforms', judged };
}

/** What is left behind is told with the first of them. */
const nothing: Aftermath = { counts: [], state: { connections: [], macs: [] } };

const both: Count = { expected: 2, made: 2, skipped: 0 };

function framesOf({ frames }: Observation, ports: ReadonlySet<string>): Pick<Counts, 'frames' | 'silence'> {
  const speaking = new Set(frames.filter(({ direction }) => direction === 'out').map(({ node, port }) => `${node} ${port}`)).size;
  const count = (comparisons: number): Count => ({ expected: comparisons, made: comparisons, skipped: 0 });
  return { frames: count(frames.length), silence: count(ports.size - speaking) };
}

/** What senders and those who answer them will have to ask, each question once. */
function arpRequests(plan: ClusterPlan, stimuli: readonly Stimulus[]): readonly Stimulus[] {
  const hosts = [...plan.nodes.flatMap((node) => node.hosts), ...(plan.externalHosts ?? [])];
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const byAddress = new Map(hosts.flatMap((host) => host.interfaces.map(({ ip }) => [ip, host] as const)));
  const wanted = new Map<string, Stimulus>();
  const want = (host: HostPlan | undefined, destination: string): string | undefined => {
    const hop = host === undefined ? undefined : nextHop(host, destination);
    if (host === undefined || hop === undefined) return undefined;
    wanted.set(`${host.name} ${hop.ip}`, { kind: 'arp', from: host.name, target: hop.ip });
    return hop.via.ip;
  };
  for (const stimulus of stimuli) {
    if (!('to' in stimulus)) continue;
    const source = want(byName.get(stimulus.from), stimulus.to);
    if (source !== undefined) want(byAddress.get(stimulus.to), source);
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
