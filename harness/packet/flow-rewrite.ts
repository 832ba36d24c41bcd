/**
 * Writes what the pipeline changed in a flow key back into the frame's bytes, checksums included. As in Open
 * vSwitch, actions work on the key, and the frame follows when the packet leaves (or enters the connection tracker).
 */
import { Unsupported } from '../base/errors.js';
import { updateChecksum } from './checksum.js';
import { etherTypes } from './ethernet.js';
import { fragment, word, type FlowKey, type Layout } from './flow-key.js';
import { ipProtocols } from './ipv4.js';

/**
 * A copy of `frame` in which every packet field that differs between `before` (the key as extracted) and `after`
 * has the value of `after`.
 * @throws Unsupported when the change needs more than rewriting bytes in place (VLAN tags), or when it is not clear what Open vSwitch does.
 */
export function rewrite(frame: Uint8Array, layout: Layout, before: FlowKey, after: FlowKey): Uint8Array {
  const bytes = frame.slice();
  const view = new DataView(bytes.buffer);
  if (after[word.vlanTci] !== before[word.vlanTci]) throw new Unsupported('the model does not push, pop or rewrite VLAN tags');
  write48(view, 0, after, word.ethDst);
  write48(view, 6, after, word.ethSrc);
  if (after[word.ethType] === etherTypes.arp && layout.l3 >= 0) rewriteArp(view, layout.l3, before, after);
  if (after[word.ethType] === etherTypes.ipv4 && layout.l4 >= 0) rewriteIpv4(view, layout, before, after);
  return bytes;
}

function rewriteArp(view: DataView, l3: number, before: FlowKey, after: FlowKey): void {
  const [was, operation] = [before[word.nwProto] ?? 0, after[word.nwProto] ?? 0];
  const places = [[word.arpSha, 2, l3 + 8], [word.nwSrc, 1, l3 + 14], [word.arpTha, 2, l3 + 18], [word.nwDst, 1, l3 + 24]] as const;
  const changes = places.filter(([field, words]) => changed(before, after, field, words));
  if (operation === was && changes.length === 0) return;
  // Open vSwitch writes no ARP of operation 0, takes 255 for any, and does not tell fields that are not there from zeros.
  if (was === 0 || operation === 0 || operation === 255) throw new Unsupported(`the model does not rewrite ARP of operation ${was} to operation ${operation}`);
  view.setUint16(l3 + 6, operation);
  for (const [field, words, place] of changes) {
    if (words === 2) write48(view, place, after, field);
    else view.setUint32(place, after[field] ?? 0);
  }
}

function rewriteIpv4(view: DataView, { l3, l4 }: Layout, before: FlowKey, after: FlowKey): void {
  const proto = after[word.nwProto] ?? 0;
  const isChanged = [word.nwTos, word.nwTtl, word.nwSrc, word.nwDst].some((field) => changed(before, after, field, 1));
  if (isChanged && proto === 0) throw new Unsupported('the model does not rewrite IPv4 of protocol 0, and neither does Open vSwitch');
  const header = l3 + 10;
  const end = l3 + view.getUint16(l3 + 2);
  const transport = checksumPlace(view, l4, end, proto);
  for (const [place, field] of [[l3 + 12, word.nwSrc], [l3 + 16, word.nwDst]] as const) {
    if (!changed(before, after, field, 1)) continue;
    if (transport.length > 0 && ((after[word.nwFrag] ?? 0) & fragment.later) !== 0) throw new Unsupported('the model does not rewrite addresses of later fragments');
    const address = after[field] ?? 0;
    replace16(view, place, address >>> 16, [header, ...transport]);
    replace16(view, place + 2, address & 0xffff, [header, ...transport]);
    if (proto === ipProtocols.udp) neverZero(view, transport);
  }
  if (changed(before, after, word.nwTos, 1)) replace16(view, l3, (view.getUint8(l3) << 8) | (after[word.nwTos] ?? 0), [header]);
  if (changed(before, after, word.nwTtl, 1)) replace16(view, l3 + 8, ((after[word.nwTtl] ?? 0) << 8) | view.getUint8(l3 + 9), [header]);
  if (changed(before, after, word.tpSrc, 1) || changed(before, after, word.tpDst, 1)) rewritePorts(view, l4, end, after, transport);
}

/** A transport header that is cut off stays as it is. */
function rewritePorts(view: DataView, l4: number, end: number, after: FlowKey, transport: readonly number[]): void {
  const proto = after[word.nwProto] ?? 0;
  const [src, dst] = [after[word.tpSrc] ?? 0, after[word.tpDst] ?? 0];
  if (end < l4 + (proto === ipProtocols.tcp ? 20 : 8)) return;
  // Open vSwitch writes type and code into the payload.
  if (((after[word.nwFrag] ?? 0) & fragment.later) !== 0) throw new Unsupported('the model does not rewrite ICMP of later fragments');
  if (proto === ipProtocols.icmp) return replace16(view, l4, (src << 8) | dst, [l4 + 2]);
  replace16(view, l4, src, transport);
  replace16(view, l4 + 2, dst, transport);
  if (proto === ipProtocols.udp) neverZero(view, transport);
}

/** Where the checksum over the pseudo-header stands; nowhere when UDP does without one (RFC 768), or when it is cut off. */
function checksumPlace(view: DataView, l4: number, end: number, proto: number): readonly number[] {
  if (proto === ipProtocols.tcp && end >= l4 + 20) return [l4 + 16];
  if (proto === ipProtocols.udp && end >= l4 + 8 && view.getUint16(l4 + 6) !== 0) return [l4 + 6];
  return [];
}

/** A UDP checksum that computes to zero is sent as 0xffff: zero says that there is none (RFC 768). */
function neverZero(view: DataView, checksums: readonly number[]): void {
  for (const place of checksums) if (view.getUint16(place) === 0) view.setUint16(place, 0xffff);
}

/** Replaces the 16-bit word at `place` and brings every checksum that covers it up to date. */
function replace16(view: DataView, place: number, value: number, checksums: readonly number[]): void {
  const before = view.getUint16(place);
  view.setUint16(place, value);
  for (const checksum of checksums) view.setUint16(checksum, updateChecksum(view.getUint16(checksum), before, value));
}

function write48(view: DataView, place: number, key: FlowKey, field: number): void {
  view.setUint16(place, key[field] ?? 0);
  view.setUint32(place + 2, key[field + 1] ?? 0);
}

function changed(before: FlowKey, after: FlowKey, field: number, words: number): boolean {
  for (let index = field; index < field + words; index++) if (before[index] !== after[index]) return true;
  return false;
}
