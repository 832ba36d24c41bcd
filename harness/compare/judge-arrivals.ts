/**
 * Whether frames came out where they may: at the hosts that are promised to get them, once for each
 * that was sent, and of what was sent the first time.
 */
import { describeFrame } from '../packet/dissect/describe-frame.js';
import type { Intent, Transmission } from '../domain/intent.js';
import type { HostFrame } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import type { BrokenPromise } from './broken-promise.js';
import { fingerprint, hostPacketIn, ipPacketOf, isIcmpError, isReset } from './host-packets.js';
import { judgeCopies } from './judge-copies.js';

type Judged = Exclude<Intent, { readonly kind: 'either' | 'contradicted' }>;

/** Undefined where every frame at a host's interface is one that was promised, or needed for it. */
export function judgeArrivals(
  intent: Judged,
  stimulus: Stimulus,
  frames: readonly HostFrame[],
): BrokenPromise | undefined {
  if (intent.kind === 'announced') return undefined;
  const arrivals = frames.filter(({ kind }) => kind === 'arrived');
  const sent = ownPackets(frames);
  return (
    judgeReceivers(intent, stimulus, arrivals) ??
    judgeCopies(sent, arrivals) ??
    judgeTransmissions(intent, stimulus, sent)
  );
}

/** All that hosts have sent but for the packets of others that a router has passed on. */
function ownPackets(frames: readonly HostFrame[]): readonly HostFrame[] {
  const toForward = new Map<string, number>();
  return frames.filter((event) => {
    if (event.kind === 'arrived') return false;
    const packet = ipPacketOf(event);
    if (packet === undefined) return event.kind === 'sent';
    const key = `${event.host} ${fingerprint(packet)}`;
    const waiting = toForward.get(key) ?? 0;
    if (event.kind === 'in transit') toForward.set(key, waiting + 1);
    else if (waiting > 0) toForward.set(key, waiting - 1);
    return event.kind === 'sent' && waiting === 0;
  });
}

function judgeReceivers(
  intent: Judged,
  stimulus: Stimulus,
  arrivals: readonly HostFrame[],
): BrokenPromise | undefined {
  const leaked = unpromisedArrival(intent, stimulus, arrivals);
  if (leaked === undefined) return undefined;
  const names = [...receiversOf(intent, stimulus.from)];
  const expected =
    names.length === 0
      ? `no frame comes out at any host: ${'why' in intent ? intent.why : 'none is promised'}`
      : `frames come out at no host but ${names.join(', ')}`;
  return { expected, actual: `at ${leaked.host} came out ${describeFrame(leaked.frame)}` };
}

/** The first frame at a host that may not have it. */
export function unpromisedArrival(
  intent: Judged,
  stimulus: Stimulus,
  frames: readonly HostFrame[],
): HostFrame | undefined {
  if (intent.kind === 'announced') return undefined;
  const receivers = receiversOf(intent, stimulus.from);
  return frames.find(
    (frame) => frame.kind === 'arrived' && isUnpromised(frame, intent, stimulus, receivers),
  );
}

/** Who may get an IP packet of it: the sender its answer. */
function receiversOf(intent: Judged, from: string): ReadonlySet<string> {
  switch (intent.kind) {
    case 'round-trip':
      return new Set([
        from,
        intent.to,
        ...relaysIn(intent),
        ...(intent.through === undefined ? [] : [intent.through]),
      ]);
    case 'refused':
      return new Set([from, intent.to]);
    case 'delivered':
      return new Set([intent.to]);
    case 'balanced':
      return new Set([
        from,
        ...intent.answerers.map(({ to }) => to),
        ...relaysIn(intent),
        ...(intent.ignoredBy ?? []),
      ]);
    case 'abandoned':
      return new Set([
        from,
        intent.by,
        ...(intent.refusedBy === undefined ? [] : [intent.refusedBy]),
      ]);
    case 'rejected':
    case 'leases':
    case 'resolves':
      return new Set([from]);
    case 'denied':
      return new Set(intent.ignoredBy);
    case 'announced':
    case 'blocked':
      return new Set();
  }
}

