import { Unpredictable } from '../../../base/errors/errors.js';
import type { ByteView } from '../../bytes/byte-view.js';
import { internetChecksum, sumWords } from '../../bytes/checksum.js';
import { word, type FlowKey } from '../flow-key.js';
import { neighbourLength, optionTypes } from '../../protocols/ip/neighbour.js';
import { changed, replaceMac, replaceWords } from './replace-bytes.js';

const optionUnit = 8;

/**
 * Reserved bits and option type, then target and addresses (Open vSwitch lib/packets.c,
 * packet_set_nd_ext and packet_set_nd). The first two are written with a recomputed checksum, the
 * others with an updated one. A message without room for a target stays as it is.
 */
export function rewriteNeighbour(
  view: ByteView,
  l3: number,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  const hasAddresses =
    changed(before, after, word.ndTarget, 4) ||
    changed(before, after, word.arpSha, 2) ||
    changed(before, after, word.arpTha, 2);
  if (end < l4 + neighbourLength) return;
  if (changesExtensions(before, after)) rewriteExtensions(view, l3, l4, end, before, after);
  if (hasAddresses) rewriteAddresses(view, l4, end, before, after);
}

/** Whether reserved bits or the option type are written. */
export function changesExtensions(before: FlowKey, after: FlowKey): boolean {
  return changed(before, after, word.ndReserved) || changed(before, after, word.tcpFlags);
}

/**
 * The type of the first option is written even where there is none: into padding, or into nothing.
 */
function rewriteExtensions(
  view: ByteView,
  l3: number,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  if (changed(before, after, word.ndReserved)) view.setUint32(l4 + 4, after[word.ndReserved] ?? 0);
  const option = l4 + neighbourLength;
  if (changed(before, after, word.tcpFlags) && option < view.byteLength)
    view.setUint8(option, after[word.tcpFlags] ?? 0);
  view.setUint16(l4 + 2, 0);
  view.setUint16(l4 + 2, internetChecksum(view.bytes.subarray(l4, end), pseudoHeader(view, l3)));
}

/**
 * With extension headers it is not the one of RFC 8200, section 8.1: next header and length are
 * those of the IPv6 header.
 */
function pseudoHeader(view: ByteView, l3: number): number {
  return sumWords(
    view.bytes.subarray(l3 + 8, l3 + 40),
    view.getUint8(l3 + 6) + view.getUint16(l3 + 4),
  );
}

function rewriteAddresses(
  view: ByteView,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  const checksum = [l4 + 2];
  if (changed(before, after, word.ndTarget, 4)) {
    refuseUnseen(
      [0, 4, 8, 12].every(
        (offset, index) => view.getUint32(l4 + 8 + offset) === before[word.ndTarget + index],
      ),
    );
    replaceWords(view, l4 + 8, after, word.ndTarget, 4, checksum);
  }
  const option = firstAddress(view, l4 + neighbourLength, end);
  if (option === undefined) return;
  const field = view.getUint8(option) === optionTypes.source ? word.arpSha : word.arpTha;
  if (!changed(before, after, field, 2)) return;
  refuseUnseen(
    view.getUint16(option + 2) === before[field] &&
      view.getUint32(option + 4) === before[field + 1],
  );
  replaceMac(view, option + 2, after, field, checksum);
}

/**
 * Of a message with two addresses of one kind, fields are zero, and written are the bits alone that
 * some flow on the way has written or read.
 */
function refuseUnseen(isSeen: boolean): void {
  if (!isSeen)
    throw new Unpredictable(
      'the model does not know how much is written of a neighbour discovery message with two ' +
        'link-layer addresses of one kind',
    );
}

/**
 * The first option with a link-layer address of six bytes: no other is written. Open vSwitch takes
 * the length of an option off what is left when it has gone past the one in front of it.
 */
function firstAddress(view: ByteView, start: number, end: number): number | undefined {
  const lengthAt = (place: number): number =>
    place + optionUnit <= view.byteLength ? view.getUint8(place + 1) * optionUnit : 0;
  for (let at = start, left = end - start; left >= optionUnit; left -= lengthAt(at)) {
    const length = lengthAt(at);
    if (length === 0) return undefined;
    if (length > left)
      throw new Unpredictable(
        'the model does not rewrite neighbour discovery with an option that is cut off',
      );
    const type = view.getUint8(at);
    if (length === optionUnit && (type === optionTypes.source || type === optionTypes.target))
      return at;
    at += length;
  }
  return undefined;
}
