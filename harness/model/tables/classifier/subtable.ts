/** The rules of a table that ask for the same bits. */
import { assert } from '../../../base/errors/errors.js';
import { printMatch } from '../../../openflow/match/print-match.js';
import type { Rule } from './rule.js';
import {
  addBucket,
  bucketWith,
  dropBucket,
  emptyHashSubtable,
  type Bucket,
  type HashSubtable,
} from './hash-subtable.js';
import type { MatchWords } from './match-words.js';

/** Its buckets hold the rules of one match each, by falling priority. */
export interface Subtable extends HashSubtable<Rule> {
  readonly name: string;
  priorityMax: number;
}

/**
 * A rule with something that the model cannot compare is alone with its match, or else it would be
 * taken for others.
 */
export function subtableName({ places, masks }: MatchWords, { unsupported, flow }: Rule): string {
  const bits = places.map((place, index) => `${place}&${masks[index]}`).join();
  return unsupported === undefined ? bits : `${bits} ${printMatch(flow.match)}`;
}

export function emptySubtable(name: string, { places, masks }: MatchWords): Subtable {
  return { name, ...emptyHashSubtable(places, masks), priorityMax: -1 };
}

/** Puts in a rule that is not there yet. */
export function insertRule(subtable: Subtable, values: readonly number[], rule: Rule): void {
  const { priority } = rule.flow;
  const bucket = bucketWith(subtable, values);
  if (bucket === undefined) addBucket(subtable, values, rule);
  else {
    const behind = bucket.items.findIndex(({ flow }) => flow.priority < priority);
    bucket.items.splice(behind < 0 ? bucket.items.length : behind, 0, rule);
  }
  subtable.priorityMax = Math.max(subtable.priorityMax, priority);
}

/** Takes out a rule that is there. */
export function removeRule(subtable: Subtable, values: readonly number[], rule: Rule): void {
  const bucket = bucketWith(subtable, values);
  assert(bucket?.items.includes(rule) === true, 'the rule is in its bucket');
  bucket.items.splice(bucket.items.indexOf(rule), 1);
  if (bucket.items.length === 0) dropBucket(subtable, bucket);
  if (rule.flow.priority === subtable.priorityMax) subtable.priorityMax = highest(subtable);
}

function highest({ buckets }: Subtable): number {
  let priority = -1;
  for (const first of buckets.values())
    for (let bucket: Bucket<Rule> | undefined = first; bucket !== undefined; bucket = bucket.next)
      priority = Math.max(priority, bucket.items[0]?.flow.priority ?? -1);
  return priority;
}
