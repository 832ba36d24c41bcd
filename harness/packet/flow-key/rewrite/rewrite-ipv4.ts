import type { ByteView } from '../../bytes/byte-view.js';
import { word, type FlowKey } from '../flow-key.js';
import { changed, replace16, replaceWords } from './replace-bytes.js';
import { addressChecksum, neverZero } from './rewrite-transport.js';

/**
 * Addresses, type of service and time to live, with the header's checksum and that of what follows:
 * also where a later fragment has other bytes in its place.
 */
export function rewriteIpv4(
  view: ByteView,
  l3: number,
  l4: number,
  end: number,
  before: FlowKey,
  after: FlowKey,
): void {
  const header = l3 + 10;
  const protocol = view.getUint8(l3 + 9);
  if (changed(before, after, word.nwSrc, 2))
    rewriteAddresses(view, l3, addressChecksum(view, l4, end, protocol), before, after);
  if (changed(before, after, word.nwTos))
    replace16(view, l3, (view.getUint8(l3) << 8) | (after[word.nwTos] ?? 0), [header]);
  if (changed(before, after, word.nwTtl))
    replace16(view, l3 + 8, ((after[word.nwTtl] ?? 0) << 8) | protocol, [header]);
}

function rewriteAddresses(
  view: ByteView,
  l3: number,
  transport: readonly number[],
  before: FlowKey,
  after: FlowKey,
): void {
  for (const [field, place] of [
    [word.nwSrc, l3 + 12],
    [word.nwDst, l3 + 16],
  ] as const) {
    if (!changed(before, after, field)) continue;
    replaceWords(view, place, after, field, 1, [l3 + 10, ...transport]);
    neverZero(view, view.getUint8(l3 + 9), transport);
  }
}
