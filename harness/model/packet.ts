/** A packet in the pipeline: its bytes as they arrived, and what is known of it now. */
import { Unpredictable, Unsupported } from '../base/errors/errors.js';
import { etherTypes } from '../packet/protocols/link/ethernet.js';
import { extract, type Layout } from '../packet/flow-key/extract/extract.js';
import {
  bottomOfStack,
  copyFields,
  copyKey,
  emptyKey,
  fragment,
  isIp,
  keyWords,
  most,
  word,
  type FlowKey,
} from '../packet/flow-key/flow-key.js';
import { ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { movedLayout, rewrite } from '../packet/flow-key/rewrite/rewrite.js';
import { changed } from '../packet/flow-key/rewrite/replace-bytes.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { TrackedPacket } from './conntrack/protocols/tracked-packet.js';
import type { Tracked } from './conntrack/tracked.js';
import { fiveTuple } from './fields/hash.js';

export interface Packet {
  /**
   * As it arrived, or as it was when its changes last went into the bytes; the same for `layout`.
   */
  frame: Uint8Array;
  layout: Layout;
  /**
   * What is known of `frame`, in the words from `ethSrc` on; as `frame` itself these are never
   * changed, only replaced.
   */
  baseKey: FlowKey;
  /**
   * As the actions left it: `arrived` itself as long as they have written nothing that stands in
   * the frame.
   */
  key: FlowKey;
  /**
   * Whether its last label was taken off: what is behind it is known once the frame is read anew.
   */
  needsReparse: boolean;
  /** Whether `arrived` is just what reading `frame` tells. */
  isParsed: boolean;
  /** Whether IP or what it carries was written since the packet entered the datapath. */
  isRewritten: boolean;
  /**
   * Whether headers have come or gone since it came to its node, so that nobody can tell how much
   * room its buffer has.
   */
  isResized: boolean;
  /**
   * Whether it is inside a tunnel since it was last read: of the header around it, not all is
   * known.
   */
  isEncapsulated: boolean;
  /** What the tracker takes it for where a tunnel has been put around it. */
  readonly trackedAs: 'itself' | 'nothing' | 'what is inside';
  /** The own address that it came to through a tunnel. */
  readonly tunnelDst: bigint | undefined;
  /**
   * Hash of addresses and ports when the packet entered the datapath: a tunnel's UDP source port
   * follows from it.
   */
  readonly hash: number;
  /** Bytes behind the end of the IP packet, as they were when it was last read. */
  padding: number;
  /**
   * What the tracker said of it before it was read, and of which addresses and ports; whether that
   * holds for its zone.
   */
  tracked: { readonly said: Tracked; readonly key: FlowKey; readonly holds: boolean } | undefined;
  /** What the tracker took it for last, and of which bytes. */
  trackerCache:
    | {
        readonly frame: Uint8Array;
        readonly key: FlowKey;
        readonly zone: number;
        readonly as: TrackedPacket | undefined;
      }
    | undefined;
}

/**
 * A packet that enters the datapath at OpenFlow port `inPort`, tunnel fields and registers zero.
 * @throws Unsupported for a frame that Open vSwitch loses count of: its keys cannot tell of labels
 *   without one.
 */
export function parsePacket(frame: Uint8Array, inPort: number): Packet {
  const key = emptyKey();
  const layout = extract(frame, key);
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

function paddingOf(frame: Uint8Array, { l3, l4 }: Layout, key: FlowKey): number {
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

/** An entry of zeros above the bottom, as far as keys tell of it. */
function hasUncountedLabels(key: FlowKey): boolean {
  const entries = key.slice(word.mplsLse, word.mplsLse + most.labels);
  return !entries.some((entry) => (entry & bottomOfStack) !== 0) && entries.includes(0);
}

/** The frame with everything the actions changed. */
export function committedFrame(packet: Packet): Uint8Array {
  const { frame, layout, baseKey, key, isEncapsulated } = packet;
  return isEncapsulated ? committedEncapsulated(packet) : rewrite(frame, layout, baseKey, key);
}

/** Only what was changed is written: of the rest the key tells of what is inside. */
function committedEncapsulated({ frame, layout, baseKey, key }: Packet): Uint8Array {
  if (key[word.tpSrc] !== baseKey[word.tpSrc] || key[word.tpDst] !== baseKey[word.tpDst])
    throw new Unsupported(
      'the model does not know what becomes of the ports of what a tunnel sends when one of ' +
        'them is written',
    );
  const before = emptyKey();
  extract(frame, before);
  return rewrite(
    frame,
    layout,
    before,
    key.map((value, index) => (value === baseKey[index] ? (before[index] ?? 0) : value)),
  );
}

/** The same packet, so that what happens to the copy leaves the original alone. */
export function copyOf({
  frame,
  layout,
  baseKey,
  key,
  needsReparse,
  isParsed,
  isRewritten,
  isResized,
  isEncapsulated,
  trackedAs,
  tunnelDst,
  hash,
  padding,
  tracked,
  trackerCache,
}: Packet): Packet {
  return {
    frame,
    layout,
    baseKey,
    key: copyKey(key),
    needsReparse,
    isParsed,
    isRewritten,
    isResized,
    isEncapsulated,
    trackedAs,
    tunnelDst,
    hash,
    padding,
    tracked,
    trackerCache,
  };
}

/** What stands in the frame is to be written in the key. */
export function unshareKey(packet: Packet): void {
  if (packet.key === packet.baseKey) packet.key = copyKey(packet.key);
}

/**
 * The packet's changes go into its bytes, and what is known of it stays. @param next whether its
 * key is written to right away, or once it is `unshareKey`.
 */
export function commit(
  packet: Packet,
  next: 'written to' | 'set apart' = 'written to',
): 'changed' | 'as they were' {
  if (!isChanged(packet)) return 'as they were';
  const { layout, baseKey, key } = packet;
  markRewritten(packet);
  replaceFrame(packet, committedFrame(packet));
  packet.layout = movedLayout(layout, baseKey, key);
  packet.baseKey = next === 'set apart' ? key : copyFields(key);
  packet.isParsed = false;
  return 'changed';
}

function replaceFrame(packet: Packet, frame: Uint8Array): void {
  if (frame.length !== packet.frame.length) packet.isResized = true;
  packet.frame = frame;
}

/** Whether actions changed what stands in the frame. */
function isChanged({ baseKey, key }: Packet): boolean {
  return key !== baseKey && changed(baseKey, key, word.ethSrc, keyWords - word.ethSrc);
}

function markRewritten(packet: Packet): void {
  const { baseKey, key } = packet;
  if (isIp(baseKey[word.ethType] ?? 0) && changed(baseKey, key, word.nwSrc, keyWords - word.nwSrc))
    packet.isRewritten = true;
}

/**
 * As the datapath hands the packet up: where its layers are is found anew, and what is known of it
 * stays.
 */
export function reparseLayout(packet: Packet): void {
  commit(packet);
  const read = emptyKey();
  packet.layout = extract(packet.frame, read);
  packet.padding = paddingOf(packet.frame, packet.layout, read);
}

/** The same, and its fields are read anew. */
export function reparse(packet: Packet): void {
  packet.needsReparse = false;
  if (packet.isParsed && !isChanged(packet)) return;
  markRewritten(packet);
  replaceFrame(packet, committedFrame(packet));
  if (packet.isEncapsulated && packet.key[word.pktMark] !== 0)
    throw new Unsupported(
      'the model does not know what is left of pkt_mark where what a tunnel sends is read anew',
    );
  packet.isEncapsulated = false;
  packet.layout = extract(packet.frame, packet.key);
  packet.padding = paddingOf(packet.frame, packet.layout, packet.key);
  packet.baseKey = copyFields(packet.key);
  packet.isParsed = true;
}

/** The packet after its changes went into the bytes: same metadata, fields read anew. */
export function reparsed(packet: Packet): Packet {
  const copy = copyOf(packet);
  reparse(copy);
  return copy;
}
