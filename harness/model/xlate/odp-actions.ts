/**
 * What a translation leaves to the datapath, in order, and what of it can be kept as a megaflow.
 */
import { Unpredictable } from '../../base/errors/errors.js';
import { copyKey, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { DatapathEvent } from '../megaflow/unwildcard.js';
import { commit, reparseLayout } from '../packet/commit-packet.js';
import { withCommit } from './datapath/datapath-packet.js';
import { refusalOf, withCommitted } from './datapath/kernel-actions.js';
import type { OdpAction } from './datapath/datapath-execution.js';
import { limits } from './resubmit-resources.js';
import type { XlateContext } from './xlate-context.js';

/**
 * What one more of them takes among the datapath's actions, at least: a number, or a cookie of 48
 * bytes and its receiver (lib/odp-util.c, odp_put_userspace_action).
 */
export const actionBytes = { output: 8, controller: 64 } as const;

/**
 * And at most: an output that is cut off; the header of a tunnel, or a receiver and what was
 * pending before; a change of all that a packet has.
 */
const mostActionBytes = { output: 16, other: 640, change: 512 } as const;

/**
 * What is left to do once the translation is complete; `event`, where it is recorded, is what is
 * kept of it, or why nothing can be.
 */
export function putOdpAction(
  ctx: XlateContext,
  event: DatapathEvent | string | undefined,
  action: OdpAction,
  kind: 'output' | 'other' = 'other',
): void {
  if (typeof event === 'string') avoidCaching(ctx, event);
  else if (event !== undefined) ctx.megaflow?.events.push(event);
  ctx.hasOdpActions = true;
  ctx.maxActionBytes += mostActionBytes[kind];
  ctx.odpActions.push(action);
}

/**
 * Datapath actions of `work` stand within another of its actions.
 * @throws Unpredictable where that may be more than such an action can hold: Open vSwitch ends
 *   itself by an assertion then (lib/netlink.c, nl_msg_end_nested).
 */
export function xlateNested(ctx: XlateContext, xlateInner: () => void): void {
  const { isNested, maxActionBytes } = ctx;
  ctx.isNested = true;
  xlateInner();
  ctx.isNested = isNested;
  if (ctx.maxActionBytes - maxActionBytes > limits.nestedBytes)
    throw new Unpredictable(
      'the model does not know whether what is done in a clone or behind check_pkt_larger ' +
        'takes more than 64 kB: Open vSwitch ends itself over it',
    );
}

/** No megaflow is made of the translation. */
export function avoidCaching(ctx: XlateContext, why: string): void {
  if (ctx.megaflow === undefined) return;
  const leftOut = ctx.frameRun.node.megaflows?.stats.uncached;
  leftOut?.set(why, (leftOut.get(why) ?? 0) + 1);
  ctx.megaflow = undefined;
}

/** The packet's key was `before` when its changes went into its bytes. */
export function noteCommitted(ctx: XlateContext, before: FlowKey): void {
  const { kernelActions, packet } = ctx;
  if (kernelActions === undefined || before === packet.baseKey) return;
  ctx.kernelActions = withCommitted(kernelActions, before, packet.baseKey);
  if (refusalOf(ctx.kernelActions) !== undefined)
    avoidCaching(ctx, 'actions that the kernel refuses');
}

/** The packet's changes go into its bytes. */
export function commitChanges(ctx: XlateContext): void {
  const { packet, megaflow } = ctx;
  const before = packet.baseKey;
  ctx.isLengthAmbiguous = false;
  if (commit(packet) === 'as they were') return;
  const after = packet.baseKey;
  noteCommitted(ctx, before);
  ctx.maxActionBytes += mostActionBytes.change;
  ctx.odpActions.push(() => {
    ctx.frameRun.node.work.rewrites++;
    ctx.packetState = withCommit(ctx.packetState, before, after);
  });
  if (megaflow === undefined) return;
  if (packet.isEncapsulated) avoidCaching(ctx, 'what a tunnel sends is changed');
  else megaflow.events.push({ kind: 'commit', key: copyKey(packet.key) });
}

/**
 * What goes to a controller is located again in ovs-vswitchd's datapath, as far as it is read
 * there: behind labels, what IP carries is lost. The kernel knows where its packets' layers are.
 */
export function commitForController(ctx: XlateContext): void {
  commitChanges(ctx);
  if (ctx.frameRun.node.behaviour.datapath === 'in ovs-vswitchd') reparseLayout(ctx.packet);
}
