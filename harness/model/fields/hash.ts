/**
 * The hashes by which Open vSwitch chooses: what of a packet goes into them (lib/flow.c,
 * "flow_hash_…"; ovs-actions(7), "multipath").
 */
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { isIp, tagged, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { hashFields } from '../../openflow/actions/action.js';
import type { Field } from '../../openflow/match/fields.js';
import { readField } from './field-values.js';
import { littleEndian, byteSwap, addWords, add, finish } from './murmur-hash.js';
import { lookup3 } from './lookup3-hash.js';

const vlanNumber = 0xfff;

/**
 * Of addresses, protocol and ports: what a packet is known by as soon as it arrives, and a tunnel's
 * UDP source port follows from.
 * @param named the protocol that is hashed, where it is not the packet's.
 */
export function fiveTuple(key: FlowKey, named = key[word.nwProto] ?? 0): number {
  const type = key[word.ethType] ?? 0;
  const isIpv6 = type === etherTypes.ipv6;
  if (!isIpv6 && type !== etherTypes.ipv4 && type !== etherTypes.arp) return finish(42);
  const proto = key[word.nwProto] ?? 0;
  const hash = add(
    isIpv6 ? addKeyWords(key, word.ipv6Src, 8) : addKeyWords(key, word.nwSrc, 2),
    named,
  );
  const ports = byteSwap((((key[word.tpSrc] ?? 0) << 16) | (key[word.tpDst] ?? 0)) >>> 0);
  return finish((hasPorts.includes(proto) ? add(hash, ports) : hash) ^ 42);
}

const hasPorts: readonly number[] = [
  ipProtocols.tcp,
  ipProtocols.udp,
  ipProtocols.sctp,
  ipProtocols.icmp,
  ipProtocols.icmp6,
];

/** The same for both directions of a connection. */
export function symmetricL4(key: FlowKey, basis: number): number {
  const bytes = new Uint8Array(32);
  const type = key[word.ethType] ?? 0;
  const proto = key[word.nwProto] ?? 0;
  bytes.set(addressesBothWays(key), 0);
  put16(bytes, 16, type);
  put16(bytes, 18, vlanBothWays(key));
  bytes.set(macsBothWays(key), 22);
  if (isIp(type)) {
    bytes[28] = proto;
    if (proto === ipProtocols.tcp || proto === ipProtocols.sctp)
      put16(bytes, 20, (key[word.tpSrc] ?? 0) ^ (key[word.tpDst] ?? 0));
  }
  return lookup3(bytes, basis);
}

/** The same without what is below IP, where there is IP. */
export function symmetricL3L4(
  key: FlowKey,
  basis: number,
  ports: 'with UDP ports' | 'without UDP ports',
): number {
  const type = key[word.ethType] ?? 0;
  if (!isIp(type)) return symmetricL2(key, basis);
  const addresses = addressesBothWays(key).subarray(0, type === etherTypes.ipv4 ? 4 : 16);
  const proto = key[word.nwProto] ?? 0;
  const hash = add(addWords(basis, littleEndian(addresses)), proto);
  const counts =
    proto === ipProtocols.tcp ||
    proto === ipProtocols.sctp ||
    (proto === ipProtocols.udp && ports === 'with UDP ports');
  return finish(
    (counts && key[word.nwFrag] === 0
      ? add(hash, swap16((key[word.tpSrc] ?? 0) ^ (key[word.tpDst] ?? 0)))
      : hash) ^ basis,
  );
}

function symmetricL2(key: FlowKey, basis: number): number {
  const bytes = new Uint8Array(12);
  put16(bytes, 0, key[word.ethType] ?? 0);
  put16(bytes, 2, vlanBothWays(key));
  bytes.set(macsBothWays(key), 4);
  return finish(addWords(basis, littleEndian(bytes)) ^ basis);
}

function symmetricL3(key: FlowKey, basis: number): number {
  const bytes = new Uint8Array(20);
  bytes.set(addressesBothWays(key), 0);
  put16(bytes, 16, key[word.ethType] ?? 0);
  return lookup3(bytes, basis);
}

/** What `fields` of multipath and bundle stand for (ovs-actions(7), "multipath"). */
export function hashOf(key: FlowKey, fields: (typeof hashFields)[number], basis: number): number {
  switch (fields) {
    case 'eth_src':
      return lookup3(bytesAt(key, word.ethSrc, 2).subarray(2), basis);
    case 'symmetric_l4':
      return symmetricL4(key, basis);
    case 'symmetric_l3l4':
      return symmetricL3L4(key, basis, 'without UDP ports');
    case 'symmetric_l3l4+udp':
      return symmetricL3L4(key, basis, 'with UDP ports');
    case 'symmetric_l3':
      return symmetricL3(key, basis);
    case 'nw_src':
    case 'nw_dst': {
      const [ipv4, ipv6] =
        fields === 'nw_src' ? [word.nwSrc, word.ipv6Src] : [word.nwDst, word.ipv6Dst];
      const type = key[word.ethType] ?? 0;
      return isIp(type)
        ? lookup3(type === etherTypes.ipv4 ? bytesAt(key, ipv4, 1) : bytesAt(key, ipv6, 4), basis)
        : basis;
    }
  }
}

/** Sender's address xor receiver's, in 16 bytes; zeros without IP. */
function addressesBothWays(key: FlowKey): Uint8Array {
  const bytes = new Uint8Array(16);
  const type = key[word.ethType];
  if (type === etherTypes.ipv4)
    bytes.set(xor(bytesAt(key, word.nwSrc, 1), bytesAt(key, word.nwDst, 1)));
  if (type === etherTypes.ipv6)
    bytes.set(xor(bytesAt(key, word.ipv6Src, 4), bytesAt(key, word.ipv6Dst, 4)));
  return bytes;
}

function macsBothWays(key: FlowKey): Uint8Array {
  return xor(bytesAt(key, word.ethSrc, 2), bytesAt(key, word.ethDst, 2)).subarray(2);
}

function vlanBothWays(key: FlowKey): number {
  return ((key[word.vlanTci] ?? 0) ^ (key[word.vlanTci + 1] ?? 0)) & vlanNumber;
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] ?? 0));
}

