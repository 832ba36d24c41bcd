import type { ByteView } from '../../bytes/byte-view.js';
import { bottomOfStack, most, word, type FlowKey } from '../flow-key.js';

const entryLength = 4;

/**
 * The first entries of a label stack (RFC 3032); of what is behind it nothing is read. @returns
 * where the stack ends, at the latest where the frame does.
 */
export function extractMpls(view: ByteView, start: number, key: FlowKey): number {
  let at = start;
  for (let index = 0; view.byteLength >= at + entryLength; index++) {
    const entry = view.getUint32(at);
    at += entryLength;
    if (index < most.labels) key[word.mplsLse + index] = entry;
    if ((entry & bottomOfStack) !== 0) return at;
  }
  return at;
}
