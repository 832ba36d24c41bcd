/** VXLAN, the header behind UDP port 4789 (RFC 7348, section 5). */
import {
  concatBytes,
  decimal,
  hexadecimal,
  viewOf,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';

export const vxlanPort = 4789;

export interface VxlanHeader {
  /** VXLAN network identifier, 24 bits. */
  readonly vni: number;
}

const headerLength = 8;
/** The flag that says "the VNI is valid"; without it the packet must be dropped. */
const vniFlag = 0x08;

export const vxlanLayout: readonly FieldLayout[] = [
  { name: 'flags', length: 4, read: hexadecimal },
  { name: 'vni', length: 3, read: decimal },
  { name: 'reserved', length: 1, read: hexadecimal },
];

/** The header and the Ethernet frame inside. */
export function encodeVxlan(header: VxlanHeader, payload: Uint8Array): Uint8Array {
  const bytes = concatBytes(new Uint8Array(headerLength), payload);
  const view = viewOf(bytes);
  view.setUint8(0, vniFlag);
  view.setUint32(4, header.vni * 256);
  return bytes;
}

/** Undefined for less than eight bytes, or without the VNI flag. */
export function decodeVxlan(bytes: Uint8Array): Decoded<VxlanHeader> | undefined {
  if (bytes.length < headerLength || ((bytes[0] ?? 0) & vniFlag) === 0) return undefined;
  return {
    header: { vni: viewOf(bytes).getUint32(4) >>> 8 },
    payload: bytes.subarray(headerLength),
  };
}
