/** What a unit of traffic needs on a path, by the model: exact, and the same on every run. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Observation } from '../domain/observation.js';
import type { SwitchCall } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import { noWork, sumOfWork, workSince, type WorkKind } from '../domain/work.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';
import { dissect } from '../packet/dissect/dissect.js';
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
 * A unit is a segment there and what answers it, a request and its answer, a datagram there and
 * back, or a connection that is opened and closed. The second of its kind is counted: by
 * then caches and neighbours are known.
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
  let spared = noWork();
  const decided = {
    ...model,
    call: (calls: readonly SwitchCall[]) => {
      const before = model.work?.() ?? noWork();
      const steps = model.call(calls, oracle);
      if (counts === 'requests' && calls.every(isAcknowledgement))
        spared = sumOfWork([spared, workSince(before, model.work?.() ?? noWork())]);
      return steps;
    },
  };
  const hosts = withEmulatedHosts(decided, plan, { seed: 1, hosts: 'keep what they know' });
  await hosts.reset();
  const [first, second] = stimuliOf(path, counts);
  for (const [at, stimulus] of first.entries()) await hosts.play(`first/${at}`, stimulus);
  spared = noWork();
  const before = model.work?.();
  // The same datagram again is of the same connection; another connection has a port of its own.
  const observed = await hosts.play(counts === 'datagrams' ? 'first/0' : 'second', second);
  const now = model.work?.();
  const arrived = observed.notes.some(({ kind }) => kind === 'received' || kind === 'connected');
  if (before === undefined || now === undefined || !arrived)
    throw new Error(
      `${path.name}: nothing arrives in the model: ${JSON.stringify(observed.notes)}`,
    );
  const carried = counts === 'requests' ? withoutAcknowledgements(observed) : observed;
  const { hostPasses, relays } = hostWork(plan, carried);
  const isRelayed = path.proxy !== undefined;
  return {
    ...workSince(spared, workSince(before, now)),
    hostPasses,
    ...stackWork(plan, path, carried),
    relays: isRelayed ? Math.max(relays, 1) : relays,
  };
}

/**
 * Requests follow each other at once: what acknowledges an answer and has no data is spared, for
 * the next request says it as well (RFC 9293, section 3.8.6.3).
 */
function withoutAcknowledgements({ frames, notes }: Observation): Observation {
  return { frames: frames.filter(({ frame }) => !hasNoData(frame)), notes };
}

function isAcknowledgement(call: SwitchCall): boolean {
  return call.kind === 'receive' && call.frames.every(hasNoData);
}

/** A segment of TCP, in a tunnel or not, without data. */
function hasNoData(frame: Uint8Array): boolean {
  const names = dissect(frame).map(({ name }) => name);
  return (
    names.some((name) => name.endsWith('tcp.flags')) &&
    !names.some((name) => name.endsWith('payload'))
  );
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
    case 'segments':
    case 'requests': {
      const talk = { kind: 'talk', ...to, connection: 'bulk' } as const;
      return [[{ kind: 'open', ...to, connection: 'bulk' }, talk], talk];
    }
    case 'datagrams':
      return [[{ kind: 'udp', ...to }], { kind: 'udp', ...to }];
    case 'connections':
      return [[{ kind: 'probe', ...to }], { kind: 'probe', ...to }];
  }
}
