/** The buckets of a group, read as ovs-ofctl(8) writes them. */
import { parseBucketActions } from '../actions/actions.js';
import { splitActions, small, uint16, type ActionText } from '../actions/parse-context.js';
import { lastGroup } from '../actions/kinds/output-actions.js';
import type { Names, Protocol } from '../syntax/form.js';
import { parsePort, reservedPorts } from '../syntax/ports.js';
import { complain, part, type Span } from '../syntax/text.js';
import { type Group, type Bucket, lastBucket } from './group.js';

/** The head, and what stands behind each `bucket=`. */
export function cutBuckets(whole: Span): readonly [head: Span, buckets: readonly Span[]] {
  const starts = [...whole.text.matchAll(/bucket=/g)].map(({ index }) => index);
  const ends = [...starts.slice(1), whole.text.length];
  return [
    part(whole, 0, starts[0]),
    starts.map((start, index) => part(whole, start + 'bucket='.length, ends[index])),
  ];
}

export type BucketText = Omit<Bucket, 'id'> & { readonly id?: number };

/** A bucket of a group of `type`, which is not known where one is inserted. */
export function readBucket(
  whole: Span,
  type: Group['type'] | undefined,
  names: Names,
  protocol: Protocol,
): BucketText {
  let bucket: Omit<BucketText, 'actions'> = { weight: type === 'select' ? 1 : 0 };
  const actions: ActionText[] = [];
  for (const call of splitActions(whole)) {
    const { argument } = call;
    switch (call.name.toLowerCase()) {
      case 'weight':
        bucket = { ...bucket, weight: small(argument, 'weight', uint16) };
        break;
      case 'watch_port':
        bucket = withWatchPort(bucket, argument, names);
        break;
      case 'watch_group':
        bucket = { ...bucket, watchGroup: small(argument, 'watch_group', lastGroup) };
        break;
      case 'bucket_id':
        bucket = { ...bucket, id: small(argument, 'bucket_id', lastBucket) };
        break;
      case 'action':
      case 'actions':
        actions.push(
          ...splitActions(argument.text === '' ? { ...argument, text: 'drop' } : argument),
        );
        break;
      default:
        if (argument.text.includes(')->'))
          throw complain(call.at, `${call.name} stands behind actions= in a bucket`);
        actions.push(call);
    }
  }
  if (actions.length === 0) throw complain(whole, 'a bucket needs actions');
  return { ...bucket, actions: parseBucketActions(whole, actions, names, protocol) };
}

/** What buckets of a group of `type` must have, and must not. */
export function checkBucket(
  at: Span,
  type: Group['type'],
  { weight, watchPort, watchGroup }: BucketText,
): void {
  const isWatched = watchPort !== undefined || watchGroup !== undefined;
  if (type === 'ff' && !isWatched)
    throw complain(at, 'a bucket of a fast failover group needs watch_port or watch_group');
  if ((type === 'all' || type === 'indirect') && isWatched)
    throw complain(at, 'watch_port and watch_group are for groups of type ff or select');
  if (type !== 'select' && weight !== 0)
    throw complain(at, 'weights are for groups of type select');
}

function withWatchPort<Text extends Omit<BucketText, 'actions'>>(
  bucket: Text,
  at: Span,
  names: Names,
): Text {
  const number = parsePort(at, names.ports);
  if (number === reservedPorts.ANY) return bucket;
  if (number >= reservedPorts.UNSET && number !== reservedPorts.CONTROLLER)
    throw complain(at, `watch_port: "${at.text}" is no port that can be up or down`);
  return { ...bucket, watchPort: number };
}

/** Buckets without an id get the lowest that is free; before OpenFlow 1.5 messages have none. */
export function numbered(
  texts: readonly Span[],
  buckets: readonly BucketText[],
  protocol: Protocol,
): readonly Bucket[] {
  const hasIds = protocol !== 'OpenFlow13';
  const taken = new Set<number>();
  for (const [index, { id }] of buckets.entries()) {
    if (!hasIds || id === undefined) continue;
    if (taken.has(id)) throw complain(texts[index] ?? texts[0]!, `two buckets have the id ${id}`);
    taken.add(id);
  }
  let next = 0;
  return buckets.map((bucket) => {
    if (hasIds && bucket.id !== undefined) return { ...bucket, id: bucket.id };
    while (taken.has(next)) next++;
    return { ...bucket, id: next++ };
  });
}