function relaysIn({
  relay,
}: Pick<Extract<Intent, { readonly kind: 'round-trip' }>, 'relay'>): readonly string[] {
  return relay === undefined ? [] : [relay.by, ...(relay.refusing ?? [])];
}

function isUnpromised(
  arrival: HostFrame,
  intent: Judged,
  stimulus: Stimulus,
  receivers: ReadonlySet<string>,
): boolean {
  const content = hostPacketIn(arrival.frame);
  if (content === undefined) return false;
  const isReceiver = receivers.has(arrival.host);
  switch (content.kind) {
    case 'neighbour':
      return isAboutNeighbours(stimulus) && content.says === 'answers' && !isReceiver;
    case 'ip':
      return intent.kind === 'rejected' && isReceiver
        ? !(intent.by === 'a reset' ? isReset(content.packet) : isIcmpError(content.packet))
        : !isReceiver;
    case 'other':
      return !isReceiver;
  }
}

function isAboutNeighbours(stimulus: Stimulus): boolean {
  if (stimulus.kind === 'arp') return true;
  if (stimulus.kind !== 'frame') return false;
  const { kind } = stimulus.frame.payload;
  return kind === 'arp' || kind === 'neighbour-advertisement';
}

/**
 * A promise is about the first transmission, unless it names another one: neither end sends a
 * segment, or asks for an address, more often than that.
 */
function judgeTransmissions(
  intent: Judged,
  stimulus: Stimulus,
  sent: readonly HostFrame[],
): BrokenPromise | undefined {
  const promised = transmissionOf(intent);
  const receivers = receiversOf(intent, stimulus.from);
  if (promised === 'any') return undefined;
  // Who answers datagrams sends the same again where it is asked the same again.
  const ends = new Set([stimulus.from, ...(answersOnce.has(stimulus.kind) ? receivers : [])]);
  if ('relay' in intent && intent.relay !== undefined) ends.delete(intent.relay.by);
  const all = transmissions(sent.filter(({ host }) => ends.has(host)));
  const opening = all.find(({ first }) => ipPacketOf(first) !== undefined);
  const again = all.find((one) => one.count !== (one === opening ? promised : 1));
  if (again === undefined) return undefined;
  const { count, first, last } = again;
  const afterMs = (last.timeUs - first.timeUs) / 1000;
  return {
    expected:
      again === opening ? `transmission ${promised} arrives` : 'the first transmission arrives',
    actual:
      count === 1
        ? `${first.host} had to send once ${describeFrame(first.frame)}`
        : `${first.host} sent ${count} times, the last one after ${afterMs} ms: ` +
          describeFrame(first.frame),
  };
}

const answersOnce: ReadonlySet<Stimulus['kind']> = new Set([
  'tcp',
  'probe',
  'open',
  'talk',
  'sctp',
]);

/** Whatever may get lost, or is not promised to arrive, may be sent again. */
function transmissionOf(intent: Judged): Transmission {
  switch (intent.kind) {
    case 'balanced':
      return intent.lost === undefined ? (intent.transmission ?? 1) : 'any';
    case 'round-trip':
      return intent.transmission ?? 1;
    case 'refused':
    case 'delivered':
    case 'resolves':
    case 'leases':
      return 1;
    case 'abandoned':
    case 'rejected':
    case 'announced':
    case 'denied':
    case 'blocked':
      return 'any';
  }
}

interface Transmissions {
  readonly count: number;
  readonly first: HostFrame;
  readonly last: HostFrame;
}

/** Frames that one host has sent byte for byte at several times, in order of the first. */
function transmissions(sent: readonly HostFrame[]): readonly Transmissions[] {
  const found = new Map<string, Transmissions>();
  for (const frame of sent) {
    const key = `${frame.host} ${Buffer.from(frame.frame).toString('latin1')}`;
    const { count = 0, first = frame, last } = found.get(key) ?? {};
    found.set(key, {
      first,
      last: frame,
      count: last?.timeUs === frame.timeUs ? count : count + 1,
    });
  }
  return [...found.values()];
}
