import type { ByteView } from '../../bytes/byte-view.js';
import { fragment, word, type FlowKey } from '../flow-key.js';
import {
  extensionHeaders,
  extensionLength,
  isExtension,
} from '../../protocols/ip/ipv6-extension.js';
import { ipv6Length } from '../../protocols/ip/ipv6.js';
import { extractTransport } from './extract-transport.js';

/**
 * IPv6 (RFC 8200), and what it carries behind the extension headers that are known; padding is not
 * part of it. The version is not checked, and a payload length of zero is no jumbogram's (RFC
 * 2675). Where an extension header is broken, nothing but the addresses is read. @returns where the
 * payload starts, or -1.
 */
export function extractIpv6(view: ByteView, l3: number, key: FlowKey): number {
  const first = l3 + ipv6Length;
  if (view.byteLength < first) return -1;
  const end = first + view.getUint16(l3 + 4);
  if (view.byteLength < end) return -1;
  for (let index = 0; index < 4; index++) {
    key[word.ipv6Src + index] = view.getUint32(l3 + 8 + 4 * index);
    key[word.ipv6Dst + index] = view.getUint32(l3 + 24 + 4 * index);
  }
  const l4 = readExtensions(view, first, end, view.getUint8(l3 + 6), key);
  if (l4 < 0) return -1;
  const start = view.getUint32(l3);
  key[word.nwTos] = (start >>> 20) & 0xff;
  key[word.ipv6Label] = start & 0xfffff;
  key[word.nwTtl] = view.getUint8(l3 + 7);
  if (((key[word.nwFrag] ?? 0) & fragment.later) === 0) extractTransport(view, l4, end, key);
  return l4;
}

/**
 * Protocol and kind of fragment; a later fragment's protocol is that of the fragment header.
 * @returns where the payload starts, or -1.
 */
export function readExtensions(
  view: ByteView,
  start: number,
  end: number,
  firstType: number,
  key: FlowKey,
): number {
  let at = start;
  let type = firstType;
  let kind = 0;
  while (isExtension(type) && (kind & fragment.later) === 0) {
    const length = extensionLength(view, at, end, type);
    if (length < 0) return -1;
    const isFragment = type === extensionHeaders.fragment;
    const offsetAndFlags = isFragment ? view.getUint16(at + 2) : 0;
    if (offsetAndFlags !== 0)
      kind = fragment.any | ((offsetAndFlags & 0xfff8) === 0 ? 0 : fragment.later);
    if ((kind & fragment.later) === 0) type = view.getUint8(at);
    at += length;
  }
  key[word.nwProto] = type;
  key[word.nwFrag] = kind;
  return at;
}
