/**
 * Groups: buckets that are executed on copies of the packet (OpenFlow 1.3, section 5.6;
 * ovs-actions(7), "group").
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { Bucket, Group } from '../../../openflow/groups/group.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import { AmbiguousOutcome } from '../../ambiguity.js';
import { idOf, isAlive } from '../../model-node.js';
import { refuseUnknownLife } from '../spoken-protocols.js';
import { rulesOf } from '../../tables/flow-tables.js';
import { copyOf } from '../../packet/packet.js';
import { orderActionSet } from '../action-set.js';
import { finishFreezing } from '../freeze.js';
import { clearMplsError } from '../mpls-errors.js';
import { chooseBucket } from './choose-bucket.js';
import { hashedByKernel } from './hashed-by-kernel.js';
import type { XlateContext } from '../xlate-context.js';
import { avoidCaching } from '../odp-actions.js';
import { stepFlow, traceDrop } from '../trace-steps.js';
import { checkResubmitResources } from '../resubmit-resources.js';

/** Says whether the list of actions continues: one whose group is not there ends. */
export function runGroup(ctx: XlateContext, id: number): 'stop' | undefined {
  if (!checkResubmitResources(ctx)) return undefined;
  const group = ctx.bridge.groups.get(id);
  if (group === undefined) {
    traceDrop(ctx, `there is no group ${id}`);
    return 'stop';
  }
  const { isLastAction } = ctx;
  for (const [index, bucket] of bucketsOf(ctx, group).entries()) {
    ctx.isLastAction =
      isLastAction &&
      (index === group.buckets.length - 1 || group.type === 'select' || group.type === 'ff');
    ctx.frameRun.steps.push({ kind: 'group', ...stepFlow(ctx), group: id, bucket: bucket.id });
    runBucket(ctx, bucket);
  }
  return undefined;
}

function bucketsOf(ctx: XlateContext, group: Group): readonly Bucket[] {
  switch (group.type) {
    case 'all':
    case 'indirect':
      return group.buckets;
    case 'ff':
      return orNone(
        ctx,
        group,
        group.buckets.find((bucket) => isLive(ctx, group, bucket)),
      );
    case 'select': {
      avoidCaching(ctx, 'select');
      const choice = chooseBucket(
        ctx.packet,
        group,
        (bucket) => isLive(ctx, group, bucket),
        ctx.frameRun.node.behaviour,
        (buckets) => bucketOfKernel(ctx, group, buckets),
      );
      if (choice.kind === 'bucket') return orNone(ctx, group, choice.bucket);
      ctx.exits = true;
      ctx.freezing = choice;
      return [];
    }
  }
}

/**
 * What was seen holds as long as neither flows, groups nor the buckets that are alive change.
 * @throws AmbiguousOutcome where it was not seen yet.
 */
function bucketOfKernel(
  { bridge, packet, frameRun: { node } }: XlateContext,
  { id }: Group,
  buckets: readonly Bucket[],
): Bucket {
  const { flowChanges } = node.answers;
  const alive = buckets.map((one) => one.id).join();
  const packets = `${bridge.plan.name} ${id} ${flowChanges} ${alive} ${hashedByKernel(packet)}`;
  const chosen = node.answers.buckets.find((known) => known.packets === packets);
  const bucket = buckets.find((one) => one.id === chosen?.bucket);
  if (bucket !== undefined) return bucket;
  throw new AmbiguousOutcome(`the kernel alone knows which bucket of group ${id} is chosen`, node, {
    kind: 'bucket',
    packets,
    buckets: buckets.map((one) => one.id),
    flows: node.bridges.flatMap((of) => rulesOf(of.tables).map((rule) => idOf(node, of, rule))),
  });
}

function orNone(ctx: XlateContext, { id }: Group, bucket: Bucket | undefined): readonly Bucket[] {
  if (bucket === undefined) traceDrop(ctx, `group ${id} has no live bucket`);
  return bucket === undefined ? [] : [bucket];
}

/**
 * Whatever happens in it, the packet, and whether there is more to do, are afterwards as before.
 * What went into its bytes meanwhile is undone with the next output, as far as the fields have it.
 */
function runBucket(ctx: XlateContext, bucket: Bucket): void {
  const { packet } = ctx;
  const before = copyOf(packet);
  ctx.depth++;
  ctx.doXlateActions(ctx, orderActionSet(bucket.actions), { kind: 'bucket' });
  ctx.depth--;
  if (ctx.freezing !== undefined) finishFreezing(ctx);
  const { frame, layout, baseKey } = ctx.packet;
  ctx.packet = { ...before, frame, layout, baseKey };
  ctx.exits = false;
  clearMplsError(ctx);
}

/** A chain of groups that watch each other is followed so far. */
const longestWatch = 128;

/**
 * True where it watches nothing; of a `select` group, one without weight is never
 * chosen.
 */
function isLive(
  ctx: XlateContext,
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
  if (watchPort !== undefined) refuseUnknownLife(ctx.bridge, watchPort);
  if (watchPort !== undefined && isAlive(ctx.frameRun.node, ctx.bridge, watchPort)) return true;
  const watched = watchGroup === undefined ? undefined : ctx.bridge.groups.get(watchGroup);
  return (
    watched !== undefined &&
    watched.buckets.some((bucket) => isLive(ctx, watched, bucket, depth + 1))
  );
}
