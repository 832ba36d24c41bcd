/**
 * Groups: buckets that are carried out on copies of the packet (OpenFlow 1.3, section 5.6;
 * ovs-actions(7), "group").
 */
import { Unsupported } from '../../base/errors.js';
import type { Bucket, Group } from '../../openflow/groups.js';
import { reservedPorts } from '../../openflow/ports.js';
import { isAlive } from '../node.js';
import { copyOf } from '../packet.js';
import { inSetOrder } from './action-set.js';
import { finishFreezing } from './freeze.js';
import { forgiveLabels } from './labels.js';
import { chooseBucket } from './select.js';
import { blame, hasRoom, keepNothing, noteDrop, type Translation } from './translation.js';

/** Tells what becomes of the list of actions: one whose group is not there ends. */
export function runGroup(at: Translation, id: number): 'stop' | undefined {
  if (!hasRoom(at)) return undefined;
  const group = at.bridge.groups.get(id);
  if (group === undefined) {
    noteDrop(at, `there is no group ${id}`);
    return 'stop';
  }
  const { isLast } = at;
  for (const [index, bucket] of bucketsOf(at, group).entries()) {
    at.isLast =
      isLast &&
      (index === group.buckets.length - 1 || group.type === 'select' || group.type === 'ff');
    at.passage.steps.push({ kind: 'group', ...blame(at), group: id, bucket: bucket.id });
    runBucket(at, bucket);
  }
  return undefined;
}

function bucketsOf(at: Translation, group: Group): readonly Bucket[] {
  switch (group.type) {
    case 'all':
    case 'indirect':
      return group.buckets;
    case 'ff':
      return orNone(
        at,
        group,
        group.buckets.find((bucket) => isLive(at, group, bucket)),
      );
    case 'select': {
      keepNothing(at, 'select');
      const choice = chooseBucket(
        at.packet,
        group,
        (bucket) => isLive(at, group, bucket),
        at.passage.node.behaviour,
      );
      if (choice.kind === 'bucket') return orNone(at, group, choice.bucket);
      at.exits = true;
      at.freezing = choice;
      return [];
    }
  }
}

function orNone(at: Translation, { id }: Group, bucket: Bucket | undefined): readonly Bucket[] {
  if (bucket === undefined) noteDrop(at, `group ${id} has no live bucket`);
  return bucket === undefined ? [] : [bucket];
}

/**
 * Whatever happens in it, the packet, and whether there is more to do, are afterwards as before.
 * What went into its bytes meanwhile is taken back with the next output, as far as the fields tell.
 */
function runBucket(at: Translation, bucket: Bucket): void {
  const { packet } = at;
  const before = copyOf(packet);
  at.depth++;
  at.carryOut(at, inSetOrder(bucket.actions), { kind: 'bucket' });
  at.depth--;
  if (at.freezing !== undefined) finishFreezing(at);
  const { frame, layout, arrived } = at.packet;
  at.packet = { ...before, frame, layout, arrived };
  at.exits = false;
  forgiveLabels(at);
}

/** A chain of groups that watch each other is followed so far. */
const longestWatch = 128;

/**
 * Of no importance where it watches nothing; of a `select` group, one without weight is never
 * chosen.
 */
function isLive(
  at: Translation,
  { type }: Group,
  { weight, watchPort, watchGroup }: Bucket,
  depth = 0,
): boolean {
  if (depth >= longestWatch || (type === 'select' && weight === 0)) return false;
  if (watchPort === undefined && watchGroup === undefined) return true;
  if (watchPort === reservedPorts.CONTROLLER)
    throw new Unsupported(
      'the model does not know whether a controller that a bucket watches is there',
    );
  if (watchPort !== undefined && isAlive(at.passage.node, at.bridge, watchPort)) return true;
  const watched = watchGroup === undefined ? undefined : at.bridge.groups.get(watchGroup);
  return (
    watched !== undefined &&
    watched.buckets.some((bucket) => isLive(at, watched, bucket, depth + 1))
  );
}
