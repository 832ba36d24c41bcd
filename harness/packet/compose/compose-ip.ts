import { internetChecksum, sumWords } from '../bytes/checksum.js';
import { fragment, word, type FlowKey } from '../flow-key/flow-key.js';
import { concatBytes, viewOf } from '../bytes/header-layout.js';
import { ipv4Flags } from '../protocols/ip/ipv4.js';
import { ipv6Length } from '../protocols/ip/ipv6.js';
import { put32 } from './put-bytes.js';
import { composeTransport } from './compose-transport.js';

const ipv4Length = 20;
/** Where a later fragment stands, in units of eight bytes. */
const laterOffset = 100;

/** No options; a fragment has others behind it. */
export function composeIpv4(key: FlowKey, payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(ipv4Length);
  const view = viewOf(header);
  view.setUint8(0, 0x45);
  view.setUint8(1, key[word.nwTos] ?? 0);
  view.setUint16(6, fragmentWord(key[word.nwFrag] ?? 0));
  view.setUint8(8, key[word.nwTtl] ?? 0);
  view.setUint8(9, key[word.nwProto] ?? 0);
  put32(view, 12, key, word.nwSrc, 1);
  put32(view, 16, key, word.nwDst, 1);
  const transport = composeTransport(key, payload, sumWords(header.subarray(12)));
  view.setUint16(2, ipv4Length + transport.length);
  view.setUint16(10, internetChecksum(header));
  return concatBytes(header, transport);
}

function fragmentWord(kind: number): number {
  if ((kind & fragment.any) === 0) return 0;
  return (ipv4Flags.moreFragments << 13) | ((kind & fragment.later) === 0 ? 0 : laterOffset);
}

/** No extension headers, so no fragment header either. */
export function composeIpv6(key: FlowKey, payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(ipv6Length);
  const view = viewOf(header);
  view.setUint32(
    0,
    ((6 << 28) | ((key[word.nwTos] ?? 0) << 20) | (key[word.ipv6Label] ?? 0)) >>> 0,
  );
  view.setUint8(6, key[word.nwProto] ?? 0);
  view.setUint8(7, key[word.nwTtl] ?? 0);
  put32(view, 8, key, word.ipv6Src, 4);
  put32(view, 24, key, word.ipv6Dst, 4);
  const transport = composeTransport(key, payload, sumWords(header.subarray(8)));
  view.setUint16(4, transport.length);
  return concatBytes(header, transport);
}
