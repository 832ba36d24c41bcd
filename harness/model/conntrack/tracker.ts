/**
 * The connection tracker of the userspace datapath, after Open vSwitch's lib/conntrack.c. Times are
 * virtual milliseconds.
 */
import { Unpredictable } from '../../base/errors.js';
import type { NatAction } from '../../openflow/actions.js';
import { ctStateBits } from '../../openflow/fields.js';
import {
  cutShort,
  firstOf,
  isAnsweredElsewhere,
  isInTheWay,
  isTaken,
  type Connection,
} from './connection.js';
import { create } from './create.js';
import { find, translatedBits } from './find.js';
import { expectedAs, type Expected } from './helper.js';
import type { TrackedPacket } from './packet.js';
import { opens, update } from './progress.js';
import type { Asked, Choose, Tracked, Tracker } from './tracked.js';
import { keyOf, reversed, type Tuple } from './tuple.js';
import type { Update } from './update.js';

const { trk, inv, est, rel, rpl, snat, dnat, new: fresh } = ctStateBits;

/**
 * Looks a packet up, with what was said of it `before` (lib/conntrack.c, process_one). Undefined
 * packets can belong to no connection.
 */
export function track<Node extends Tracker>(
  tracker: Node,
  packet: TrackedPacket | undefined,
  asked: Asked,
  before: Tracked | undefined,
  choose: Choose<Node>,
): Tracked {
  const { zone, nat } = asked;
  if (packet === undefined) return { zone, state: trk | inv, isReply: false };
  const earlier = before?.zone === zone ? before : undefined;
  const { connection, isReply, tuple, isThere } = find(tracker, packet, asked, earlier);
  const state = trk | (earlier?.state ?? 0);
  if (connection === undefined && isThere === undefined && isInTheWay(tracker, tuple)) {
    refuseWithoutConnection(tracker, tuple);
    return { zone, state: state | inv, isReply: false };
  }
  if (packet.kind === 'error')
    return translated(relatedTo(zone, state, isReply, tuple, connection), nat);
  if (connection !== undefined) {
    const known = connection.parent === undefined ? state : state | rel;
    const moved = update(
      connection.progress,
      packet,
      isReply,
      tracker.conntrack.tcpSequences ?? 'checked',
    );
    if (moved.kind !== 'restart') {
      if (moved.kind !== 'invalid' && moved.timeout !== undefined)
        connection.expiresAtMs = tracker.nowMs + connection.timeouts[moved.timeout] * 1000;
      return translated(
        {
          zone,
          state: stateAfter(known, moved, isReply),
          connection,
          isReply,
          original: firstOf(connection),
        },
        nat,
      );
    }
    cutShort(connection, tracker.nowMs);
  }
  // Where there was none to be found, nothing has come since. What another is in the way of still
  // belongs to the one that it has ended.
  const isFree =
    connection === undefined && asked.commits !== 'by force' && (state & translatedBits) === 0;
  if (isThere || (!isFree && isTaken(tracker, tuple)))
    return connection === undefined
      ? { zone, state, isReply, original: tuple }
      : { zone, state, isReply, connection, original: firstOf(connection) };
  const expected = expectedAs(tracker.connections, tracker.controls, tuple, tracker.nowMs);
  const original = expected?.parent ?? tuple;
  if (!opens(packet)) return withExpected({ zone, state: trk | inv, isReply, original }, expected);
  const opened = expected === undefined ? trk | fresh : trk | fresh | rel;
  const created =
    asked.commits === 'nothing'
      ? undefined
      : create(tracker, packet, tuple, asked, expected, choose);
  if (created === undefined)
    return withExpected({ zone, state: opened, isReply, original }, expected);
  return translated(
    withExpected({ zone, state: opened, connection: created, isReply: false, original }, expected),
    nat,
  );
}

/**
 * @throws Unpredictable where what answers to an ended connection are found as leads back to
 *   itself.
 */
function refuseWithoutConnection({ connections }: Tracker, tuple: Tuple): void {
  const ended = connections.get(keyOf(tuple));
  if (ended !== undefined && !isAnsweredElsewhere(ended))
    throw new Unpredictable(
      'Open vSwitch before 3.3 ends itself at a packet of a connection that was translated ' +
        'into what it was, and has ended',
    );
}

function withExpected(said: Tracked, expected: Expected | undefined): Tracked {
  return expected === undefined ? said : { ...said, expected };
}

/**
 * What was said of a packet that is the same in the same zone holds; only its addresses may have to
 * follow (process_one_fast).
 */
export function trackAgain(before: Tracked, nat: NatAction | undefined): Tracked {
  if (before.becomes === undefined) return translated(before, nat);
  const { becomes: _, ...said } = before;
  return translated(said, nat);
}

function stateAfter(
  state: number,
  { kind }: Exclude<Update, { readonly kind: 'restart' }>,
  isReply: boolean,
): number {
  switch (kind) {
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
  if (connection === undefined) return { zone, state: trk | inv, isReply, original: tuple };
  return {
    zone,
    state: state | rel | (isReply ? rpl : 0),
    isReply,
    isError: true,
    connection,
    original: firstOf(connection),
  };
}

/**
 * A packet of a connection that is translated, where the flow asks for it and it was not done yet
 * in this zone (handle_nat).
 */
function translated(said: Tracked, nat: NatAction | undefined): Tracked {
  const { connection, state, isReply } = said;
  if (
    nat === undefined ||
    connection?.translated === undefined ||
    connection.translated === 'neither' ||
    (state & translatedBits) !== 0
  )
    return said;
  const part = (connection.translated === 'src') === isReply ? 'dst' : 'src';
  return {
    ...said,
    state: state | (part === 'src' ? snat : dnat),
    becomes: {
      part,
      isOfError: said.isError === true,
      tuple: reversed(isReply ? connection.original : connection.reply),
    },
  };
}
