/**
 * VLAN tags (IEEE 802.1Q, clause 9.6), customers' and services' alike: what stands behind the
 * EtherType that announces one.
 */
import {
  concatBytes,
  hexadecimal,
  unsigned,
  viewOf,
  type Decoded,
  type HeaderLayout,
} from '../../bytes/header-layout.js';

export interface VlanTag {
  /** Priority code point, three bits. */
  readonly pcp: number;
  /** Drop eligible indicator, one bit. */
  readonly dei: number;
  readonly vid: number;
  /** The type of what follows. */
  readonly etherType: number;
}

const tagLength = 4;

export const vlanLayout: HeaderLayout = [
  {
    length: 2,
    fields: [
      { name: 'pcp', read: (bytes) => String(unsigned(bytes) >>> 13) },
      { name: 'dei', read: (bytes) => String((unsigned(bytes) >>> 12) & 1) },
      { name: 'vid', read: (bytes) => String(unsigned(bytes) & 0xfff) },
    ],
  },
  { name: 'type', length: 2, read: hexadecimal },
];

/** The tag and what follows it; the type in front of it is part of the header before. */
export function encodeVlan({ pcp, dei, vid, etherType }: VlanTag, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(tagLength);
  const view = viewOf(bytes);
  view.setUint16(0, (pcp << 13) | (dei << 12) | vid);
  view.setUint16(2, etherType);
  return concatBytes(bytes, payload);
}

/** Undefined for less than four bytes. */
export function decodeVlan(bytes: Uint8Array): Decoded<VlanTag> | undefined {
  if (bytes.length < tagLength) return undefined;
  const view = viewOf(bytes);
  const control = view.getUint16(0);
  return {
    header: {
      pcp: control >>> 13,
      dei: (control >>> 12) & 1,
      vid: control & 0xfff,
      etherType: view.getUint16(2),
    },
    payload: bytes.subarray(tagLength),
  };
}
