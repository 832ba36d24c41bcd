/**
 * Associations of SCTP as Linux's own tracker has them (net/netfilter/nf_conntrack_proto_sctp.c):
 * one state for both ends, moved on by each chunk of a packet, and the tag that each end asks for.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import { sctpChunkTypes as chunk } from '../../../packet/protocols/transport/sctp-chunk.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

type KernelState =
  | 'NONE'
  | 'CLOSED'
  | 'COOKIE_WAIT'
  | 'COOKIE_ECHOED'
  | 'ESTABLISHED'
  | 'SHUTDOWN_SENT'
  | 'SHUTDOWN_RECD'
  | 'SHUTDOWN_ACK_SENT';

/** What is written behind the ports: the tag, and each chunk with what is behind its header. */
export interface TrackedChunks {
  readonly tag: number;
  readonly chunks: readonly {
    readonly type: number;
    readonly flags: number;
    readonly length: number;
    readonly value: Uint8Array;
  }[];
}

type Direction = 'original' | 'reply';

export interface KernelSctpProgress {
  readonly kind: 'kernel-sctp';
  state: KernelState;
  answered: boolean;
  /** What packets of a direction have to carry; zero where that is not known. */
  readonly tags: Record<Direction, number>;
  /** Who has sent INIT since the last COOKIE ACK. */
  readonly began: Record<Direction, boolean>;
}

const error = 9;
const heartbeats: readonly number[] = [4, 5];
/** The other end's tag, reflected (RFC 9260, section 3.3.7, "T bit"). */
const reflected = 1;

/** Of those the tag is checked chunk by chunk, or not at all. */
const withTagsOfTheirOwn: ReadonlySet<number> = new Set([
  chunk.init,
  chunk.shutdownComplete,
  chunk.cookieEcho,
  chunk.abort,
  chunk.shutdownAck,
]);

/** The association that a packet begins; undefined where it begins none. */
export function beginKernelSctp(
  packet: TrackedChunks,
): { readonly progress: KernelSctpProgress; readonly timeout: TimeoutName } | undefined {
  const types = packet.chunks.map(({ type }) => type);
  if (!isWellFormed(packet)) return undefined;
  if ([chunk.abort, chunk.shutdownComplete, chunk.cookieAck].some((type) => types.includes(type)))
    return undefined;
  if (types.some((type) => nextState('NONE', type, false) === 'NONE')) return undefined;
  const progress: KernelSctpProgress = {
    kind: 'kernel-sctp',
    state: 'NONE',
    answered: false,
    tags: { original: 0, reply: 0 },
    began: { original: false, reply: false },
  };
  for (const { type, value } of packet.chunks) {
    const asked = type === chunk.init ? tagOf(value) : packet.tag;
    if (asked === undefined || (type === chunk.init && packet.tag !== 0)) return undefined;
    progress.tags.reply = asked;
  }
  const moved = moveOn(progress, packet, false);
  return moved.kind === 'invalid' ? undefined : { progress, timeout: timeouts[progress.state] };
}

export function updateKernelSctp(
  progress: KernelSctpProgress,
  packet: TrackedChunks,
  isReply: boolean,
): Update {
  const stateBefore = progress.state;
  const moved = isWellFormed(packet)
    ? moveOn(progress, packet, isReply)
    : ({ kind: 'invalid', why: 'SCTP with chunks that may not stand together' } as const);
  if (moved.kind === 'invalid') return moved;
  progress.answered ||= isReply;
  const timeout = timeouts[progress.state];
  // An INIT that is sent again keeps nothing alive.
  const isAgain =
    stateBefore === 'CLOSED' &&
    progress.state === 'CLOSED' &&
    packet.chunks.some(({ type }) => type === chunk.init);
  const kept = isAgain ? {} : { timeout };
  return { kind: progress.answered ? 'valid' : 'new', ...kept };
}

/** INIT, INIT ACK and SHUTDOWN COMPLETE stand alone, and those with cookies first. */
function isWellFormed({ chunks }: TrackedChunks): boolean {
  const alone: readonly number[] = [chunk.init, chunk.initAck, chunk.shutdownComplete];
  const first: readonly number[] = [chunk.cookieAck, chunk.cookieEcho];
  return (
    chunks.length > 0 &&
    chunks.every(
      ({ type, length }, index) =>
        length > 0 &&
        (index === 0 ||
          (!first.includes(type) &&
            !chunks.slice(0, index + 1).some((one) => alone.includes(one.type)))),
    )
  );
}

type Moved = { readonly kind: 'moved' } | Extract<Update, { readonly kind: 'invalid' }>;

