/**
 * The rules of a table that ask for the same bits: which of them a packet has is one look into a hash table (tuple space search, as in
 * Open vSwitch lib/classifier.c).
 */
import { assert } from '../../base/errors.js';
import { printMatch } from '../../openflow/print-match.js';
import type { FlowKey } from '../../packet/flow-key.js';
import type { Rule } from './rule.js';
import type { MatchWords } from './words.js';

export interface Subtable {
  readonly name: string;
  readonly places: readonly number[];
  readonly masks: readonly number[];
  /** By hash of their values. */
  readonly buckets: Map<number, Bucket>;
  priorityMax: number;
}

/** Rules with one match, by falling priority; never empty. */
export interface Bucket {
  readonly values: readonly number[];
  readonly rules: Rule[];
  /** Another match whose values have the same hash. */
  next: Bucket | undefined;
}

/** A rule with something that the model cannot compare is alone with its match, or else it would be taken for others. */
export function subtableName({ places, masks }: MatchWords, { unknown, flow }: Rule): string {
  const bits = places.map((place, index) => `${place}&${masks[index]}`).join();
  return unknown === undefined ? bits : `${bits} ${printMatch(flow.match)}`;
}

export function emptySubtable(name: string, { places, masks }: MatchWords): Subtable {
  return { name, places, masks, buckets: new Map(), priorityMax: -1 };
}

/** The rules whose match the packet has. */
export function bucketFor({ places, masks, buckets }: Subtable, key: FlowKey): Bucket | undefined {
  let hash = 0;
  for (let index = 0; index < places.length; index++) hash = mix(hash, (key[places[index] ?? 0] ?? 0) & (masks[index] ?? 0));
  let bucket = buckets.get(hash);
  while (bucket !== undefined && !fits(bucket.values, places, masks, key)) bucket = bucket.next;
  return bucket;
}

function fits(values: readonly number[], places: readonly number[], masks: readonly number[], key: FlowKey): boolean {
  for (let index = 0; index < places.length; index++) if (((key[places[index] ?? 0] ?? 0) & (masks[index] ?? 0)) !== values[index]) return false;
  return true;
}

/** The rules whose match has just these values. */
export function bucketWith({ buckets }: Subtable, values: readonly number[]): Bucket | undefined {
  let bucket = buckets.get(hashOf(values));
  while (bucket !== undefined && !isSame(bucket.values, values)) bucket = bucket.next;
  return bucket;
}

/** Puts in a rule that is not there yet. */
export function put(subtable: Subtable, values: readonly number[], rule: Rule): void {
  const { buckets } = subtable;
  const { priority } = rule.flow;
  const bucket = bucketWith(subtable, values);
  if (bucket === undefined) {
    const hash = hashOf(values);
    buckets.set(hash, { values, rules: [rule], next: buckets.get(hash) });
  } else {
    const behind = bucket.rules.findIndex(({ flow }) => flow.priority < priority);
    bucket.rules.splice(behind < 0 ? bucket.rules.length : behind, 0, rule);
  }
  subtable.priorityMax = Math.max(subtable.priorityMax, priority);
}

/** Takes out a rule that is there. */
export function take(subtable: Subtable, values: readonly number[], rule: Rule): void {
  const bucket = bucketWith(subtable, values);
  assert(bucket?.rules.includes(rule) === true, 'the rule is in its bucket');
  bucket.rules.splice(bucket.rules.indexOf(rule), 1);
  if (bucket.rules.length === 0) unlink(subtable.buckets, bucket);
  if (rule.flow.priority === subtable.priorityMax) subtable.priorityMax = highest(subtable.buckets);
}

function unlink(buckets: Subtable['buckets'], bucket: Bucket): void {
  const hash = hashOf(bucket.values);
  const first = buckets.get(hash);
  if (first !== bucket) {
    let before = first;
    while (before !== undefined && before.next !== bucket) before = before.next;
    if (before !== undefined) before.next = bucket.next;
  } else if (bucket.next === undefined) buckets.delete(hash);
  else buckets.set(hash, bucket.next);
}

function highest(buckets: Subtable['buckets']): number {
  let priority = -1;
  for (const first of buckets.values()) for (let bucket: Bucket | undefined = first; bucket !== undefined; bucket = bucket.next) priority = Math.max(priority, bucket.rules[0]?.flow.priority ?? -1);
  return priority;
}

function isSame(values: readonly number[], others: readonly number[]): boolean {
  return values.every((value, index) => value === others[index]);
}

function hashOf(values: readonly number[]): number {
  return values.reduce(mix, 0);
}

/** Signed, so that it is a small integer wherever JavaScript keeps it. */
function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
