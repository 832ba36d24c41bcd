/**
 * Which fields the model reads from a packet. A flow with another field is refused when it might
 * matter, never matched with zeros.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { Field } from '../../openflow/match/fields.js';
import type { Match } from '../../openflow/match/match.js';
import { isUnmapped } from './tunnel-options.js';

/** Fields that nothing fills in the flow key, or not as Open vSwitch does. */
const notExtracted: ReadonlySet<string> = new Set(['recirc_id', 'dp_hash', 'skb_priority']);

/** Whether packets have the field's value in their flow key. */
export function isExtracted(field: Field): boolean {
  return !notExtracted.has(field.name) && !isUnmapped(field);
}

/** What of a flow's match the model does not know, in a word, where there is anything. */
export function unsupportedFieldOf(match: Match): string | undefined {
  return match.find(({ field }) => !isExtracted(field))?.field.matchName;
}

/** @throws Unsupported where the model does not read the field. */
export function checkRead(field: Field): void {
  if (!isExtracted(field)) throw new Unsupported(`the model does not read ${field.name}`);
}

/** @throws Unsupported where the model does not write the field. */
export function checkWrite(field: Field): void {
  if (!isExtracted(field)) throw new Unsupported(`the model does not write ${field.name}`);
}
