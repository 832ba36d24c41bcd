/**
 * The connection of a packet, translated or not (Open vSwitch lib/conntrack.c, initial_conn_lookup,
 * conn_update_state).
 */
import { Unpredictable } from '../../base/errors/errors.js';
import { ctStateBits } from '../../openflow/match/fields.js';
import type { Behaviour } from '../behaviour.js';
import {
  expireNow,
  hasSeparateReplyEntry,
  lookupConnection,
  type Connection,
} from './connection.js';
import type { TrackedPacket } from './protocols/tracked-packet.js';
import type { CtRequest, Tracked, Tracker } from './tracked.js';
import { isIcmp, isSame, keyOf, reversed, type Tuple } from './tuple.js';

/** Bits of ct_state that say that a packet was translated in its zone. */
export const translatedBits = ctStateBits.snat | ctStateBits.dnat;

export interface ConnectionLookup {
  readonly connection: Connection | undefined;
  readonly isReply: boolean;
  /** The packet's direction, as it was before it was translated. */
  readonly tuple: Tuple;
  /** Where it begins none: what it would begin is there. */
  readonly alreadyExists?: true;
}

/**
 * The packet's connection; one that was translated in this zone is looked up by what its answers
 * look like (initial_conn_lookup).
 */
export function findConnection(
  { connections, nowMs, behaviour }: Tracker,
  packet: TrackedPacket,
  { commits, nat }: CtRequest,
  earlier: Tracked | undefined,
): ConnectionLookup {
  const wasTranslated = ((earlier?.state ?? 0) & translatedBits) !== 0;
  const { tuple } = packet;
  const connection = lookupConnection(connections, wasTranslated ? reversed(tuple) : tuple, nowMs);
  if (connection === undefined) {
    return { connection: lookupOriginal(tuple), isReply: false, tuple };
  }
  const isReply =
    isOwnAnswer(connection, behaviour) ||
    wasTranslated === isSame(connection.original, wasTranslated ? reversed(tuple) : tuple);
  const own = wasTranslated ? (isReply ? connection.reply : connection.original) : tuple;
  const hasOwnEntry =
    behaviour.answersToTranslated === 'of their own' && hasSeparateReplyEntry(connection);
  if (commits === 'by force' && hasOwnEntry && wasTranslated) {
    // Both directions are taken for answers: the first to what answers to the connection are found
    // as, which does not end.
    if (isReply) expireNow(connection, nowMs);
    return { connection: lookupOriginal(own), isReply: true, tuple: own, alreadyExists: true };
  }
  if (commits !== 'by force' || !isReply || hasOwnEntry) return { connection, isReply, tuple: own };
  expireNow(connection, nowMs);
  return { connection: undefined, isReply, tuple: own };

  /** By what the packet was before it was translated (check_orig_tuple). */
  function lookupOriginal(at: Tuple): Connection | undefined {
    if (!wasTranslated || nat !== undefined || earlier?.original === undefined) return undefined;
    const first = asOriginal(earlier.original, at);
    refuseReplyEntry(connections.get(keyOf(first)), first, behaviour);
    return lookupConnection(connections, first, nowMs);
  }
}

/**
 * Whether its packets are found as answers to it, which look the same: the kernel finds that
 * direction first, which it enters last (nf_conntrack_core.c, __nf_conntrack_hash_insert).
 */
function isOwnAnswer({ original, reply }: Connection, { datapath }: Behaviour): boolean {
  return datapath === 'in the kernel' && isSame(original, reply);
}

/**
 * @throws Unpredictable where Open vSwitch takes for the connection what answers to it are found
 *   as.
 */
function refuseReplyEntry(
  connection: Connection | undefined,
  first: Tuple,
  { answersToTranslated }: Behaviour,
): void {
  if (
    answersToTranslated === 'of it' ||
    connection === undefined ||
    !hasSeparateReplyEntry(connection) ||
    !isSame(connection.reply, first)
  )
    return;
  throw new Unpredictable(
    'Open vSwitch before 3.3 ends itself where an answer that was translated asks by force, ' +
      'and then asks again in the same zone',
  );
}

/**
 * What the packet's connection began with, but for the identifier of ICMP, which is the packet's
 * own.
 */
function asOriginal(first: Tuple, { src, dst }: Tuple): Tuple {
  return isIcmp(first)
    ? { ...first, src: { ...first.src, port: src.port }, dst: { ...first.dst, port: dst.port } }
    : first;
}
