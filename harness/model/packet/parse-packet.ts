/** A frame that enters the datapath, read. */
import { Unpredictable } from '../../base/errors/errors.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { extract, type Layout } from '../../packet/flow-key/extract/extract.js';
import {
  bottomOfStack,
  emptyKey,
  fragment,
  most,
  word,
  type FlowKey,
} from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { fiveTuple } from '../fields/hash.js';
import type { Packet } from './packet.js';

/**
 * A packet that enters the datapath at OpenFlow port `inPort`, tunnel fields and registers zero.
 * @param tagsMax how many tags are read (other_config:vlan-limit).
 * @throws Unsupported for a frame whose labels Open vSwitch loses count of: its keys cannot hold
 *   labels without a bottom.
 */
export function parsePacket(frame: Uint8Array, inPort: number, tagsMax = 1): Packet {
  const key = emptyKey();
  const layout = extract(frame, key, tagsMax);
  if (layout.mpls >= 0 && hasUncountedLabels(key))
    throw new Unpredictable(
      'the model does not know MPLS frames with entries of zeros, which Open vSwitch does ' +
        'not count',
    );
  key[word.inPort] = inPort;
  key[word.actsetOutput] = reservedPorts.UNSET;
  const padding = paddingOf(frame, layout, key);
  return {
    frame,
    layout,
    baseKey: key,
    key,
    needsReparse: false,
    isParsed: true,
    isRewritten: false,
    isResized: false,
    isEncapsulated: false,
    tagsMax,
    trackedAs: 'itself',
    tunnelDst: undefined,
    hash: fiveTuple(key, hashedProtocol(frame, layout, key, padding)),
    padding,
    tracked: undefined,
    trackerCache: undefined,
  };
}

/**
 * Behind IPv6's extension headers, a whole TCP or UDP header is hashed with the protocol that IPv6
 * itself names (lib/dp-packet.h, dp_packet_update_rss_hash_ipv6_tcp_udp).
 */
function hashedProtocol(
  frame: Uint8Array,
  { l3, l4 }: Layout,
  key: FlowKey,
  padding: number,
): number {
  const proto = key[word.nwProto] ?? 0;
  if (
    key[word.ethType] !== etherTypes.ipv6 ||
    l4 < 0 ||
    ((key[word.nwFrag] ?? 0) & fragment.later) !== 0
  )
    return proto;
  const left = frame.length - padding - l4;
  const tcpLength = ((frame[l4 + 12] ?? 0) >>> 4) * 4;
  const isWhole =
    proto === ipProtocols.udp
      ? left >= 8
      : proto === ipProtocols.tcp && tcpLength >= 20 && left >= tcpLength;
  return isWhole ? (frame[l3 + 6] ?? 0) : proto;
}

export function paddingOf(frame: Uint8Array, { l3, l4 }: Layout, key: FlowKey): number {
  const type = key[word.ethType];
  if (
    l3 < 0 ||
    (type === etherTypes.ipv4 ? l4 < 0 : type !== etherTypes.ipv6 || frame.length < l3 + 40)
  )
    return 0;
  const length = (at: number) => ((frame[at] ?? 0) << 8) | (frame[at + 1] ?? 0);
  const end = type === etherTypes.ipv4 ? l3 + length(l3 + 2) : l3 + 40 + length(l3 + 4);
  return Math.max(0, frame.length - end);
}

/** An entry of zeros above the bottom, as far as keys hold it. */
function hasUncountedLabels(key: FlowKey): boolean {
  const entries = key.slice(word.mplsLse, word.mplsLse + most.labels);
  return !entries.some((entry) => (entry & bottomOfStack) !== 0) && entries.includes(0);
}
