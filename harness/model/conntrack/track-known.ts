/** Packets that the kernel has tracked before. */
import { ctStateBits } from '../../openflow/match/fields.js';
import { reportedOriginal } from './connection.js';
import { findConnection } from './find-connection.js';
import type { TrackedPacket } from './protocols/tracked-packet.js';
import type { CtRequest, Tracked, Tracker } from './tracked.js';
import { withNat } from './with-nat.js';

/**
 * What the kernel says of a packet that it has tracked in this zone before, and whose connection is
 * there: the same, and it moves nothing on (net/openvswitch/conntrack.c, skb_nfct_cached,
 * ovs_ct_find_existing). Undefined where there is none.
 */
export function trackKnown(
  tracker: Tracker,
  packet: TrackedPacket,
  ctRequest: CtRequest,
  known: Tracked | undefined,
): Tracked | undefined {
  if (tracker.behaviour.datapath !== 'in the kernel' || known === undefined) return undefined;
  if ((known.state & ctStateBits.inv) !== 0 || packet.kind === 'error') return undefined;
  const { connection, isReply } = findConnection(tracker, packet, ctRequest, known);
  if (connection === undefined) return undefined;
  const { zone, state } = known;
  const original = reportedOriginal(connection);
  return withNat({ zone, state, connection, isReply, original }, ctRequest, tracker.behaviour);
}
