/** What a unit of traffic needs on a path, by the model: exact, and the same on every run. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import { noWork, sumOfWork, workSince, type WorkKind } from '../domain/work.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';
import { dissect } from '../packet/dissect/dissect.js';
import { stackWork, type StackWork } from './stack-work.js';
import { hostWork } from '../run/judging/host-work.js';
import { firstCandidateOracle as oracle } from '../model/ambiguity.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { TrafficPath } from './reference-paths.js';
import { serverPort } from './traffic/start-servers.js';
import { measureOf, type Measure, type MeasureName } from './measures.js';

/** What needs of a path are fitted to: the others follow from these, packet by packet. */
export const fittedKinds = [
  'outputs',
  'ends',
  'crossings',
  'forwards',
  'masquerades',
  'conntrack',
  'nat',
  'rewrites',
  'encapsulations',
] as const;
export type PathWork = Readonly<Record<WorkKind | 'hostPasses' | 'relays', number>> & StackWork;

/**
 * A unit is a segment there and what answers it, a request and its answer, a datagram there, or a
 * connection that is opened and closed. The second of its kind is counted: by then caches and
 * neighbours are known.
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
      if (calls.every((call) => isLeftOut(call, counts)))
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
  const carried = {
    frames: observed.frames.filter(({ frame }) => !leftOut[counts](frame)),
    notes: observed.notes,
  };
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
 * Frames of a unit in the model that traffic has not. Requests follow each other at once: what
 * acknowledges an answer and has no data is spared, for the next request says it as well (RFC
 * 9293, section 3.8.6.3). Datagrams are not answered.
 */
const leftOut: Readonly<Record<Measure['counts'], (frame: Uint8Array) => boolean>> = {
  segments: () => false,
  connections: () => false,
  requests: hasNoData,
  datagrams: isAnswer,
};

function isLeftOut(call: SwitchCall, counts: Measure['counts']): boolean {
  return call.kind === 'receive' && call.frames.every(leftOut[counts]);
}

/** A segment of TCP, in a tunnel or not, without data. */
function hasNoData(frame: Uint8Array): boolean {
  const names = dissect(frame).map(({ name }) => name);
  return (
    names.some((name) => name.endsWith('tcp.flags')) &&
    !names.some((name) => name.endsWith('payload'))
  );
}

/** A datagram from the server's port, in a tunnel or not. */
function isAnswer(frame: Uint8Array): boolean {
  const from = dissect(frame).findLast(({ name }) => name.endsWith('udp.src'));
  return from?.value === String(serverPort);
}

function stimuliOf(
  { client, ip, port = serverPort }: TrafficPath,
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
