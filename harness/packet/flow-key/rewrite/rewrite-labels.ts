import { Unpredictable, Unsupported } from '../../../base/errors/errors.js';
import { etherTypes } from '../../protocols/link/ethernet.js';
import type { Layout } from '../extract/extract.js';
import {
  bottomOfStack,
  countLabels,
  isMpls,
  isTag,
  most,
  word,
  type FlowKey,
} from '../flow-key.js';
import { insert, remove } from './replace-bytes.js';

const entryLength = 4;

/**
 * Brings the label stack of the frame from that of `before` to that of `after`: entries that are
 * the same from the bottom on stay, one that differs is overwritten, others are popped and pushed
 * (Open vSwitch lib/odp-util.c, commit_mpls_action). The EtherType follows a push or a pop, not a
 * change of the type alone.
 */
export function rewriteLabels(
  frame: Uint8Array,
  { mpls, l3 }: Layout,
  before: FlowKey,
  after: FlowKey,
): Uint8Array {
  const type = after[word.ethType] ?? 0;
  const wanted = countLabels(after);
  const entry = (fromBottom: number): Uint8Array =>
    bigEndian(after[word.mplsLse + wanted - 1 - fromBottom] ?? 0);
  const common = countCommonLabels(before, after);
  let labels = countLabels(before);
  const isDeeper =
    labels === most.labels && ((before[word.mplsLse + labels - 1] ?? 0) & bottomOfStack) === 0;
  if (isDeeper && (labels > common + 1 || wanted === common) && labels > common)
    throw new Unpredictable(
      'the model does not write an entry of zeros into a stack of more than three labels: ' +
        'Open vSwitch ends itself over it',
    );
  let stack = mpls;
  let bytes = frame;
  for (; labels > common + 1 || (labels > common && wanted === common); labels--) {
    if (mpls < 0) continue;
    if (stack < 0)
      throw new Unsupported(
        'the model does not take more labels off than the frame has: Open vSwitch looks for ' +
          'them where there is nothing',
      );
    const wasLast = ((bytes[stack + 2] ?? 0) & (bottomOfStack >>> 8)) !== 0;
    bytes = remove(
      withType(bytes, stack, !isMpls(type) && labels > 1 ? etherTypes.mpls : type),
      stack,
      entryLength,
    );
    if (wasLast) stack = -1;
  }
  // Where Open vSwitch has lost sight of the stack, it takes nothing off and writes nothing.
  if (labels > common && stack >= 0)
    bytes = insert(remove(bytes, stack, entryLength), stack, entry(labels - 1));
  for (; labels < wanted; labels++) {
    if (stack < 0) stack = l3;
    bytes = insert(withType(bytes, stack, type), stack, entry(labels));
  }
  return bytes;
}

/** How much longer or shorter the frame becomes by that, in bytes. */
export function labelsGrow({ mpls }: Layout, before: FlowKey, after: FlowKey): number {
  const [were, are] = [countLabels(before), countLabels(after)];
  if (mpls >= 0 || were === 0) return entryLength * (are - were);
  const common = countCommonLabels(before, after);
  return entryLength * Math.max(0, are - common - (were > common ? 1 : 0));
}

/** Entries that are the same, from the bottom on. */
export function countCommonLabels(before: FlowKey, after: FlowKey): number {
  const [were, are] = [countLabels(before), countLabels(after)];
  let common = 0;
  while (
    common < Math.min(were, are) &&
    before[word.mplsLse + were - 1 - common] === after[word.mplsLse + are - 1 - common]
  )
    common++;
  return common;
}

/**
 * The type stands in front of the stack where the frame has tags; else it is that of the Ethernet
 * header, also where that was a length.
 */
function withType(frame: Uint8Array, stack: number, type: number): Uint8Array {
  const bytes = frame.slice();
  const view = new DataView(bytes.buffer);
  view.setUint16(isTag(view.getUint16(12)) ? stack - 2 : 12, type);
  return bytes;
}

function bigEndian(entry: number): Uint8Array {
  return Uint8Array.of(entry >>> 24, entry >>> 16, entry >>> 8, entry);
}
