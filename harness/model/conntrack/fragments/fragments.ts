/**
 * Fragments of IPv4 (RFC 791) and IPv6 (RFC 8200, section 4.5) on their way to whole packets, which
 * the tracker sees in their place; then they go on themselves (Open vSwitch lib/ipf.c).
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { ByteView } from '../../../packet/bytes/byte-view.js';
import { internetChecksum } from '../../../packet/bytes/checksum.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { copyKey, fragment, tupleWords, word } from '../../../packet/flow-key/flow-key.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import {
  extensionHeaders,
  extensionLength,
  isExtension,
} from '../../../packet/protocols/ip/ipv6-extension.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import { replaceWords } from '../../../packet/flow-key/rewrite/replace-bytes.js';
import type { Behaviour } from '../../behaviour.js';
import type { Packet } from '../../packet.js';
import type { ParsedFrame } from '../../nat/apply-nat.js';
import type { Family } from '../tuple.js';

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

/** A fragment, and the bytes of the packet that it has, both included. */
interface HeldFragment {
  readonly packet: Packet;
  readonly start: number;
  readonly end: number;
  readonly place: 'first' | 'between' | 'last';
}

export type ReassemblyResult =
  /** Waits for others. */
  | { readonly kind: 'held' }
  /** Can be part of no packet. */
  | { readonly kind: 'invalid' }
  /** Not looked at: what there was room for is complete, or too much. */
  | { readonly kind: 'refused' }
  /**
   * The last one that was missing. `pieces` are all of them in their order, and `frame` is what
   * they are together, without padding.
   */
  | { readonly kind: 'whole'; readonly fragments: readonly Packet[]; readonly frame: Uint8Array };

/**
 * Of IP packets in bytes, where it is not the last fragment; numbers of fragments; milliseconds.
 */
const limits = {
  smallest: { ipv4: 1200, ipv6: 1280 },
  held: 1000,
  ofIpv4: 58,
  sentAtOnce: 32,
  expiryMs: 15_000,
  purgeMs: 10_000,
  packet: 65_535,
} as const;

/**
 * What becomes of a fragment. @param key what has to be the same of all fragments of a packet
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

type Read = HeldFragment & { readonly family: Family; readonly identity: string };

function readIpv4(packet: Packet): Read | 'invalid' {
  const {
    frame,
    layout: { l3, l4 },
    baseKey,
    padding,
  } = packet;
  const view = viewOf(frame);
  if (internetChecksum(frame.subarray(l3, l4)) !== 0) return 'invalid';
  const flagsAndOffset = view.getUint16(l3 + 6);
  const start = (flagsAndOffset & 0x1fff) * 8;
  const place = placeOf(start, (flagsAndOffset & 0x2000) !== 0);
  if (place !== 'last' && frame.length - padding - l3 < limits.smallest.ipv4) return 'invalid';
  const identity = [
    'ipv4',
    view.getUint16(l3 + 4),
    baseKey[word.nwProto],
    baseKey[word.nwSrc],
    baseKey[word.nwDst],
  ].join(' ');
  return {
    packet,
    family: 'ipv4',
    start,
    end: (start + view.getUint16(l3 + 2) - (l4 - l3) - 1) & 0xffff,
    place,
    identity,
  };
}

/** `refused` for what its last fragment header says to be no fragment. */
function readIpv6(packet: Packet): Read | 'invalid' | 'refused' {
  const {
    frame,
    layout: { l3, l4 },
    padding,
  } = packet;
  const view = viewOf(frame);
  const header = fragmentHeader(view, l3);
  const offsetAndFlags = view.getUint16(header + 2);
  if ((offsetAndFlags & 0xfff9) === 0) return 'refused';
  const place = placeOf(offsetAndFlags & 0xfff8, (offsetAndFlags & 1) !== 0);
  if (place !== 'last' && frame.length - padding - l3 < limits.smallest.ipv6) return 'invalid';
  const start = ((offsetAndFlags & 0xfff8) + 8) & 0xffff;
  const identity = [
    'ipv6',
    view.getUint32(header + 4),
    ...Array.from({ length: 8 }, (_, index) => view.getUint32(l3 + 8 + 4 * index)),
  ].join(' ');
  return {
    packet,
    family: 'ipv6',
    start,
    end: (start + frame.length - padding - l4 - 1) & 0xffff,
    place,
    identity,
  };
}

