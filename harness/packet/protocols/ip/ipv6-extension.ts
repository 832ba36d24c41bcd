/** The headers between IPv6 and what it carries (RFC 8200, section 4; RFC 4302). */
import { assert } from '../../../base/errors/errors.js';
import type { ByteView } from '../../bytes/byte-view.js';
import {
  concatBytes,
  decimal,
  hexadecimal,
  unsigned,
  viewOf,
  type HeaderLayout,
} from '../../bytes/header-layout.js';

/** Their types, by the names of what they are for. Of others the length is not known. */
export const extensionHeaders = {
  hopByHop: 0,
  routing: 43,
  fragment: 44,
  authentication: 51,
  destination: 60,
} as const;

export type ExtensionName = keyof typeof extensionHeaders;

const shortest = 8;

export const fragmentLayout: HeaderLayout = [
  { name: 'next_header', length: 1, read: decimal },
  { name: 'reserved', length: 1, read: hexadecimal },
  {
    length: 2,
    fields: [
      { name: 'offset', read: (bytes) => String(unsigned(bytes) & 0xfff8) },
      { name: 'flags', read: (bytes) => `0x${(unsigned(bytes) & 7).toString(16)}` },
    ],
  },
  { name: 'identification', length: 4, read: hexadecimal },
];

/** Of the others; what they hold follows. */
export const extensionLayout: HeaderLayout = [
  { name: 'next_header', length: 1, read: decimal },
  { name: 'length', length: 1, read: decimal },
];

export function isExtension(type: number): boolean {
  switch (type) {
    case extensionHeaders.hopByHop:
    case extensionHeaders.routing:
    case extensionHeaders.fragment:
    case extensionHeaders.authentication:
    case extensionHeaders.destination:
      return true;
    default:
      return false;
  }
}

/** Bytes of the header of that type at `at`; -1 where it does not end before `end`. */
export function extensionLength(view: ByteView, at: number, end: number, type: number): number {
  if (end < at + shortest) return -1;
  const length =
    type === extensionHeaders.fragment
      ? shortest
      : type === extensionHeaders.authentication
        ? (view.getUint8(at + 1) + 2) * 4
        : (view.getUint8(at + 1) + 1) * 8;
  return end < at + length ? -1 : length;
}

/**
 * A header other than the fragment header. @param content what is behind type and length: six bytes
 * and a multiple of eight; for authentication two and a multiple of four.
 */
export function encodeExtension(
  name: Exclude<ExtensionName, 'fragment'>,
  nextHeader: number,
  content: Uint8Array,
): Uint8Array {
  const bytes = concatBytes(Uint8Array.of(nextHeader, 0), content);
  const isAuthentication = name === 'authentication';
  assert(
    bytes.length >= shortest && bytes.length % (isAuthentication ? 4 : 8) === 0,
    `an extension header of ${bytes.length} bytes`,
  );
  bytes[1] = isAuthentication ? bytes.length / 4 - 2 : bytes.length / 8 - 1;
  return bytes;
}

export interface FragmentHeader {
  readonly nextHeader: number;
  /** In units of eight bytes. */
  readonly offset: number;
  readonly more: 'more' | 'last';
  readonly identification: number;
}

export function encodeFragment({
  nextHeader,
  offset,
  more,
  identification,
}: FragmentHeader): Uint8Array {
  const bytes = new Uint8Array(shortest);
  const view = viewOf(bytes);
  view.setUint8(0, nextHeader);
  view.setUint16(2, (offset << 3) | (more === 'more' ? 1 : 0));
  view.setUint32(4, identification);
  return bytes;
}
