/**
 * What is found by the same bits of a flow key: one look into a hash table (tuple space search, as
 * in Open vSwitch lib/classifier.c).
 */
import type { FlowKey } from '../../../packet/flow-key/flow-key.js';

export interface HashSubtable<Item> {
  readonly places: Uint16Array;
  /** Signed, as all results of bitwise operators. */
  readonly masks: Int32Array;
  /**
   * Of so many of them, from the first on, hashes are made: the others hardly distinguish anything.
   */
  readonly hashed: number;
  /** By hash of their values. */
  readonly buckets: Map<number, Bucket<Item>>;
}

/** What has one value of these bits; never empty. */
export interface Bucket<Item> {
  readonly values: readonly number[];
  readonly items: Item[];
  /** Another value with the same hash. */
  next: Bucket<Item> | undefined;
}

/** Nothing is found by these bits yet. */
export function emptyHashSubtable<Item>(
  places: readonly number[],
  masks: readonly number[],
  hashed = places.length,
): HashSubtable<Item> {
  return {
    places: Uint16Array.from(places),
    masks: Int32Array.from(masks),
    hashed,
    buckets: new Map(),
  };
}

/** The bucket of the key's own value. */
export function bucketFor<Item>(
  { places, masks, hashed, buckets }: HashSubtable<Item>,
  key: FlowKey,
): Bucket<Item> | undefined {
  let hash = 0;
  for (let index = 0; index < hashed; index++)
    hash = mix(hash, (key[places[index] ?? 0] ?? 0) & (masks[index] ?? 0));
  let bucket = buckets.get(hash);
  while (bucket !== undefined && !fits(bucket.values, places, masks, key)) bucket = bucket.next;
  return bucket;
}

/** Notes its bits beside those that `looked` has. */
export function foldWildcards<Item>(
  wildcards: FlowKey,
  { places, masks }: HashSubtable<Item>,
): void {
  for (let index = 0; index < places.length; index++) {
    const place = places[index] ?? 0;
    wildcards[place] = (wildcards[place] ?? 0) | (masks[index] ?? 0);
  }
}

function fits(
  values: readonly number[],
  places: Uint16Array,
  masks: Int32Array,
  key: FlowKey,
): boolean {
  for (let index = 0; index < places.length; index++)
    if (((key[places[index] ?? 0] ?? 0) & (masks[index] ?? 0)) !== values[index]) return false;
  return true;
}

/** The bucket of just these values. */
export function bucketWith<Item>(
  { hashed, buckets }: HashSubtable<Item>,
  values: readonly number[],
): Bucket<Item> | undefined {
  let bucket = buckets.get(hashOf(values, hashed));
  while (bucket !== undefined && !isSame(bucket.values, values)) bucket = bucket.next;
  return bucket;
}

/** Makes a bucket for values that have none yet. */
export function addBucket<Item>(
  { hashed, buckets }: HashSubtable<Item>,
  values: readonly number[],
  item: Item,
): void {
  const hash = hashOf(values, hashed);
  buckets.set(hash, { values, items: [item], next: buckets.get(hash) });
}

/** Takes out a bucket that is there. */
export function dropBucket<Item>(
  { hashed, buckets }: HashSubtable<Item>,
  bucket: Bucket<Item>,
): void {
  const hash = hashOf(bucket.values, hashed);
  const first = buckets.get(hash);
  if (first !== bucket) {
    let before = first;
    while (before !== undefined && before.next !== bucket) before = before.next;
    if (before !== undefined) before.next = bucket.next;
  } else if (bucket.next === undefined) buckets.delete(hash);
  else buckets.set(hash, bucket.next);
}

/** What a key has of these bits. */
export function valuesOf<Item>(
  { places, masks }: HashSubtable<Item>,
  key: FlowKey,
): readonly number[] {
  const values: number[] = [];
  for (let index = 0; index < places.length; index++)
    values.push((key[places[index] ?? 0] ?? 0) & (masks[index] ?? 0));
  return values;
}

/** Whether it is by all bits of `mask` that things are found there, and by no others. */
export function hasMask<Item>({ places, masks }: HashSubtable<Item>, mask: FlowKey): boolean {
  for (let index = 0; index < places.length; index++)
    if (((mask[places[index] ?? 0] ?? 0) | 0) !== masks[index]) return false;
  let count = 0;
  for (let place = 0; place < mask.length; place++) if (mask[place] !== 0) count++;
  return count === places.length;
}

function isSame(values: readonly number[], others: readonly number[]): boolean {
  for (let index = 0; index < values.length; index++)
    if (values[index] !== others[index]) return false;
  return true;
}

function hashOf(values: readonly number[], hashed: number): number {
  let hash = 0;
  for (let index = 0; index < hashed; index++) hash = mix(hash, values[index] ?? 0);
  return hash;
}

/** Signed, so that it is a small integer wherever JavaScript keeps it. */
function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
