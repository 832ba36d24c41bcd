/** A packet in the pipeline: its bytes as they arrived, and what is known of it now. */
import { Unsupported } from '../base/errors.js';
import { etherTypes } from '../packet/ethernet.js';
import { extract, type Layout } from '../packet/extract/extract.js';
import { keyWords, word, type FlowKey } from '../packet/flow-key.js';
import { movedLayout, rewrite } from '../packet/flow-rewrite.js';
import { ipProtocols } from '../packet/ipv4.js';
import type { Tracked } from './conntrack/tracker.js';

export interface Packet {
  /** As it arrived, or as it was when its changes last went into the bytes; the same for `layout`. */
  frame: Uint8Array;
  layout: Layout;
  /** What is known of `frame`. */
  arrived: FlowKey;
  /** As the actions left it. */
  readonly key: FlowKey;
  /** Whether its last label was taken off: what is behind it is known once the frame is read anew. */
  isUnread?: true;
  /** Hash of addresses and ports when the packet entered the datapath: a tunnel's UDP source port follows from it. */
  readonly hash: number;
  /** What the tracker said of it last, and of which addresses and ports. */
  tracked?: { readonly said: Tracked; readonly key: FlowKey };
}

/**
 * A packet that enters the datapath at OpenFlow port `inPort`, tunnel fields and registers zero.
 * @throws Unsupported for a frame that Open vSwitch loses count of: its keys cannot tell of labels without one.
 */
export function arriving(frame: Uint8Array, inPort: number): Packet {
  const key = new Uint32Array(keyWords);
  const layout = extract(frame, key);
  if (layout.mpls >= 0 && layout.l3 === layout.mpls) throw new Unsupported('the model does not know MPLS frames without a whole label');
  key[word.inPort] = inPort;
  return { frame, layout, arrived: key.slice(), key, hash: fiveTupleHash(key) };
}

/** The frame with everything the actions changed. */
export function departing(packet: Packet): Uint8Array {
  return rewrite(packet.frame, packet.layout, packet.arrived, packet.key);
}

/** The same packet, so that what happens to the copy leaves the original alone. */
export function copyOf(packet: Packet): Packet {
  return { ...packet, key: packet.key.slice() };
}

/** The packet's changes go into its bytes, and what is known of it stays. */
export function commit(packet: Packet): void {
  const { layout, arrived, key } = packet;
  packet.frame = departing(packet);
  packet.layout = movedLayout(layout, arrived, key);
  packet.arrived = key.slice();
}

/** The same, and its fields are read anew. */
export function reread(packet: Packet): void {
  packet.frame = departing(packet);
  packet.layout = extract(packet.frame, packet.key);
  packet.arrived = packet.key.slice();
  delete packet.isUnread;
}

/** The packet after its changes went into the bytes: same metadata, fields read anew. */
export function settled(packet: Packet): Packet {
  const copy = copyOf(packet);
  reread(copy);
  return copy;
}

/**
 * The datapath's hash of addresses, protocol and ports: MurmurHash3 over the words as a little-endian machine holds
 * them (Open vSwitch lib/hash.h and flow.c, miniflow_hash_5tuple; held to real switches by every tunnelled vector).
 */
function fiveTupleHash(key: FlowKey): number {
  const type = key[word.ethType];
  if (type !== etherTypes.ipv4 && type !== etherTypes.arp) return murmurFinish(42);
  const proto = key[word.nwProto] ?? 0;
  let hash = 0;
  for (const value of [byteSwap(key[word.nwSrc] ?? 0), byteSwap(key[word.nwDst] ?? 0), proto]) hash = murmurAdd(hash, value);
  const hasPorts = [ipProtocols.tcp, ipProtocols.udp, ipProtocols.sctp, ipProtocols.icmp].some((known) => known === proto);
  if (hasPorts) hash = murmurAdd(hash, byteSwap((((key[word.tpSrc] ?? 0) << 16) | (key[word.tpDst] ?? 0)) >>> 0));
  return murmurFinish(hash ^ 42);
}

function byteSwap(value: number): number {
  return (((value & 0xff) << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function murmurAdd(hash: number, data: number): number {
  const mixed = hash ^ Math.imul(rotateLeft(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotateLeft(mixed, 13), 5) + 0xe6546b64) | 0;
}

function murmurFinish(start: number): number {
  let hash = start ^ (start >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
