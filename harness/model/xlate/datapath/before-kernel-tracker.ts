/** What the kernel's tracker does with a packet before it looks for its connection. */
import { isIp, tagged, word } from '../../../packet/flow-key/flow-key.js';
import type { Behaviour } from '../../behaviour.js';
import { hasBrokenHopByHop, kernelPadding } from '../../conntrack/protocols/kernel-transport.js';
import type { Packet } from '../../packet/packet.js';

/**
 * The kernel's tracker cuts off what is behind the end of IP (net/openvswitch/conntrack.c,
 * ovs_skb_network_trim): of one tag, for behind two it does not look.
 */
export function cutOffByTracker(packet: Packet, { datapath }: Behaviour): number {
  const { frame, layout, baseKey } = packet;
  return datapath === 'in the kernel' && isSeenByTracker(packet) && isIp(baseKey[word.ethType] ?? 0)
    ? kernelPadding(frame, layout, baseKey)
    : 0;
}

/** Whether nothing is done with it any more. */
export function isDroppedByTracker(packet: Packet, { datapath }: Behaviour): boolean {
  const { frame, layout, baseKey } = packet;
  return (
    datapath === 'in the kernel' &&
    isSeenByTracker(packet) &&
    hasBrokenHopByHop(frame, layout, baseKey)
  );
}

function isSeenByTracker({ baseKey }: Packet): boolean {
  return ((baseKey[word.vlanTci + 1] ?? 0) & tagged) === 0;
}
