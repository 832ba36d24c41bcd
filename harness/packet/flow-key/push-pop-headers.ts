/**
 * Headers that actions push and pop, as changes of its flow key; `rewrite`
 * brings them into the frame.
 */
import { etherTypes } from '../protocols/link/ethernet.js';
import {
  bottomOfStack,
  clearWords,
  countLabels,
  countTags,
  isIp,
  most,
  tagged,
  word,
  type FlowKey,
} from './flow-key.js';

const defaultTtl = 64;
/**
 * Label of a packet that had none before: the explicit null of IPv4 or IPv6 (RFC 3032, section
 * 2.1).
 */
const explicitNull = { ipv4: 0, ipv6: 2 } as const;

/**
 * A tag of priority 0 and number 0 in front of those that are there; of more than the key has room
 * for, the innermost is forgotten (ovs-actions(7), "push_vlan").
 */
export function pushVlan(key: FlowKey, type: number): void {
  for (const field of [word.vlanTci, word.vlanTpid])
    key.copyWithin(field + 1, field, field + most.tags - 1);
  key[word.vlanTci] = tagged;
  key[word.vlanTpid] = type;
}

/** Takes the outer tag off, where there is one. */
export function popVlan(key: FlowKey): void {
  const last = countTags(key) - 1;
  if (last < 0) return;
  for (const field of [word.vlanTci, word.vlanTpid]) {
    key.copyWithin(field, field + 1, field + last + 1);
    key[field + last] = 0;
  }
}

/**
 * An entry in front of the label stack: a copy of the one that was first, or a first one made from
 * the IP header; then the parser does not reach what was behind (ovs-actions(7), "push_mpls"). What
 * was changed of it has to be in the frame before.
 */
export function pushMpls(key: FlowKey, type: number): 'pushed' | 'too many labels' {
  const labels = countLabels(key);
  if (labels >= most.labels) return 'too many labels';
  const entry = labels === 0 ? firstEntry(key) : (key[word.mplsLse] ?? 0) & ~bottomOfStack;
  if (labels === 0) forgetPayload(key);
  key.copyWithin(word.mplsLse + 1, word.mplsLse, word.mplsLse + labels);
  key[word.mplsLse] = entry;
  key[word.ethType] = type;
  return 'pushed';
}

function firstEntry(key: FlowKey): number {
  const type = key[word.ethType] ?? 0;
  const label = type === etherTypes.ipv6 ? explicitNull.ipv6 : explicitNull.ipv4;
  const [tc, ttl] = isIp(type)
    ? [(key[word.nwTos] ?? 0) >>> 2, key[word.nwTtl] || defaultTtl]
    : [0, defaultTtl];
  return ((label << 12) | ((tc & 7) << 9) | bottomOfStack | ttl) >>> 0;
}

/**
 * Everything behind the Ethernet header, and the addresses and ports that the connection tracker
 * set.
 */
function forgetPayload(key: FlowKey): void {
  clearWords(key, word.nwSrc);
  clearWords(key, word.ctNwSrc, word.ctNwProto);
  clearWords(key, word.ctTpSrc, word.ctTpDst + 1);
  key[word.dpHash] = 0;
}

/**
 * Takes the first entry off; a packet without a label stack stays as it is. What is behind the last
 * entry is seen when the frame is reparsed.
 */
export function popMpls(key: FlowKey, type: number): 'popped' | 'no label' | 'too many labels' {
  const labels = countLabels(key);
  if (labels === 0) return 'no label';
  const last = word.mplsLse + labels - 1;
  if (labels === most.labels && ((key[last] ?? 0) & bottomOfStack) === 0) return 'too many labels';
  key.copyWithin(word.mplsLse, word.mplsLse + 1, word.mplsLse + labels);
  key[last] = 0;
  key[word.ethType] = type;
  return 'popped';
}
