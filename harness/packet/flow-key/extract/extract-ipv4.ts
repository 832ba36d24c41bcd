import type { ByteView } from '../../bytes/byte-view.js';
import { fragment, word, type FlowKey } from '../flow-key.js';
import { extractTransport } from './extract-transport.js';

const fixedLength = 20;

/**
 * IPv4 (RFC 791), and what it carries; padding is not part of it. The version is not checked.
 * @returns where the payload starts, or -1.
 */
export function extractIpv4(view: ByteView, l3: number, key: FlowKey): number {
  if (view.byteLength < l3 + fixedLength) return -1;
  const headerLength = (view.getUint8(l3) & 0x0f) * 4;
  const totalLength = view.getUint16(l3 + 2);
  if (
    headerLength < fixedLength ||
    totalLength < headerLength ||
    view.byteLength < l3 + totalLength
  )
    return -1;
  const flagsAndOffset = view.getUint16(l3 + 6);
  const later = (flagsAndOffset & 0x1fff) !== 0;
  if (later || (flagsAndOffset & 0x2000) !== 0)
    key[word.nwFrag] = fragment.any | (later ? fragment.later : 0);
  key[word.nwTos] = view.getUint8(l3 + 1);
  key[word.nwTtl] = view.getUint8(l3 + 8);
  key[word.nwProto] = view.getUint8(l3 + 9);
  key[word.nwSrc] = view.getUint32(l3 + 12);
  key[word.nwDst] = view.getUint32(l3 + 16);
  const l4 = l3 + headerLength;
  if (!later) extractTransport(view, l4, l3 + totalLength, key);
  return l4;
}
