import { etherTypes } from '../../protocols/link/ethernet.js';
import { countTags, isTag, tagged, word, type FlowKey } from '../flow-key.js';
import { insert, remove } from './replace-bytes.js';

const place = 12;
const tagLength = 4;

/**
 * Pops every tag that is not the same from the innermost on, and pushes those of `after`: so a tag
 * that is rewritten loses its drop eligible indicator (Open vSwitch lib/odp-util.c,
 * commit_vlan_action).
 */
export function rewriteTags(frame: Uint8Array, before: FlowKey, after: FlowKey): Uint8Array {
  const common = countCommonTags(before, after);
  let popped = countTags(before) - common;
  let pushed = countTags(after) - common;
  let bytes = frame;
  for (; popped > 0; popped--)
    if (isTag((bytes[place] ?? 0) * 256 + (bytes[place + 1] ?? 0)))
      bytes = remove(bytes, place, tagLength);
  for (; pushed > 0; pushed--) bytes = insert(bytes, place, tagOf(after, pushed - 1));
  return bytes;
}

/** Tags that are the same, from the innermost on. */
export function countCommonTags(before: FlowKey, after: FlowKey): number {
  const [were, are] = [countTags(before), countTags(after)];
  let common = 0;
  while (
    common < Math.min(were, are) &&
    isSameTag(before, were - 1 - common, after, are - 1 - common)
  )
    common++;
  return common;
}

function isSameTag(before: FlowKey, one: number, after: FlowKey, other: number): boolean {
  return (
    before[word.vlanTci + one] === after[word.vlanTci + other] &&
    typeOf(before, one) === typeOf(after, other)
  );
}

/** A tag that came by writing its fields is a customer's. */
function typeOf(key: FlowKey, index: number): number {
  return key[word.vlanTpid + index] || etherTypes.vlan;
}

function tagOf(key: FlowKey, index: number): Uint8Array {
  const [type, control] = [typeOf(key, index), (key[word.vlanTci + index] ?? 0) & ~tagged];
  return Uint8Array.of(type >>> 8, type & 0xff, control >>> 8, control & 0xff);
}