function moveOn(
  progress: KernelSctpProgress,
  { tag, chunks }: TrackedChunks,
  isReply: boolean,
): Moved {
  const [own, other]: readonly Direction[] = isReply
    ? ['reply', 'original']
    : ['original', 'reply'];
  if (own === undefined || other === undefined) return { kind: 'moved' };
  const { tags, began } = progress;
  const wrong = (what: string): Moved => ({ kind: 'invalid', why: `SCTP ${what}` });
  if (chunks.some(({ type }) => heartbeats.includes(type)))
    throw new Unsupported('what the tracker of Linux makes of heartbeats of SCTP is not modelled');
  if (!chunks.some(({ type }) => withTagsOfTheirOwn.has(type)) && tag !== tags[own])
    return wrong(`with tag ${tag}, where ${tags[own]} was asked for`);
  for (const { type, flags, value } of chunks) {
    if (type === chunk.init && tag !== 0) return wrong(`INIT with tag ${tag}`);
    const expected =
      (type === chunk.abort || type === chunk.shutdownComplete) && (flags & reflected) !== 0
        ? tags[other]
        : tags[own];
    if (
      (type === chunk.abort || type === chunk.shutdownComplete || type === chunk.cookieEcho) &&
      tag !== expected
    )
      return wrong(`with tag ${tag}, where ${expected} was asked for`);
    if (type === chunk.cookieAck) Object.assign(began, { original: false, reply: false });
    const next = nextState(progress.state, type, isReply);
    if (type === chunk.init || type === chunk.initAck) {
      const asked = tagOf(value);
      if (asked === undefined) return wrong('whose INIT is cut off');
      const isCollision = type === chunk.initAck && began.original && began.reply;
      if (
        type === chunk.initAck &&
        tags[other] !== asked &&
        (isCollision || (!began[other] && tags[other] !== 0))
      )
        return wrong(`INIT ACK that asks for tag ${asked}, and not for ${tags[other]}`);
      if (type === chunk.init) {
        if (isCollisionOf(began)) began[other] = false;
        began[own] = true;
      }
      tags[other] = asked;
    }
    progress.state = next;
  }
  return { kind: 'moved' };
}

function isCollisionOf(began: Record<Direction, boolean>): boolean {
  return began.original && began.reply;
}

/** The tag that INIT and INIT ACK ask for; undefined where they are cut off. */
function tagOf(value: Uint8Array): number | undefined {
  return value.length < 16 ? undefined : viewOf(value).getUint32(0);
}

/** Where a chunk leads that comes in a state. */
function nextState(state: KernelState, type: number, isReply: boolean): KernelState {
  if (state === 'NONE') return firstState(type);
  switch (type) {
    case chunk.abort:
      return 'CLOSED';
    case chunk.init:
      return !isReply && (state === 'SHUTDOWN_SENT' || state === 'SHUTDOWN_RECD')
        ? 'CLOSED'
        : state;
    case chunk.initAck:
      return isReply && state === 'CLOSED' ? 'COOKIE_WAIT' : state;
    case chunk.shutdown:
      return state === 'ESTABLISHED' ? (isReply ? 'SHUTDOWN_RECD' : 'SHUTDOWN_SENT') : state;
    case chunk.shutdownAck:
      return state === 'SHUTDOWN_SENT' || state === 'SHUTDOWN_RECD' ? 'SHUTDOWN_ACK_SENT' : state;
    case error:
      return isReply && state === 'COOKIE_ECHOED' ? 'CLOSED' : state;
    case chunk.cookieEcho:
      return state === 'COOKIE_WAIT' ? 'COOKIE_ECHOED' : state;
    case chunk.cookieAck:
      return state === 'COOKIE_ECHOED' ? 'ESTABLISHED' : state;
    case chunk.shutdownComplete:
      return state === 'SHUTDOWN_ACK_SENT' ? 'CLOSED' : state;
    default:
      return state;
  }
}

/** Of what is in the middle of an association that nobody saw; data changes nothing. */
function firstState(type: number): KernelState {
  switch (type) {
    case chunk.shutdownAck:
      return 'SHUTDOWN_ACK_SENT';
    case chunk.init:
    case chunk.initAck:
    case chunk.abort:
    case chunk.shutdown:
    case error:
    case chunk.cookieEcho:
    case chunk.cookieAck:
    case chunk.shutdownComplete:
      return 'CLOSED';
    default:
      return 'NONE';
  }
}

const timeouts: Readonly<Record<KernelState, TimeoutName>> = {
  NONE: 'sctp_closed',
  CLOSED: 'sctp_closed',
  COOKIE_WAIT: 'sctp_cookie',
  COOKIE_ECHOED: 'sctp_cookie',
  ESTABLISHED: 'sctp_established',
  SHUTDOWN_SENT: 'sctp_shutdown',
  SHUTDOWN_RECD: 'sctp_shutdown',
  SHUTDOWN_ACK_SENT: 'sctp_shutdown',
};

/** As a dump of its datapath prints it. */
export function printKernelSctp({ state, tags }: KernelSctpProgress): string {
  return `state=${state},vtag_orig=${tags.original},vtag_reply=${tags.reply}`;
}
