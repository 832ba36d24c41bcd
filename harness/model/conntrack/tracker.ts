/**
 * The connection tracker of the userspace datapath, after Open vSwitch's lib/conntrack.c. Times are
 * virtual milliseconds.
 */
import { Unpredictable } from '../../base/errors/errors.js';
import { ctStateBits } from '../../openflow/match/fields.js';
import type { Behaviour } from '../behaviour.js';
import {
  expireNow,
  reportedOriginal,
  hasSeparateReplyEntry,
  isBlockedByExpired,
  isTupleTaken,
  type Connection,
} from './connection.js';
import { createConnection } from './create-connection.js';
import { findConnection, translatedBits } from './find-connection.js';
import { expectationFor } from './helpers/helper.js';
import type { Expectation } from './expectation.js';
import type { TrackedPacket } from './protocols/tracked-packet.js';
import { opensConnection, update, whyItOpensNone } from './protocols/progress.js';
import { trackKnown } from './track-known.js';
import type { CtRequest, ChooseNatTuple, Tracked, Tracker } from './tracked.js';
import { clashesInKernel } from './kernel-clash.js';
import { withHeededForce } from './force-in-kernel.js';
import { keyOf, type Tuple } from './tuple.js';
import { withNat } from './with-nat.js';
import type { Update } from './protocols/update.js';

const { trk, inv, est, rel, rpl, new: fresh } = ctStateBits;

/** A packet of a connection itself, no error about one. */
type ConnectionPacket = Exclude<TrackedPacket, { readonly kind: 'error' }>;

/**
 * Looks a packet up, with what was said of it `before` (lib/conntrack.c, process_one). Undefined
 * packets can belong to no connection.
 */
export function track<Node extends Tracker>(
  tracker: Node,
  packet: TrackedPacket | undefined,
  ctRequest: CtRequest,
  before: Tracked | undefined,
  choose: ChooseNatTuple<Node>,
): Tracked {
  const said = trackValid(tracker, packet, ctRequest, before, choose);
  if ((said.state & inv) === 0 || tracker.behaviour.datapath !== 'in the kernel') return said;
  // To the kernel what is no part of a connection belongs to none.
  const { zone, why } = said;
  return { zone, state: trk | inv, isReply: false, ...(why === undefined ? {} : { why }) };
}

function trackValid<Node extends Tracker>(
  tracker: Node,
  packet: TrackedPacket | undefined,
  asked: CtRequest,
  before: Tracked | undefined,
  choose: ChooseNatTuple<Node>,
): Tracked {
  const { zone } = asked;
  const { behaviour } = tracker;
  if (packet === undefined) return { zone, state: trk | inv, isReply: false };
  const known = before?.zone === zone ? before : undefined;
  const same = trackKnown(tracker, packet, asked, known);
  if (same !== undefined) return same;
  const ctRequest = withHeededForce(asked, packet, before, behaviour);
  const earlier = behaviour.datapath === 'in the kernel' ? undefined : known;
  const { connection, isReply, tuple, alreadyExists } = findConnection(
    tracker,
    packet,
    ctRequest,
    earlier,
  );
  const state = trk | (earlier?.state ?? 0);
  if (
    connection === undefined &&
    alreadyExists === undefined &&
    isBlockedByExpired(tracker, tuple)
  ) {
    refuseLoop(tracker, tuple);
    return {
      zone,
      state: state | inv,
      isReply: false,
      why: 'a connection that has ended is still in the way',
    };
  }
  if (packet.kind === 'error')
    return withNat(relatedTo(zone, state, isReply, tuple, connection), ctRequest, behaviour);
  if (connection !== undefined) {
    const progressed = updateConnection(tracker, connection, packet, isReply);
    if (progressed.kind !== 'restart') {
      const related = connection.parent === undefined ? state : state | rel;
      return withNat(
        {
          zone,
          state: stateAfter(related, progressed, isReply),
          connection,
          isReply,
          original: reportedOriginal(connection),
          ...(progressed.kind === 'invalid' ? { why: progressed.why } : {}),
        },
        ctRequest,
        behaviour,
      );
    }
  }
  // Where there was none to be found, nothing has come since. What another is in the way of still
  // belongs to the one that it has ended.
  const isFree =
    connection === undefined && ctRequest.commits !== 'by force' && (state & translatedBits) === 0;
  if (alreadyExists || (!isFree && isTupleTaken(tracker, tuple)))
    return connection === undefined
      ? { zone, state, isReply, original: tuple }
      : { zone, state, isReply, connection, original: reportedOriginal(connection) };
  return trackFirst(tracker, packet, { tuple, isReply }, ctRequest, choose);
}

