import { Unpredictable } from '../../../base/errors/errors.js';
import type { ByteView } from '../../bytes/byte-view.js';
import { resolvesIpv4 } from '../extract/extract-arp.js';
import { word, type FlowKey } from '../flow-key.js';
import { changed, replaceMac, replaceWords } from './replace-bytes.js';

/** An operation that Open vSwitch's keys have no room for, and that it writes as 0xffff. */
const anyOperation = 0xff;

/**
 * The key's fields of ARP, where it has an operation: Open vSwitch writes no ARP of operation 0
 * (lib/odp-util.c, commit_set_nw_action).
 */
export function rewriteArp(view: ByteView, l3: number, before: FlowKey, after: FlowKey): void {
  const isChanged =
    [word.nwProto, word.nwSrc, word.nwDst].some((field) => changed(before, after, field)) ||
    changed(before, after, word.arpSha, 2) ||
    changed(before, after, word.arpTha, 2);
  const operation = after[word.nwProto] ?? 0;
  if (!isChanged || operation === 0) return;
  // It writes the bits that flows name, into whatever stands there.
  if (!resolvesIpv4(view, l3) || view.getUint16(l3 + 6) > 0xff)
    throw new Unpredictable(
      'the model does not rewrite ARP that is not for IPv4 over Ethernet, or has an operation ' +
        'above 255',
    );
  if (operation === anyOperation)
    throw new Unpredictable(
      `the model does not rewrite ARP of operation ${anyOperation}, which Open vSwitch takes ` +
        'for any',
    );
  view.setUint16(l3 + 6, operation);
  if (changed(before, after, word.arpSha, 2)) replaceMac(view, l3 + 8, after, word.arpSha, []);
  if (changed(before, after, word.nwSrc)) replaceWords(view, l3 + 14, after, word.nwSrc, 1, []);
  if (changed(before, after, word.arpTha, 2)) replaceMac(view, l3 + 18, after, word.arpTha, []);
  if (changed(before, after, word.nwDst)) replaceWords(view, l3 + 24, after, word.nwDst, 1, []);
}
