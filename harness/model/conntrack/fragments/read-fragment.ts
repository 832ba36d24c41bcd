/** What a fragment says of its place in a packet. */
import type { ByteView } from '../../../packet/bytes/byte-view.js';
import { internetChecksum } from '../../../packet/bytes/checksum.js';
import { word } from '../../../packet/flow-key/flow-key.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import {
  extensionHeaders,
  extensionLength,
  isExtension,
} from '../../../packet/protocols/ip/ipv6-extension.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import type { Packet } from '../../packet/packet.js';
import type { Family } from '../tuple.js';
import { limits } from './fragment-limits.js';

/** A fragment, and the bytes of the packet that it has, both included. */
export interface HeldFragment {
  readonly packet: Packet;
  readonly start: number;
  readonly end: number;
  readonly place: 'first' | 'between' | 'last';
}

type Read = HeldFragment & { readonly family: Family; readonly identity: string };

export function readIpv4(packet: Packet): Read | 'invalid' {
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
export function readIpv6(packet: Packet): Read | 'invalid' | 'refused' {
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
export function fragmentHeader(view: ByteView, l3: number): number {
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
