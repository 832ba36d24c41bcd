import { formatMac } from '../../base/addresses/mac-and-ipv4.js';
import { decodeIcmp6, icmp6EchoLayout, icmp6Layout, icmp6Types } from '../protocols/ip/icmp6.js';
import {
  decodeNeighbour,
  neighbourLayout,
  neighbourTypes,
  optionTypes,
} from '../protocols/ip/neighbour.js';
import type { IpAddresses } from '../protocols/ip/pseudo-header.js';
import { hexDigits, type ChecksumState } from '../bytes/header-layout.js';
import { trailerOf, header, numbered, raw, type Parts } from './parts.js';

const optionNames: ReadonlyMap<number, string> = new Map([
  [optionTypes.source, 'sll'],
  [optionTypes.target, 'tll'],
]);

/** @returns whether it is ICMPv6 at all. */
export function* dissectIcmp6(
  bytes: Uint8Array,
  addresses: IpAddresses,
  prefix: string,
  complete: (state: ChecksumState) => ChecksumState,
): Parts<boolean> {
  const icmp6 = decodeIcmp6(bytes, addresses);
  if (icmp6 === undefined) return false;
  const { type, code } = icmp6.header;
  const isEcho = type === icmp6Types.echoRequest || type === icmp6Types.echoReply;
  yield* header(
    `${prefix}icmp6`,
    isEcho ? icmp6EchoLayout : icmp6Layout,
    bytes,
    complete(icmp6.checksum),
  );
  const isNeighbour =
    code === 0 && (type === neighbourTypes.solicitation || type === neighbourTypes.advertisement);
  yield* isNeighbour ? neighbour(icmp6.payload, prefix) : [raw(`${prefix}payload`, icmp6.payload)];
  return true;
}

/** Link-layer addresses go by `nd.sll` and `nd.tll`, other options by their place. */
function* neighbour(bytes: Uint8Array, prefix: string): Parts {
  const decoded = decodeNeighbour(bytes);
  if (decoded === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}nd`, neighbourLayout, bytes);
  const seen = new Map<string, number>();
  let rest = bytes.subarray(16);
  for (const { type, content } of decoded.options) {
    const name = (content.length === 6 ? optionNames.get(type) : undefined) ?? 'option';
    seen.set(name, (seen.get(name) ?? 0) + 1);
    const whole = rest.subarray(0, content.length + 2);
    yield {
      name: `${prefix}nd.${numbered(name, seen.get(name) ?? 1)}`,
      value: name === 'option' ? `type ${type}, ${hexDigits(content)}` : formatMac(content),
      bytes: whole,
    };
    rest = trailerOf(whole, rest);
  }
  yield raw(`${prefix}nd.rest`, decoded.rest);
}
