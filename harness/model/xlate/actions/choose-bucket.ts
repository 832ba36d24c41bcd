/**
 * Which bucket of a `select` group a packet goes to. OpenFlow leaves it to the switch; this is how
 * Open vSwitch decides (ovs-ofctl(8), "selection_method"; ofproto-dpif.c,
 * group_setup_dp_hash_table), so that what follows is predicted exactly.
 */
import type { Bucket, Selection } from '../../../openflow/groups/group.js';
import { word } from '../../../packet/flow-key/flow-key.js';
import type { Behaviour } from '../../behaviour.js';
import { hasField } from '../../fields/has-field.js';
import { fieldBytes, symmetricL4 } from '../../fields/hash.js';
import { hash2words, hashBytes, hashUint64 } from '../../fields/murmur-hash.js';
import type { ModelGroup } from '../../model-bridge.js';
import type { Packet } from '../../packet/packet.js';
import type { FreezeReason } from '../frozen.js';

export type Choice =
  /** Undefined where none is alive. */
  | { readonly kind: 'bucket'; readonly bucket: Bucket | undefined }
  | Extract<FreezeReason, { readonly kind: 'hash' | 'reread' }>;

/**
 * @param ofKernel which of several buckets it goes to, where the kernel hashes it: nobody else
 *   knows the hash.
 */
export function chooseBucket(
  packet: Packet,
  group: ModelGroup,
  isAlive: (bucket: Bucket) => boolean,
  { hashedBuckets, datapath }: Behaviour,
  ofKernel: (buckets: readonly Bucket[]) => Bucket,
): Choice {
  if (packet.needsReparse) return { kind: 'reread' };
  const { selection, buckets, inserted = buckets } = group;
  if (selection?.method === 'hash')
    return {
      kind: 'bucket',
      bucket: bucketByHashScore(
        buckets,
        selection.fields.length === 0
          ? symmetricL4(packet.key, 0)
          : hashOfFields(packet, selection),
        isAlive,
      ),
    };
  const table = dpHashTable(
    hashedBuckets === 'all' ? buckets : inserted,
    selection === undefined ? mostByDefault : mostSlots,
  );
  if (table === undefined)
    return {
      kind: 'bucket',
      bucket: bucketByHashScore(buckets, symmetricL4(packet.key, 0), isAlive),
    };
  const hash = packet.key[word.dpHash] ?? 0;
  if (hash === 0) return { kind: 'hash', ...algorithmOf(selection) };
  if (datapath === 'in the kernel') {
    const alive = buckets.filter((bucket) => table.includes(bucket) && isAlive(bucket));
    return { kind: 'bucket', bucket: alive.length > 1 ? ofKernel(alive) : alive[0] };
  }
  const first = hash % table.length;
  return {
    kind: 'bucket',
    bucket: [...table.slice(first), ...table.slice(0, first)].find(isAlive),
  };
}

/** The parameter's upper half names the algorithm, its lower half is where the hash begins. */
function algorithmOf(selection: Selection | undefined): {
  readonly algorithm: 'L4' | 'symmetric L4';
  readonly basis: number;
} {
  if (selection === undefined) return { algorithm: 'symmetric L4', basis: 0 };
  return {
    algorithm: selection.parameter >> 32n === 1n ? 'symmetric L4' : 'L4',
    basis: Number(selection.parameter & 0xffffffffn),
  };
}

/** Each bucket's score is a hash times its weight; the last of the best wins. */
function bucketByHashScore(
  buckets: readonly Bucket[],
  basis: number,
  isAlive: (bucket: Bucket) => boolean,
): Bucket | undefined {
  let best: { readonly bucket: Bucket; readonly score: number } | undefined;
  for (const bucket of buckets) {
    if (!isAlive(bucket)) continue;
    const score = ((hash2words(bucket.id, basis) & 0xffff) * bucket.weight) >>> 0;
    if (best === undefined || score >= best.score) best = { bucket, score };
  }
  return best?.bucket;
}

function hashOfFields({ key }: Packet, { parameter, fields }: Selection): number {
  return fields
    .filter(({ field }) => hasField(key, field))
    .reduce(
      (basis, { field, mask }) => hashBytes(fieldBytes(key, field, mask), basis),
      hashUint64(parameter),
    );
}

const mostSlots = 65536;
const mostByDefault = 256;

/**
 * A bucket for every value of the masked hash, shared out by weight (Webster's method).
 * @returns Undefined where weights are too far apart for `most` slots, or all zero.
 */
function dpHashTable(buckets: readonly Bucket[], most: number): readonly Bucket[] | undefined {
  const weights = buckets.map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return undefined;
  const fewest = Math.ceil(total / Math.min(...weights.filter((weight) => weight > 0)));
  const slots = Math.max(
    16,
    2 ** Math.ceil(Math.log2(Math.max(fewest, Math.min(buckets.length * 4, mostSlots)))),
  );
  if (slots > most) return undefined;
  const shares = buckets.map((bucket) => ({ bucket, divisor: 1, value: bucket.weight }));
  return Array.from({ length: slots }, () => {
    const winner = shares.reduce((best, share) => (share.value > best.value ? share : best));
    winner.divisor += 2;
    winner.value = winner.bucket.weight / winner.divisor;
    return winner.bucket;
  });
}
