/** The connection of a packet, translated or not (Open vSwitch lib/conntrack.c, initial_conn_lookup, conn_update_state). */
import { Unsupported } from '../../base/errors.js';
import { ctStateBits } from '../../openflow/fields.js';
import { cutShort, isAnsweredElsewhere, lookup, type Connection } from './connection.js';
import type { TrackedPacket } from './packet.js';
import type { Asked, Tracked, Tracker } from './tracked.js';
import { isIcmp, isSame, reversed, type Tuple } from './tuple.js';

/** Bits of ct_state that tell that a packet was translated in its zone. */
export const translatedBits = ctStateBits.snat | ctStateBits.dnat;

export interface Found {
  readonly connection: Connection | undefined;
  readonly isReply: boolean;
  /** The packet's direction, as it was before it was translated. */
  readonly tuple: Tuple;
}

/** The packet's connection; one that was translated in this zone is looked up by what its answers look like (initial_conn_lookup). */
export function find({ connections, nowMs, behaviour }: Tracker, packet: TrackedPacket, { commits, nat }: Asked, earlier: Tracked | undefined): Found {
  const wasTranslated = ((earlier?.state ?? 0) & translatedBits) !== 0;
  const { tuple } = packet;
  const connection = lookup(connections, wasTranslated ? reversed(tuple) : tuple, nowMs);
  if (connection === undefined) {
    const first = wasTranslated && nat === undefined ? earlier?.original : undefined;
    return { connection: first === undefined ? undefined : lookup(connections, asFirst(first, tuple), nowMs), isReply: false, tuple };
  }
  const isReply = wasTranslated === isSame(connection.original, wasTranslated ? reversed(tuple) : tuple);
  const own = wasTranslated ? (isReply ? connection.reply : connection.original) : tuple;
  const isOfItsOwn = behaviour.answersToTranslated === 'of their own' && isAnsweredElsewhere(connection);
  if (commits === 'by force' && isOfItsOwn && wasTranslated) throw new Unsupported('the model does not know what Open vSwitch before 3.3 makes of `force` for a packet that was translated in the same zone');
  if (commits !== 'by force' || !isReply || isOfItsOwn) return { connection, isReply, tuple: own };
  cutShort(connection, nowMs);
  return { connection: undefined, isReply, tuple: own };
}

/** What the packet's connection began with, but for the identifier of ICMP, which is the packet's own (check_orig_tuple). */
function asFirst(first: Tuple, { src, dst }: Tuple): Tuple {
  return isIcmp(first) ? { ...first, src: { ...first.src, port: src.port }, dst: { ...first.dst, port: dst.port } } : first;
}
