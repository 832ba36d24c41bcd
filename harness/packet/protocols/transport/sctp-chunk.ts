/**
 * SCTP's chunks (RFC 9260, section 3.2 and 3.3), as far as an association of one message needs
 * them.
 */
import { concatBytes, viewOf } from '../../bytes/header-layout.js';

export const sctpChunkTypes = {
  data: 0,
  init: 1,
  initAck: 2,
  sack: 3,
  abort: 6,
  shutdown: 7,
  shutdownAck: 8,
  cookieEcho: 10,
  cookieAck: 11,
  shutdownComplete: 14,
} as const;

export interface SctpChunk {
  readonly type: number;
  readonly flags: number;
  /** Behind type, flags and length, without padding. */
  readonly value: Uint8Array;
}

const headerLength = 4;

/** Padded to four bytes; the length does not count that. */
export function encodeChunk({ type, flags, value }: SctpChunk): Uint8Array {
  const header = new Uint8Array(headerLength);
  header.set([type, flags]);
  viewOf(header).setUint16(2, headerLength + value.length);
  return concatBytes(header, value, new Uint8Array((4 - (value.length % 4)) % 4));
}

/** The chunks of a packet, in order; undefined where they are not as long as they say. */
export function decodeChunks(bytes: Uint8Array): readonly SctpChunk[] | undefined {
  const chunks: SctpChunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < headerLength) return undefined;
    const length = viewOf(bytes).getUint16(at + 2);
    if (length < headerLength || at + length > bytes.length) return undefined;
    chunks.push({
      type: bytes[at] ?? 0,
      flags: bytes[at + 1] ?? 0,
      value: bytes.slice(at + headerLength, at + length),
    });
    at += Math.ceil(length / 4) * 4;
  }
  return chunks;
}

/**
 * What INIT and INIT ACK begin with (section 3.3.2): the tag that the other side has to use, and
 * the number of the first DATA.
 */
export interface SctpInit {
  readonly initiateTag: number;
  readonly initialTsn: number;
}

const initLength = 16;
const receiverWindow = 65_536;
const stateCookie = 7;

/** `cookie` stands in INIT ACK alone. */
export function encodeInit({ initiateTag, initialTsn }: SctpInit, cookie?: Uint8Array): Uint8Array {
  const fixed = new Uint8Array(initLength);
  const view = viewOf(fixed);
  view.setUint32(0, initiateTag);
  view.setUint32(4, receiverWindow);
  view.setUint16(8, 1);
  view.setUint16(10, 1);
  view.setUint32(12, initialTsn);
  if (cookie === undefined) return fixed;
  const parameter = new Uint8Array(headerLength);
  viewOf(parameter).setUint16(0, stateCookie);
  viewOf(parameter).setUint16(2, headerLength + cookie.length);
  return concatBytes(fixed, parameter, cookie);
}

/** Undefined for what is too short. `cookie` where the first parameter is one. */
export function decodeInit(
  value: Uint8Array,
): (SctpInit & { readonly cookie?: Uint8Array }) | undefined {
  if (value.length < initLength) return undefined;
  const view = viewOf(value);
  const init = { initiateTag: view.getUint32(0), initialTsn: view.getUint32(12) };
  if (value.length < initLength + headerLength || view.getUint16(initLength) !== stateCookie)
    return init;
  return {
    ...init,
    cookie: value.slice(initLength + headerLength, initLength + view.getUint16(initLength + 2)),
  };
}

/** One whole message in stream 0. */
export function encodeData(tsn: number, payload: Uint8Array): Uint8Array {
  const fixed = new Uint8Array(12);
  viewOf(fixed).setUint32(0, tsn);
  return concatBytes(fixed, payload);
}

/** Of SACK, and of SHUTDOWN, which begins alike: the last number that came. */
export function encodeSack(cumulativeTsn: number): Uint8Array {
  const value = new Uint8Array(12);
  viewOf(value).setUint32(0, cumulativeTsn);
  viewOf(value).setUint32(4, receiverWindow);
  return value;
}

/** `cumulativeTsn` modulo 2^32. */
export function encodeShutdown(cumulativeTsn: number): Uint8Array {
  const value = new Uint8Array(4);
  viewOf(value).setUint32(0, cumulativeTsn);
  return value;
}
