/** ARP for IPv4 over Ethernet (RFC 826). */
import {
  formatIpv4,
  formatMac,
  ipv4Number,
  macBytes,
} from '../../../base/addresses/mac-and-ipv4.js';
import { etherTypes } from './ethernet.js';
import {
  decimal,
  dotted,
  hexadecimal,
  viewOf,
  type FieldLayout,
} from '../../bytes/header-layout.js';

export const arpOperations = { request: 1, reply: 2 } as const;

export interface ArpPacket {
  readonly op: number;
  /** Sender's and target's hardware and protocol addresses. */
  readonly sha: string;
  readonly spa: string;
  readonly tha: string;
  readonly tpa: string;
}

export const arpLength = 28;
const ethernetHardware = 1;

export const arpLayout: readonly FieldLayout[] = [
  { name: 'hardware_type', length: 2, read: decimal },
  { name: 'protocol_type', length: 2, read: hexadecimal },
  { name: 'hardware_length', length: 1, read: decimal },
  { name: 'protocol_length', length: 1, read: decimal },
  { name: 'op', length: 2, read: decimal },
  { name: 'sha', length: 6, read: formatMac },
  { name: 'spa', length: 4, read: dotted },
  { name: 'tha', length: 6, read: formatMac },
  { name: 'tpa', length: 4, read: dotted },
];

/** The 28 bytes behind the Ethernet header. @throws InputError for a text that is no address. */
export function encodeArp(packet: ArpPacket): Uint8Array {
  const bytes = new Uint8Array(arpLength);
  const view = viewOf(bytes);
  view.setUint16(0, ethernetHardware);
  view.setUint16(2, etherTypes.ipv4);
  view.setUint8(4, 6);
  view.setUint8(5, 4);
  view.setUint16(6, packet.op);
  bytes.set(macBytes(packet.sha), 8);
  view.setUint32(14, ipv4Number(packet.spa));
  bytes.set(macBytes(packet.tha), 18);
  view.setUint32(24, ipv4Number(packet.tpa));
  return bytes;
}

/**
 * Undefined for less than 28 bytes, or when it resolves something else than IPv4 to Ethernet. Bytes
 * behind are padding.
 */
export function decodeArp(bytes: Uint8Array): ArpPacket | undefined {
  if (bytes.length < arpLength) return undefined;
  const view = viewOf(bytes);
  const resolvesIpv4 =
    view.getUint16(0) === ethernetHardware && view.getUint16(2) === etherTypes.ipv4;
  if (!resolvesIpv4 || view.getUint8(4) !== 6 || view.getUint8(5) !== 4) return undefined;
  return {
    op: view.getUint16(6),
    sha: formatMac(bytes, 8),
    spa: formatIpv4(view.getUint32(14)),
    tha: formatMac(bytes, 18),
    tpa: formatIpv4(view.getUint32(24)),
  };
}
