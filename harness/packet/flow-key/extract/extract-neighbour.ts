import type { ByteView } from '../../bytes/byte-view.js';
import { clearWords, word, type FlowKey } from '../flow-key.js';
import { neighbourTypes, optionTypes, neighbourLength } from '../../protocols/ip/neighbour.js';

const optionUnit = 8;

/**
 * Neighbour solicitations and advertisements (RFC 4861, sections 4.3 and 4.4): target, reserved
 * bits (the flags of an advertisement among them), link-layer addresses, and the type of the first
 * option that holds one. Of a message with two of the same kind, target and addresses are taken for
 * none.
 */
export function extractNeighbour(view: ByteView, l4: number, end: number, key: FlowKey): void {
  const type = key[word.tpSrc];
  if (
    key[word.tpDst] !== 0 ||
    (type !== neighbourTypes.solicitation && type !== neighbourTypes.advertisement)
  )
    return;
  key[word.ndReserved] = view.getUint32(l4 + 4);
  if (end < l4 + neighbourLength) return;
  for (let index = 0; index < 4; index++)
    key[word.ndTarget + index] = view.getUint32(l4 + 8 + 4 * index);
  for (let at = l4 + neighbourLength; end >= at + optionUnit; ) {
    const length = view.getUint8(at + 1) * optionUnit;
    if (length === 0 || length > end - at) return;
    if (length === optionUnit && extractOption(view, at, key) === 'twice') return;
    at += length;
  }
}

/** One option of eight bytes. An address of zeros is as good as none. */
function extractOption(view: ByteView, at: number, key: FlowKey): 'once' | 'twice' {
  const option = view.getUint8(at);
  if (option !== optionTypes.source && option !== optionTypes.target) return 'once';
  const place = option === optionTypes.source ? word.arpSha : word.arpTha;
  if (key[place] !== 0 || key[place + 1] !== 0) {
    clearWords(key, word.ndTarget, word.ndTarget + 4);
    clearWords(key, word.arpSha, word.arpTha + 2);
    return 'twice';
  }
  key[place] = view.getUint16(at + 2);
  key[place + 1] = view.getUint32(at + 4);
  if (key[word.tcpFlags] === 0) key[word.tcpFlags] = option;
  return 'once';
}