function bytesAt(key: FlowKey, first: number, words: number): Uint8Array {
  const bytes = new Uint8Array(words * 4);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < words; index++) view.setUint32(index * 4, key[first + index] ?? 0);
  return bytes;
}

/**
 * The bits of `mask` that a packet has in a field, in as many bytes as Open vSwitch keeps it in.
 */
export function fieldBytes(key: FlowKey, field: Field, mask: bigint): Uint8Array {
  const value = readField(key, field) & mask;
  const length =
    field.bits <= 8 ? 1 : field.bits <= 16 ? 2 : field.bits <= 32 ? 4 : Math.ceil(field.bits / 8);
  // The number of a tag stands beside the bit that says there is one.
  const there =
    field.name === 'vlan_vid' && mask === field.ones
      ? BigInt((key[word.vlanTci] ?? 0) & tagged)
      : 0n;
  return Uint8Array.from({ length }, (_, index) =>
    Number(((value | there) >> BigInt(8 * (length - 1 - index))) & 0xffn),
  );
}

/** `count` words of a key, as they stand in a packet. */
function addKeyWords(key: FlowKey, first: number, count: number): number {
  let hash = 0;
  for (let index = first; index < first + count; index++)
    hash = add(hash, byteSwap(key[index] ?? 0));
  return hash;
}

function put16(bytes: Uint8Array, place: number, value: number): void {
  bytes[place] = value >>> 8;
  bytes[place + 1] = value & 0xff;
}

function swap16(value: number): number {
  return ((value & 0xff) << 8) | (value >>> 8);
}
