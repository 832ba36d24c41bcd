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
 * @throws Unsupported when the change needs more than rewriting bytes in place (VLAN tags).
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
  const operation = after[word.nwProto] ?? 0;
  if (operation !== before[word.nwProto]) view.setUint16(l3 + 6, operation);
  if (view.byteLength < l3 + 28) return;
  if (changed(before, after, word.arpSha, 2)) write48(view, l3 + 8, after, word.arpSha);
  if (changed(before, after, word.nwSrc, 1)) view.setUint32(l3 + 14, after[word.nwSrc] ?? 0);
  if (changed(before, after, word.arpTha, 2)) write48(view, l3 + 18, after, word.arpTha);
  if (changed(before, after, word.nwDst, 1)) view.setUint32(l3 + 24, after[word.nwDst] ?? 0);
}

function rewriteIpv4(view: DataView, { l3, l4 }: Layout, before: FlowKey, after: FlowKey): void {
  const header = l3 + 10;
  if (changed(before, after, word.nwTos, 1)) replace16(view, l3, (view.getUint8(l3) << 8) | (after[word.nwTos] ?? 0), [header]);
  if (changed(before, after, word.nwTtl, 1)) replace16(view, l3 + 8, ((after[word.nwTtl] ?? 0) << 8) | view.getUint8(l3 + 9), [header]);
  // Later fragments carry no transport header, so only the first one's checksum can follow.
  const transport = ((after[word.nwFrag] ?? 0) & fragment.later) === 0 ? checksumPlace(view, l4, after[word.nwProto] ?? 0) : [];
  for (const [place, field] of [[l3 + 12, word.nwSrc], [l3 + 16, word.nwDst]] as const) {
    if (!changed(before, after, field, 1)) continue;
    const address = after[field] ?? 0;
    replace16(view, place, address >>> 16, [header, ...transport]);
    replace16(view, place + 2, address & 0xffff, [header, ...transport]);
  }
  rewritePorts(view, l4, before, after, transport);
}

function rewritePorts(view: DataView, l4: number, before: FlowKey, after: FlowKey, checksum: readonly number[]): void {
  if (!changed(before, after, word.tpSrc, 1) && !changed(before, after, word.tpDst, 1)) return;
  if (after[word.nwProto] === ipProtocols.icmp) {
    replace16(view, l4, ((after[word.tpSrc] ?? 0) << 8) | (after[word.tpDst] ?? 0), [l4 + 2]);
    return;
  }
  replace16(view, l4, after[word.tpSrc] ?? 0, checksum);
  replace16(view, l4 + 2, after[word.tpDst] ?? 0, checksum);
}

/** Where the checksum over the pseudo-header stands; nowhere when UDP does without one (RFC 768). */
function checksumPlace(view: DataView, l4: number, proto: number): readonly number[] {
  if (proto === ipProtocols.tcp && view.byteLength >= l4 + 18) return [l4 + 16];
  if (proto === ipProtocols.udp && view.byteLength >= l4 + 8 && view.getUint16(l4 + 6) !== 0) return [l4 + 6];
  return [];
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
