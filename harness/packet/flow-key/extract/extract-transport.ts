import type { ByteView } from '../../bytes/byte-view.js';
import { word, type FlowKey } from '../flow-key.js';
import { ipProtocols } from '../../protocols/ip/ipv4.js';
import { extractNeighbour } from './extract-neighbour.js';

const icmpLength = 8;

/**
 * What a packet that is no later fragment carries from `l4` to `end`: ports, or ICMP's type and
 * code in their place. A header that is not whole has none. Whether the protocol is one of IPv4 or
 * of IPv6 is not checked.
 */
export function extractTransport(view: ByteView, l4: number, end: number, key: FlowKey): void {
  const length = end - l4;
  switch (key[word.nwProto]) {
    case ipProtocols.tcp:
      if (!isWholeTcp(view, l4, end)) return;
      key[word.tcpFlags] = view.getUint16(l4 + 12) & 0x0fff;
      return extractPorts(view, l4, key);
    case ipProtocols.udp:
      if (length >= 8) extractPorts(view, l4, key);
      return;
    case ipProtocols.sctp:
      if (length >= 12) extractPorts(view, l4, key);
      return;
    case ipProtocols.icmp:
      if (length >= icmpLength) extractIcmp(view, l4, key);
      return;
    case ipProtocols.icmp6:
      if (length < icmpLength) return;
      extractIcmp(view, l4, key);
      extractNeighbour(view, l4, end, key);
      return;
    default:
  }
}

/** Whether a segment has a header of the length that it declares. */
export function isWholeTcp(view: ByteView, l4: number, end: number): boolean {
  if (end < l4 + 20) return false;
  const headerLength = (view.getUint8(l4 + 12) >>> 4) * 4;
  return headerLength >= 20 && end >= l4 + headerLength;
}

function extractPorts(view: ByteView, l4: number, key: FlowKey): void {
  key[word.tpSrc] = view.getUint16(l4);
  key[word.tpDst] = view.getUint16(l4 + 2);
}

function extractIcmp(view: ByteView, l4: number, key: FlowKey): void {
  key[word.tpSrc] = view.getUint8(l4);
  key[word.tpDst] = view.getUint8(l4 + 1);
}