/** The packet is of no connection that is there: it begins one, where it may. */
function trackFirst<Node extends Tracker>(
  tracker: Node,
  packet: ConnectionPacket,
  { tuple, isReply }: { readonly tuple: Tuple; readonly isReply: boolean },
  ctRequest: CtRequest,
  choose: ChooseNatTuple<Node>,
): Tracked {
  const { zone } = ctRequest;
  const expected = expectationFor(
    tracker.connections,
    tracker.controlConnections,
    tuple,
    tracker.nowMs,
  );
  const original = expected?.parent ?? tuple;
  if (!opensConnection(packet, tracker.behaviour))
    return withExpected(
      { zone, state: trk | inv, isReply, original, why: whyItOpensNone(packet) },
      expected,
    );
  const opened = expected === undefined ? trk | fresh : trk | fresh | rel;
  if (clashesInKernel(tracker, tuple, ctRequest))
    return { zone, state: opened, isReply, original, isDropped: true };
  const created =
    ctRequest.commits === 'nothing'
      ? undefined
      : createConnection(tracker, packet, tuple, ctRequest, expected, choose);
  if (created === undefined)
    return withExpected({ zone, state: opened, isReply, original }, expected);
  return withNat(
    withExpected({ zone, state: opened, connection: created, isReply: false, original }, expected),
    ctRequest,
    tracker.behaviour,
  );
}

/** The packet's connection continues, or ends for the packet to begin it again. */
function updateConnection(
  { conntrack, nowMs }: Tracker,
  connection: Connection,
  packet: ConnectionPacket,
  isReply: boolean,
): Update {
  const progressed = update(
    connection.progress,
    packet,
    isReply,
    conntrack.tcpSequences ?? 'checked',
    nowMs,
  );
  if (progressed.kind === 'restart' || progressed.kind === 'last') expireNow(connection, nowMs);
  else if (progressed.kind !== 'invalid' && progressed.timeout !== undefined)
    connection.expiresAtMs = nowMs + connection.timeouts[progressed.timeout] * 1000;
  return progressed;
}

/**
 * @throws Unpredictable where what answers to an ended connection are found as leads back to
 *   itself.
 */
function refuseLoop({ connections }: Tracker, tuple: Tuple): void {
  const ended = connections.get(keyOf(tuple));
  if (ended !== undefined && !hasSeparateReplyEntry(ended))
    throw new Unpredictable(
      'Open vSwitch before 3.3 ends itself at a packet of a connection that was translated ' +
        'into what it was, and has ended',
    );
}

function withExpected(said: Tracked, expected: Expectation | undefined): Tracked {
  return expected === undefined ? said : { ...said, expected };
}

/**
 * What was said of a packet that is the same in the same zone holds; only its addresses may have to
 * follow (process_one_fast).
 */
export function trackUnchanged(
  before: Tracked,
  ctRequest: CtRequest,
  behaviour: Behaviour,
): Tracked {
  if (before.nat === undefined) return withNat(before, ctRequest, behaviour);
  const { nat: _, ...said } = before;
  return withNat(said, ctRequest, behaviour);
}

function stateAfter(
  state: number,
  { kind }: Exclude<Update, { readonly kind: 'restart' }>,
  isReply: boolean,
): number {
  switch (kind) {
    case 'last':
      return isReply ? (state & ~fresh) | est | rpl : state | fresh;
    case 'valid':
      return (state & ~fresh) | est | (isReply ? rpl : 0);
    case 'new':
      return state | fresh;
    case 'invalid':
      return trk | inv;
  }
}

/** An error belongs to a connection, but is no part of it; without one it is invalid. */
function relatedTo(
  zone: number,
  state: number,
  isReply: boolean,
  tuple: Tuple,
  connection: Connection | undefined,
): Tracked {
  if (connection === undefined)
    return {
      zone,
      state: trk | inv,
      isReply,
      original: tuple,
      why: 'it is an error of ICMP about a packet of no known connection',
    };
  return {
    zone,
    state: state | rel | (isReply ? rpl : 0),
    isReply,
    isError: true,
    connection,
    original: reportedOriginal(connection),
  };
}
