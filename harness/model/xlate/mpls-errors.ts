/**
 * Label stacks of more entries than Open vSwitch has room for (lib/flow.h, FLOW_MAX_MPLS_LABELS):
 * none is pushed, and none is popped where the parser does not reach the last one.
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { XlateContext } from './xlate-context.js';
import { traceDrop } from './trace-steps.js';

const tooMany = {
  push_mpls: 'more labels than there is room for',
  pop_mpls: 'a label cannot be popped from a stack whose last one the parser does not reach',
} as const;

/**
 * The packet goes nowhere at all, not even where it was sent before.
 * @throws Unpredictable for a label that cannot come off where the datapath's actions are within
 *   one another: Open vSwitch empties their list, and ends itself by an assertion
 *   (`ofpbuf_at_assert`, `ofpbuf_insert`) or writes over what comes next, when it closes the outer
 *   one (ofproto-dpif-xlate.c, compose_mpls_pop_action).
 */
export function failMpls(ctx: XlateContext, kind: keyof typeof tooMany): void {
  if (kind === 'pop_mpls' && ctx.isNested)
    throw new Unpredictable(
      'the model does not know what follows a pop_mpls that fails on a stack of more than ' +
        'three labels, in a clone or behind check_pkt_larger: Open vSwitch aborts',
    );
  ctx.error = tooMany[kind];
  traceDrop(ctx, ctx.error);
  if (kind === 'pop_mpls') ctx.odpActions.length = 0;
}

/**
 * The only failures that stay in their bucket.
 * @throws Unpredictable for a label that could not come off after something was sent or changed:
 *   the datapath does not get that action any more, and Open vSwitch continues as if it did.
 */
export function clearMplsError(ctx: XlateContext): void {
  if (ctx.error === tooMany.pop_mpls) refuseLostActions(ctx);
  if (ctx.error === tooMany.pop_mpls || ctx.error === tooMany.push_mpls) ctx.error = undefined;
}

/** Whatever fails in another bridge stays there. @throws Unpredictable as `clearMplsError` does. */
export function clearErrors(ctx: XlateContext): void {
  clearMplsError(ctx);
  ctx.error = undefined;
}

function refuseLostActions({ packet, ingressPacket, hasOdpActions }: XlateContext): void {
  if (hasOdpActions || packet.frame !== ingressPacket.frame)
    throw new Unpredictable(
      'the model does not know the packet behind a bucket or a patch port in which a label ' +
        'cannot come off a stack of more than three: Open vSwitch forgets what it has done, and ' +
        'that it has not done it',
    );
}