/**
 * Where the last fragment header is that counts: behind that of a later fragment nothing is read.
 */
function fragmentHeader(view: ByteView, l3: number): number {
  let found = -1;
  let at = l3 + ipv6Length;
  let type = view.getUint8(l3 + 6);
  while (isExtension(type)) {
    if (type === extensionHeaders.fragment) found = at;
    if (type === extensionHeaders.fragment && (view.getUint16(at + 2) & 0xfff8) !== 0) break;
    const length = extensionLength(view, at, view.byteLength, type);
    type = view.getUint8(at);
    at += length;
  }
  return found;
}

function placeOf(offset: number, more: boolean): HeldFragment['place'] {
  return offset === 0 ? 'first' : more ? 'between' : 'last';
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

/**
 * The first fragment's frame with what the others carry behind it; in IPv6 extension headers stay,
 * but are not told of. Undefined where that is more than fits.
 */
function reassembledFrame(
  fragments: readonly HeldFragment[],
  family: Family,
  { reassembledSize }: Behaviour,
): Uint8Array | undefined {
  const [first, ...others] = fragments.map(({ packet }) => packet);
  if (first === undefined) return undefined;
  const parts = [
    first.frame.subarray(0, first.frame.length - first.padding),
    ...others.map(({ frame, layout, padding }) =>
      frame.subarray(layout.l4, frame.length - padding),
    ),
  ];
  const frame = Uint8Array.from(Buffer.concat(parts));
  const { l3 } = first.layout;
  const size =
    reassembledSize === 'with Ethernet'
      ? frame.length
      : frame.length - l3 - (family === 'ipv4' ? 0 : ipv6Length + 8);
  if (size > limits.packet) return undefined;
  const view = viewOf(frame);
  if (family === 'ipv6') {
    view.setUint16(fragmentHeader(view, l3) + 2, 0);
    view.setUint16(l3 + 4, frame.length - l3 - ipv6Length);
    view.setUint8(l3 + 6, first.baseKey[word.nwProto] ?? 0);
    return frame;
  }
  view.setUint16(l3 + 2, frame.length - l3);
  view.setUint16(l3 + 6, view.getUint16(l3 + 6) & ~0x2000);
  view.setUint16(l3 + 10, 0);
  view.setUint16(l3 + 10, internetChecksum(frame.subarray(l3, first.layout.l4)));
  return frame;
}

/**
 * A fragment of a packet that was translated as a whole: it gets that one's addresses, and the
 * first one all that it carries; what may look like a checksum in a later one is payload
 * (lib/ipf.c, ipf_post_execute_reass_pkts).
 */
export function natFragment(whole: ParsedFrame, piece: Packet): Packet {
  const {
    layout: { l3, l4 },
    padding,
  } = piece;
  const [frame, arrived, key] = [piece.frame.slice(), copyKey(piece.baseKey), copyKey(piece.key)];
  const isFirst = ((arrived[word.nwFrag] ?? 0) & fragment.later) === 0;
  if (isFirst) frame.set(whole.frame.subarray(l4, frame.length - padding), l4);
  if (arrived[word.ethType] === etherTypes.ipv4)
    replaceWords(viewOf(frame), l3 + 12, whole.key, word.nwSrc, 2, [l3 + 10]);
  else frame.set(whole.frame.subarray(l3 + 8, l3 + ipv6Length), l3 + 8);
  for (const field of tupleWords) {
    if (!isFirst && (field === word.tpSrc || field === word.tpDst)) continue;
    arrived[field] = whole.key[field] ?? 0;
    key[field] = whole.key[field] ?? 0;
  }
  return { ...piece, frame, baseKey: arrived, key, isParsed: false, isRewritten: true };
}

/** Whether a packet is a fragment of another. */
export function isFragment({ baseKey, layout }: Packet): boolean {
  return layout.l4 >= 0 && ((baseKey[word.nwFrag] ?? 0) & fragment.any) !== 0;
}
