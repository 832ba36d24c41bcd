import type { ByteView } from '../../bytes/byte-view.js';
import { word, type FlowKey } from '../flow-key.js';
import {
  extensionHeaders,
  extensionLength,
  isExtension,
} from '../../protocols/ip/ipv6-extension.js';
import { ipProtocols } from '../../protocols/ip/ipv4.js';
import { ipv6Length } from '../../protocols/ip/ipv6.js';
import { changed, replaceWords } from './replace-bytes.js';
import { addressChecksum, neverZero } from './rewrite-transport.js';

/**
 * Those of addresses, traffic class, flow label and hop limit that change, with the checksum of
 * what follows (Open vSwitch lib/packets.c, packet_set_ipv6; lib/odp-util.c, keycmp_mask): where
 * `l3` is lost, as behind two tags that went to a controller, what is written lands elsewhere.
 */
export function rewriteIpv6(
  view: ByteView,
  l3: number,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  if (changed(before, after, word.ipv6Src, 4) || changed(before, after, word.ipv6Dst, 4))
    rewriteAddresses(view, l3, l4, end, before, after);
  if (changed(before, after, word.nwTos))
    view.setUint16(l3, (view.getUint16(l3) & 0xf00f) | ((after[word.nwTos] ?? 0) << 4));
  if (changed(before, after, word.ipv6Label))
    view.setUint32(l3, ((view.getUint32(l3) & 0xfff00000) | (after[word.ipv6Label] ?? 0)) >>> 0);
  if (changed(before, after, word.nwTtl)) view.setUint8(l3 + 7, after[word.nwTtl] ?? 0);
}

function rewriteAddresses(
  view: ByteView,
  l3: number,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  const protocol = coveredProtocol(view, l3, l4);
  const checksums =
    protocol === ipProtocols.icmp6
      ? end >= l4 + 4
        ? [l4 + 2]
        : []
      : addressChecksum(view, l4, end, protocol);
  for (const [field, place] of [
    [word.ipv6Src, l3 + 8],
    [word.ipv6Dst, l3 + 24],
  ] as const) {
    if (!changed(before, after, field, 4)) continue;
    replaceWords(view, place, after, field, 4, checksums);
    neverZero(view, protocol, checksums);
  }
}

/**
 * The protocol whose checksum covers the addresses. In every fragment but the first of several,
 * even one that is alone (RFC 6946), Open vSwitch leaves the checksum alone; of a packet that has
 * segments left it takes the routing header for the protocol, and finds none either.
 */
function coveredProtocol(view: ByteView, l3: number, l4: number): number {
  let type = view.getUint8(l3 + 6);
  let isCovered = true;
  for (let at = l3 + ipv6Length; isExtension(type); ) {
    const length = extensionLength(view, at, l4, type);
    if (length < 0 || (type === extensionHeaders.routing && view.getUint8(at + 3) > 0)) return type;
    if (type === extensionHeaders.fragment)
      isCovered = (view.getUint16(at + 2) & 0xfff8) === 0 && (view.getUint16(at + 2) & 1) !== 0;
    type = view.getUint8(at);
    at += length;
  }
  return isCovered ? type : extensionHeaders.fragment;
}
