/** Geneve, the header behind UDP port 6081 (RFC 8926, section 3.4). */
import { assert } from '../../../base/errors/errors.js';
import {
  concatBytes,
  decimal,
  hexadecimal,
  unsigned,
  viewOf,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';

export const genevePort = 6081;

export interface GeneveHeader {
  /** Virtual network identifier, 24 bits. */
  readonly vni: number;
  /** EtherType of the payload; 0x6558 is an Ethernet frame. */
  readonly protocolType: number;
  /** Raw, a multiple of four bytes, at most 252. */
  readonly options: Uint8Array;
  /** Some option must be understood, or the packet dropped. */
  readonly critical: boolean;
  /** A control message for the tunnel's end, not a tenant's packet. */
  readonly oam: boolean;
}

const fixedLength = 8;

/** The fixed part; options follow. */
export const geneveLayout: readonly FieldLayout[] = [
  {
    name: 'version',
    length: 1,
    read: (bytes) => `${unsigned(bytes) >>> 6}, options length ${(unsigned(bytes) & 0x3f) * 4}`,
  },
  { name: 'flags', length: 1, read: hexadecimal },
  { name: 'type', length: 2, read: hexadecimal },
  { name: 'vni', length: 3, read: decimal },
  { name: 'reserved', length: 1, read: hexadecimal },
];

/** The header, its options and the packet inside. */
export function encodeGeneve(header: GeneveHeader, payload: Uint8Array): Uint8Array {
  assert(
    header.options.length % 4 === 0 && header.options.length <= 252,
    `${header.options.length} bytes of Geneve options`,
  );
  const bytes = concatBytes(new Uint8Array(fixedLength), header.options, payload);
  const view = viewOf(bytes);
  view.setUint8(0, header.options.length / 4);
  view.setUint8(1, (header.oam ? 0x80 : 0) | (header.critical ? 0x40 : 0));
  view.setUint16(2, header.protocolType);
  view.setUint32(4, header.vni * 256);
  return bytes;
}

/** Undefined for less than eight bytes, another version than 0, or options that go past the end. */
export function decodeGeneve(bytes: Uint8Array): Decoded<GeneveHeader> | undefined {
  if (bytes.length < fixedLength) return undefined;
  const view = viewOf(bytes);
  const headerLength = fixedLength + (view.getUint8(0) & 0x3f) * 4;
  if (view.getUint8(0) >>> 6 !== 0 || headerLength > bytes.length) return undefined;
  return {
    header: {
      vni: view.getUint32(4) >>> 8,
      protocolType: view.getUint16(2),
      options: bytes.subarray(fixedLength, headerLength),
      critical: (view.getUint8(1) & 0x40) !== 0,
      oam: (view.getUint8(1) & 0x80) !== 0,
    },
    payload: bytes.subarray(headerLength),
  };
}
