/** What a unit of traffic needs on a path, by the model: exact, and the same on every run. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Observation } from '../domain/observation.js';
import type { SwitchCall } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import { workSince, type WorkKind } from '../domain/work.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';
import { hostWork } from '../run/judging/host-work.js';
import { firstCandidateOracle as oracle } from '../model/ambiguity.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { TrafficPath } from './reference-paths.js';
import { measureOf, type Measure, type MeasureName } from './measures.js';

/** What needs of a path are fitted to: the others follow from these, packet by packet. */
export const fittedKinds = [
  'outputs',
  'ends',
  'forwards',
  'conntrack',
  'nat',
  'rewrites',
  'encapsulations',
] as const;
export type PathWork = Readonly<
  Record<WorkKind | 'hostPasses' | 'relays' | 'ends' | 'forwards', number>
>;

/**
 * A unit is a segment there and what answers it, a datagram there and back, or a connection that is
 * opened and closed. The second of its kind is counted: by then caches and neighbours are known.
 * @throws Error where the path does not carry it in the model.
 */
export async function workOfPath(
  plan: ClusterPlan,
  path: TrafficPath,
  measure: MeasureName,
): Promise<PathWork> {
  const { counts } = measureOf(measure);
  const model = openModel(plan);
  // Of flows of equal priority any one has the same work.
  const decided = { ...model, call: (calls: readonly SwitchCall[]) => model.call(calls, oracle) };
  const hosts = withEmulatedHosts(decided, plan, { seed: 1, hosts: 'keep what they know' });
  await hosts.reset();
  const [first, second] = stimuliOf(path, counts);
  for (const [at, stimulus] of first.entries()) await hosts.play(`first/${at}`, stimulus);
  const before = model.work?.();
  // The same datagram again is of the same connection; another connection has a port of its own.
  const observed = await hosts.play(counts === 'datagrams' ? 'first/0' : 'second', second);
  const now = model.work?.();
  const arrived = observed.notes.some(({ kind }) => kind === 'received' || kind === 'connected');
  if (before === undefined || now === undefined || !arrived)
    throw new Error(
      `${path.name}: nothing arrives in the model: ${JSON.stringify(observed.notes)}`,
    );
  const { hostPasses, relays } = hostWork(plan, observed);
  const isRelayed = path.proxy !== undefined;
  return {
    ...workSince(before, now),
    hostPasses,
    ...stackWork(plan, path, observed),
    relays: isRelayed ? Math.max(relays, 1) : relays,
  };
}

/**
 * Stacks run on the time of who gives them a frame: the switch. `ends`: frames that reach an end of
 * a connection, outside as well; `forwards`: those that a node routes on.
 */
function stackWork(
  plan: ClusterPlan,
  { client, server, proxy }: TrafficPath,
  { frames }: Observation,
): Pick<PathWork, 'ends' | 'forwards'> {
  const kinds = new Map(
    plan.nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap(({ ports }) => ports.map((port) => [`${node} ${port.name}`, port.kind])),
    ),
  );
  const isOutside = (plan.externalHosts ?? []).some(({ name }) => [client, server].includes(name));
  let [ends, forwards] = [0, 0];
  for (const { direction, node, port } of frames) {
    if (direction !== 'out') continue;
    const kind = kinds.get(`${node} ${port}`);
    if (kind === 'uplink') ends += isOutside ? 1 : 0;
    else if (kind === 'endpoint' || proxy !== undefined) ends++;
    else forwards++;
  }
  return { ends, forwards };
}

function stimuliOf(
  { client, ip, port = 7 }: TrafficPath,
  counts: Measure['counts'],
): readonly [readonly Stimulus[], Stimulus] {
  const to = { from: client, to: ip, port };
  switch (counts) {
    case 'segments': {
      const talk = { kind: 'talk', ...to, connection: 'bulk' } as const;
      return [[{ kind: 'open', ...to, connection: 'bulk' }, talk], talk];
    }
    case 'datagrams':
      return [[{ kind: 'udp', ...to }], { kind: 'udp', ...to }];
    case 'connections':
      return [[{ kind: 'probe', ...to }], { kind: 'probe', ...to }];
  }
}
