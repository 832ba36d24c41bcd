/** NAT of fragments: each gets what their packet got. */
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { copyKey, fragment, tupleWords, word } from '../../../packet/flow-key/flow-key.js';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import { replaceWords } from '../../../packet/flow-key/rewrite/replace-bytes.js';
import type { Packet } from '../../packet/packet.js';
import type { ParsedFrame } from '../../nat/apply-nat.js';

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
