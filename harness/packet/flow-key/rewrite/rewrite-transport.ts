import type { ByteView } from '../../bytes/byte-view.js';
import { isWholeTcp } from '../extract/extract-transport.js';
import { word, type FlowKey } from '../flow-key.js';
import { ipProtocols } from '../../protocols/ip/ipv4.js';
import { sctpChecksum } from '../../protocols/transport/sctp.js';
import { changed, replace16 } from './replace-bytes.js';

/**
 * Where the checksum over the addresses stands in what is from `l4` to `end`; nowhere when UDP does
 * without one (RFC 768), or when it is cut off.
 */
export function addressChecksum(
  view: ByteView,
  l4: number,
  end: number,
  protocol: number,
): readonly number[] {
  if (protocol === ipProtocols.tcp && end >= l4 + 20) return [l4 + 16];
  if (protocol === ipProtocols.udp && end >= l4 + 8 && view.getUint16(l4 + 6) !== 0)
    return [l4 + 6];
  return [];
}

/**
 * A UDP checksum that computes to zero is sent as 0xffff: zero says that there is none (RFC 768).
 */
export function neverZero(view: ByteView, protocol: number, checksums: readonly number[]): void {
  if (protocol !== ipProtocols.udp) return;
  for (const place of checksums) if (view.getUint16(place) === 0) view.setUint16(place, 0xffff);
}

/** Ports; a header that is cut off stays as it is. */
export function rewritePorts(
  view: ByteView,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  const protocol = after[word.nwProto] ?? 0;
  switch (protocol) {
    case ipProtocols.tcp:
      if (isWholeTcp(view, l4, end)) replacePorts(view, l4, before, after, [l4 + 16]);
      return;
    case ipProtocols.udp: {
      if (end < l4 + 8) return;
      const checksum = addressChecksum(view, l4, end, protocol);
      replacePorts(view, l4, before, after, checksum);
      return neverZero(view, protocol, checksum);
    }
    case ipProtocols.sctp:
      if (end >= l4 + 12) rewriteSctpPorts(view, l4, end, before, after);
      return;
    default:
  }
}

function replacePorts(
  view: ByteView,
  l4: number,
  before: FlowKey,
  after: FlowKey,
  checksums: readonly number[],
): void {
  if (changed(before, after, word.tpSrc)) replace16(view, l4, after[word.tpSrc] ?? 0, checksums);
  if (changed(before, after, word.tpDst))
    replace16(view, l4 + 2, after[word.tpDst] ?? 0, checksums);
}

/** A checksum that was wrong stays wrong by the same bits. */
function rewriteSctpPorts(
  view: ByteView,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  const packet = view.bytes.subarray(l4, end);
  const was = sctpChecksum(packet);
  replacePorts(view, l4, before, after, []);
  view.setUint32(l4 + 8, (view.getUint32(l4 + 8) ^ was ^ sctpChecksum(packet)) >>> 0);
}

/**
 * Type and code, of ICMP and ICMPv6 alike; of what was written to them as to ports, the last byte.
 * In a later fragment, bytes of the payload are taken for them.
 */
export function rewriteIcmp(view: ByteView, l4: number, end: number, after: FlowKey): void {
  if (end >= l4 + 8)
    replace16(
      view,
      l4,
      (((after[word.tpSrc] ?? 0) & 0xff) << 8) | ((after[word.tpDst] ?? 0) & 0xff),
      [l4 + 2],
    );
}

/** The identifier of an ICMP request or its answer (RFC 792). */
export function rewriteIdentifier(view: ByteView, l4: number, identifier: number): void {
  if (view.byteLength >= l4 + 8) replace16(view, l4 + 4, identifier, [l4 + 2]);
}
