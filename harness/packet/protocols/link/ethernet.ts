/**
 * Ethernet II frames (IEEE 802.3, clause 3.2.6), without the frame check sequence, which no virtual
 * port carries.
 */
import { formatMac, macBytes } from '../../../base/addresses/mac-and-ipv4.js';
import {
  concatBytes,
  hexadecimal,
  viewOf,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';

export const etherTypes = {
  ipv4: 0x0800,
  arp: 0x0806,
  transparentEthernetBridging: 0x6558,
  rarp: 0x8035,
  vlan: 0x8100,
  ipv6: 0x86dd,
  mpls: 0x8847,
  mplsMulticast: 0x8848,
  serviceVlan: 0x88a8,
} as const;

export interface EthernetHeader {
  readonly dst: string;
  readonly src: string;
  readonly etherType: number;
}

const headerLength = 14;

export const ethernetLayout: readonly FieldLayout[] = [
  { name: 'dst', length: 6, read: formatMac },
  { name: 'src', length: 6, read: formatMac },
  { name: 'type', length: 2, read: hexadecimal },
];

/**
 * The frame as it stands on the wire, not padded to 60 bytes. @throws InputError for a text that is
 * no MAC address.
 */
export function encodeEthernet(header: EthernetHeader, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(headerLength);
  bytes.set(macBytes(header.dst), 0);
  bytes.set(macBytes(header.src), 6);
  viewOf(bytes).setUint16(12, header.etherType);
  return concatBytes(bytes, payload);
}

/**
 * Undefined for less than 14 bytes. The payload includes padding: Ethernet cannot distinguish it.
 */
export function decodeEthernet(bytes: Uint8Array): Decoded<EthernetHeader> | undefined {
  if (bytes.length < headerLength) return undefined;
  return {
    header: {
      dst: formatMac(bytes, 0),
      src: formatMac(bytes, 6),
      etherType: viewOf(bytes).getUint16(12),
    },
    payload: bytes.subarray(headerLength),
  };
}
