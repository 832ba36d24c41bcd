/** FLOOD, ALL and NORMAL: several ports, in an order that only the switch knows. */
import { Unpredictable } from '../../base/errors/errors.js';
import { committedFrame } from '../packet/commit-packet.js';
import type { XlateContext } from './xlate-context.js';
import { avoidCaching } from './odp-actions.js';
import { executeActions } from './datapath/datapath-execution.js';

export const noOrder = 'the model does not know in which order FLOOD, ALL and NORMAL send';

/**
 * @param sendTo sends to one of `exits`, which the switch takes in whatever order.
 * @throws Unpredictable where a bridge behind a patch port leaves the packet's bytes other than
 *   they were, or lets a meter drop it: so it is for ports that come later.
 */
export function sendInAnyOrder<T extends { readonly port: number }>(
  ctx: XlateContext,
  exits: readonly T[],
  sendTo: (exit: T) => void,
): void {
  const crossesPatchPort =
    exits.length > 1 && exits.some(({ port }) => ctx.bridge.ports.get(port)?.kind === 'patch');
  const before = crossesPatchPort ? committedFrame(ctx.packet) : undefined;
  if (crossesPatchPort) avoidCaching(ctx, 'several ports, one of which leads on');
  const { isLastAction, isMetered, isTruncated } = ctx;
  const isPending = before !== undefined && before.length !== ctx.packet.frame.length;
  // Behind each others may come, so what a bridge behind a patch port does stays there
  // (ofproto-dpif-xlate.c, flood_packets).
  Object.assign(ctx, {
    isLastAction: isLastAction && exits.length < 2,
    isMetered: false,
    isTruncated: false,
  });
  let isOpen = false;
  const starts = exits.map((exit) => {
    const start = ctx.odpActions.length;
    sendTo(exit);
    isOpen ||=
      crossesPatchPort &&
      ctx.error === undefined &&
      ctx.packet.frame.length !== committedFrame(ctx.packet).length;
    return start;
  });
  ctx.isLengthAmbiguous ||= isOpen;
  if (crossesPatchPort) executeInAnyOrder(ctx, starts);
  if (crossesPatchPort && ctx.isMetered)
    throw new Unpredictable(
      `${noOrder}, and a meter behind a patch port may drop what comes later`,
    );
  if (isPending && ctx.isTruncated)
    throw new Unpredictable(
      `${noOrder}, and a bridge behind a patch port cuts off what is not yet as long as it will be`,
    );
  Object.assign(ctx, { isLastAction, isMetered, isTruncated: isTruncated || ctx.isTruncated });
  if (
    before !== undefined &&
    ctx.error === undefined &&
    Buffer.compare(before, committedFrame(ctx.packet)) !== 0
  )
    throw new Unpredictable(
      `${noOrder}, and the bridge behind a patch port changes what comes later`,
    );
}

/**
 * What is left to do for each exit begins at one of `starts`. @throws Unpredictable, when it is
 * done, where a port gets unlike frames of several exits.
 */
function executeInAnyOrder(ctx: XlateContext, starts: readonly number[]): void {
  const {
    odpActions,
    frameRun: { outputs },
  } = ctx;
  const actionsByOutput = starts.map((start, index) => odpActions.slice(start, starts[index + 1]));
  // Where a label too many has emptied it there is nothing to be kept in parts.
  if (starts.some((start, index) => start > (starts[index + 1] ?? odpActions.length))) return;
  odpActions.splice(starts[0] ?? 0);
  odpActions.push((behind) => {
    const sent = new Map<string, readonly Uint8Array[]>();
    for (const part of actionsByOutput) {
      const from = outputs.length;
      if (executeActions(part, behind + 1) === 'dropped')
        throw new Unpredictable(
          `${noOrder}, and the bridge behind a patch port loses what comes later`,
        );
      const before = new Map(sent);
      for (const { port, frame } of outputs.slice(from)) {
        const frames = [...(sent.get(port) ?? []), frame];
        if (before.has(port) && frames.some((other) => Buffer.compare(other, frame) !== 0))
          throw new Unpredictable(
            `${noOrder}, and the bridge behind a patch port sends to one of the same ports`,
          );
        sent.set(port, frames);
      }
    }
  });
}
