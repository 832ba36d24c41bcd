/** GRE behind IP protocol 47 (RFC 2784), with an optional key (RFC 2890). Checksum and sequence number are not known here. */
import { concatBytes, decimal, hexadecimal, viewOf, type Decoded, type FieldLayout } from './header.js';

export interface GreHeader {
  /** EtherType of the payload; 0x6558 is an Ethernet frame. */
  readonly protocolType: number;
  /** 32 bits. */
  readonly key?: number;
}

const keyFlag = 0x2000;

export const greLayout: readonly FieldLayout[] = [
  { name: 'flags', length: 2, read: hexadecimal },
  { name: 'type', length: 2, read: hexadecimal },
];
/** Follows where the flags say so. */
export const greKeyLayout: readonly FieldLayout[] = [{ name: 'key', length: 4, read: decimal }];

export function encodeGre(header: GreHeader, payload: Uint8Array): Uint8Array {
  const bytes = concatBytes(new Uint8Array(header.key === undefined ? 4 : 8), payload);
  const view = viewOf(bytes);
  view.setUint16(0, header.key === undefined ? 0 : keyFlag);
  view.setUint16(2, header.protocolType);
  if (header.key !== undefined) view.setUint32(4, header.key);
  return bytes;
}

/** Undefined when it is cut short, or has other flags than the key's. */
export function decodeGre(bytes: Uint8Array): Decoded<GreHeader> | undefined {
  if (bytes.length < 4) return undefined;
  const view = viewOf(bytes);
  const flags = view.getUint16(0);
  const protocolType = view.getUint16(2);
  if (flags === 0) return { header: { protocolType }, payload: bytes.subarray(4) };
  if (flags !== keyFlag || bytes.length < 8) return undefined;
  return { header: { protocolType, key: view.getUint32(4) }, payload: bytes.subarray(8) };
}
