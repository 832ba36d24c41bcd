import { decodeIpv6, ipv6Layout } from '../protocols/ip/ipv6.js';
import {
  extensionHeaders,
  extensionLayout,
  extensionLength,
  fragmentLayout,
  isExtension,
} from '../protocols/ip/ipv6-extension.js';
import { viewOf } from '../bytes/header-layout.js';
import type { Datagram } from './dissect-transport.js';
import { header, numbered, raw, type Parts } from './parts.js';

const names: ReadonlyMap<number, string> = new Map([
  [extensionHeaders.hopByHop, 'hop_by_hop'],
  [extensionHeaders.routing, 'routing'],
  [extensionHeaders.fragment, 'fragment'],
  [extensionHeaders.authentication, 'authentication'],
  [extensionHeaders.destination, 'destination'],
]);

/**
 * The header and its extensions; what they carry, or undefined where it is not IPv6. An extension
 * that is cut off is payload.
 */
export function* dissectIpv6(bytes: Uint8Array, prefix: string): Parts<Datagram | undefined> {
  const decoded = decodeIpv6(bytes);
  if (decoded === undefined) return undefined;
  const {
    header: { src, dst, nextHeader },
    payload,
  } = decoded;
  yield* header(`${prefix}ip6`, ipv6Layout, bytes);
  const view = viewOf(payload);
  const seen = new Map<string, number>();
  let [type, at, fragment]: [number, number, Datagram['fragment']] = [nextHeader, 0, 'none'];
  while (isExtension(type) && fragment !== 'later') {
    const length = extensionLength(view, at, payload.length, type);
    if (length < 0) break;
    const name = names.get(type) ?? '';
    seen.set(name, (seen.get(name) ?? 0) + 1);
    const place = `${prefix}ip6.${numbered(name, seen.get(name) ?? 1)}`;
    const isFragment = type === extensionHeaders.fragment;
    const layout = isFragment ? fragmentLayout : extensionLayout;
    yield* header(place, layout, payload.subarray(at, at + length));
    if (!isFragment) yield raw(`${place}.content`, payload.subarray(at + 2, at + length));
    if (isFragment && (view.getUint16(at + 2) & 0xfff9) !== 0)
      fragment = view.getUint16(at + 2) >>> 3 === 0 ? 'first' : 'later';
    type = view.getUint8(at);
    at += length;
  }
  return { protocol: type, addresses: { src, dst }, fragment, bytes: payload.subarray(at) };
}
