/** How much one translation may take. */
import { Unpredictable } from '../../base/errors/errors.js';
import type { XlateContext } from './xlate-context.js';
import { traceDrop } from './trace-steps.js';

/**
 * Limits of ovs-vswitchd: resubmit depth and resubmits a translation (ovs-actions(7), "resubmit"),
 * and what the stack takes.
 */
export const limits = {
  depth: 64,
  lookups: 4096,
  stackBytes: 65536,
  actionBytes: 65535,
  nestedBytes: 65531,
} as const;

/**
 * Whether there is room for one more lookup or group; where there is not, the packet is dropped
 * altogether.
 * @throws Unpredictable where Open vSwitch looks no further, and executes what it has
 *   (ofproto-dpif-xlate.c, xlate_resubmit_resource_check): more copies than any port takes.
 */
export function checkResubmitResources(ctx: XlateContext): boolean {
  const used = ctx.stack.reduce((sum, { bytes }) => sum + bytes + 1, 0);
  if (ctx.depth >= limits.depth) ctx.error = `more than ${limits.depth} resubmits deep`;
  else if (ctx.lookups >= limits.lookups) ctx.error = `more than ${limits.lookups} resubmits`;
  else if (ctx.actionBytes > limits.actionBytes)
    throw new Unpredictable(
      'the model does not know at which of its lookups a packet has 64 kB of actions, and ' +
        'goes no further',
    );
  else if (used >= limits.stackBytes)
    ctx.error = `more than ${limits.stackBytes} bytes on the stack`;
  if (ctx.error !== undefined) traceDrop(ctx, ctx.error);
  return ctx.error === undefined;
}
