/** Packets that ask by force for a connection of their own direction, as the kernel takes them. */
import { ctStateBits } from '../../openflow/match/fields.js';
import type { Behaviour } from '../behaviour.js';
import type { TrackedPacket } from './protocols/tracked-packet.js';
import type { CtRequest, Tracked } from './tracked.js';

/**
 * The kernel ends a connection that a packet answers to only where it has tracked the packet in
 * this zone before, or in none yet, and finds the connection by the packet's own addresses and
 * ports, which those of an error are not (net/openvswitch/conntrack.c, skb_nfct_cached,
 * ovs_ct_executed). Elsewhere the packet commits what it is part of.
 * @param before what was said of the packet, in whichever zone.
 */
export function withHeededForce(
  ctRequest: CtRequest,
  packet: TrackedPacket,
  before: Tracked | undefined,
  { datapath }: Behaviour,
): CtRequest {
  if (datapath !== 'in the kernel' || ctRequest.commits !== 'by force') return ctRequest;
  const isTracked =
    before === undefined ||
    (before.zone === ctRequest.zone && (before.state & ctStateBits.inv) === 0);
  return packet.kind !== 'error' && isTracked
    ? ctRequest
    : { ...ctRequest, commits: 'new connections' };
}
