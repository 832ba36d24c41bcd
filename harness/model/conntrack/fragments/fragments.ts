/**
 * Fragments of IPv4 (RFC 791) and IPv6 (RFC 8200, section 4.5) on their way to whole packets, which
 * the tracker sees in their place; then they go on themselves (Open vSwitch lib/ipf.c).
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { fragment, word } from '../../../packet/flow-key/flow-key.js';
import type { Behaviour } from '../../behaviour.js';
import type { Packet } from '../../packet/packet.js';
import type { Family } from '../tuple.js';
import { limits } from './fragment-limits.js';
import { type HeldFragment, readIpv4, readIpv6 } from './read-fragment.js';
import { reassembledFrame } from './reassembled-frame.js';

/** Packets that are not whole yet, the oldest first. */
export type Fragments = FragmentList[];

interface FragmentList {
  readonly family: Family;
  readonly key: string;
  readonly fragments: HeldFragment[];
  readonly expiresAtMs: number;
  /** Whole, but too large to be a packet. */
  isTooLarge: boolean;
}

export type ReassemblyResult =
  /** Waits for others. */
  | { readonly kind: 'held' }
  /** Can be part of no packet. */
  | { readonly kind: 'invalid' }
  /** Not read: what there was room for is complete, or too much. */
  | { readonly kind: 'refused' }
  /**
   * The last one that was missing. `pieces` are all of them in their order, and `frame` is what
   * they are together, without padding.
   */
  | { readonly kind: 'whole'; readonly fragments: readonly Packet[]; readonly frame: Uint8Array };

/**
 * The result for a fragment. @param key what has to be the same of all fragments of a packet
 * beside what stands in them.
 * @throws Unsupported where the real time matters that has passed.
 */
export function addFragment(
  fragments: Fragments,
  packet: Packet,
  key: string,
  nowMs: number,
  behaviour: Behaviour,
): ReassemblyResult {
  const read =
    packet.baseKey[word.ethType] === etherTypes.ipv6 ? readIpv6(packet) : readIpv4(packet);
  if (typeof read === 'string') return { kind: read };
  const { family, identity, ...piece } = read;
  const own = `${key} ${identity}`;
  if (fragments.reduce((sum, { fragments: pieces }) => sum + pieces.length, 0) >= limits.held)
    return { kind: 'refused' };
  const found = fragments.find((list) => list.key === own);
  const list: FragmentList = found ?? {
    family,
    key: own,
    fragments: [],
    expiresAtMs: nowMs + limits.expiryMs,
    isTooLarge: false,
  };
  if (found === undefined) fragments.push(list);
  if (nowMs >= list.expiresAtMs + limits.purgeMs)
    throw new Unsupported(
      'the model does not know whether fragments that waited so long are still there when ' +
        'another comes',
    );
  if (list.isTooLarge || (family === 'ipv4' && list.fragments.length >= limits.ofIpv4))
    return { kind: 'refused' };
  const { fragments: pieces } = list;
  if (
    pieces.some(
      ({ start, end }) => isWithin(piece.start, start, end) || isWithin(piece.end, start, end),
    )
  )
    return { kind: 'invalid' };
  pieces.push(piece);
  if (!isComplete(pieces)) return { kind: 'held' };
  const frame = reassembledFrame(pieces, family, behaviour);
  list.isTooLarge = frame === undefined;
  if (frame === undefined) return { kind: 'held' };
  fragments.splice(fragments.indexOf(list), 1);
  if (behaviour.expiredFragments === 'go on' && pieces.length > limits.sentAtOnce)
    throw new Unsupported(
      `the model does not know when the last of more than ${limits.sentAtOnce} fragments go on`,
    );
  return { kind: 'whole', fragments: pieces.map((one) => one.packet), frame };
}

/**
 * Fragments that have waited too long are let go, whenever a packet of `family` is tracked.
 * @throws Unsupported where they go on with that packet.
 */
export function expireFragments(
  fragments: Fragments,
  family: Family,
  nowMs: number,
  { expiredFragments }: Behaviour,
): void {
  const expired = fragments.filter(
    (gathering) =>
      nowMs > gathering.expiresAtMs &&
      (expiredFragments === 'are dropped' || gathering.family === family),
  );
  const [oldest] = expired;
  if (oldest === undefined) return;
  if (
    expiredFragments === 'go on' &&
    expired.some(({ expiresAtMs }) => nowMs < expiresAtMs + limits.purgeMs)
  ) {
    throw new Unsupported(
      'the model does not follow fragments that have waited too long and go on with another ' +
        'packet, without all of what is known of them',
    );
  }
  fragments.splice(fragments.indexOf(oldest), 1);
}

function isWithin(byte: number, start: number, end: number): boolean {
  return byte >= start && byte <= end;
}

/** In order, once the first and the last are there; whether none is missing between them. */
function isComplete(pieces: HeldFragment[]): boolean {
  if (
    !pieces.some(({ place }) => place === 'first') ||
    !pieces.some(({ place }) => place === 'last')
  )
    return false;
  pieces.sort((a, b) => a.start - b.start);
  return pieces.every(({ start }, index) => index === 0 || pieces[index - 1]?.end === start - 1);
}

/** Whether a packet is a fragment of another. */
export function isFragment({ baseKey, layout }: Packet): boolean {
  return layout.l4 >= 0 && ((baseKey[word.nwFrag] ?? 0) & fragment.any) !== 0;
}
