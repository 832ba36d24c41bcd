/** Actions that go two ways: clone and check_pkt_larger (ovs-actions(7)). */
import { Unpredictable } from '../../base/errors/errors.js';
import { AmbiguousOutcome } from '../ambiguity.js';
import type { Action, OtherAction } from '../../openflow/actions/actions.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { writeSubfield } from '../fields/field-values.js';
import { copyOf } from '../packet/packet.js';
import { xlateActionSet } from './action-set.js';
import { finishFreezing } from './freeze.js';
import { flowActionList, type ActionList, type XlateContext } from './xlate-context.js';
import { remark } from './trace-steps.js';
import { commitChanges, putOdpAction, xlateNested } from './odp-actions.js';
import { executeActions, type OdpAction } from './datapath/datapath-execution.js';
import { behindCopy } from './datapath/kernel-actions.js';

/** On a copy of the packet, with an action set of its own; what exits there, exits here as well. */
export function xlateClone(ctx: XlateContext, actions: readonly Action[]): void {
  const {
    packet,
    stack,
    actionSet,
    hasGroupInSet,
    odpActions,
    isIrreversible,
    isLastAction,
    isMetered,
  } = ctx;
  const mayNeedCopy = !isLastAction && actions.some(({ kind }) => irreversible.includes(kind));
  const isByDatapath = clonesByDatapath(ctx);
  if (mayNeedCopy) commitChanges(ctx);
  commitBeforeClone(ctx);
  const { kernelActions } = ctx;
  ctx.odpActions = [];
  ctx.isIrreversible = false;
  const xlate = () => {
    xlateOnCopy(
      ctx,
      actions,
      isByDatapath || mayNeedCopy || isLastAction ? 'last' : 'others behind',
    );
  };
  if (!isLastAction && (isByDatapath || mayNeedCopy)) xlateNested(ctx, xlate);
  else xlate();
  const isSeparateCopy = isByDatapath ? ctx.isIrreversible && !isLastAction : mayNeedCopy;
  ctx.isIrreversible = isIrreversible || (ctx.isIrreversible && !isSeparateCopy);
  const [left, inner] = [ctx.packet, ctx.odpActions];
  Object.assign(ctx, { packet, stack, actionSet, hasGroupInSet, odpActions });
  if (isSeparateCopy) {
    ctx.isMetered = isMetered;
    ctx.kernelActions = behindCopy(kernelActions, ctx.kernelActions);
    putOdpAction(ctx, 'clone with a copy of its own', () => {
      executeOnClone(ctx, inner);
    });
    return;
  }
  // What its outputs put into the packet's bytes is undone with the next output, as far as the
  // fields have it.
  const { frame, layout, baseKey, isParsed } = left;
  ctx.packet = {
    ...packet,
    frame,
    layout,
    baseKey,
    isParsed: packet.isParsed && isParsed,
    needsReparse: packet.needsReparse || (!isByDatapath && left.needsReparse),
  };
  ctx.odpActions.push(...inner);
}

function clonesByDatapath({ frameRun }: XlateContext): boolean {
  return frameRun.node.behaviour.clonesAreApart === 'where the datapath asks for it';
}

/**
 * Since 4.0, what is pending is put into the packet before any clone that is not the last action
 * (ofproto-dpif-xlate.c, clone_xlate_actions).
 */
export function commitBeforeClone(ctx: XlateContext): void {
  if (clonesByDatapath(ctx) && !ctx.isLastAction) commitChanges(ctx);
}

/** Changes of the datapath's copy stay with the copy. */
function executeOnClone(ctx: XlateContext, actions: readonly OdpAction[]): void {
  const { packetState } = ctx;
  executeActions(actions);
  ctx.packetState = packetState;
}

/** What Open vSwitch cannot take back from a packet without a copy. */
const irreversible: readonly Action['kind'][] = ['ct', 'output-truncated', 'meter'];

/** Executes `actions` on a copy of the packet, to the end of the pipeline. */
function xlateOnCopy(
  ctx: XlateContext,
  actions: readonly Action[],
  place: 'last' | 'others behind',
  list: ActionList = flowActionList,
): void {
  ctx.packet = copyOf(ctx.packet);
  const keeps = ctx.frameRun.node.behaviour.clonesKeep === 'stack and action set';
  ctx.stack = keeps ? [...ctx.stack] : [];
  ctx.actionSet = keeps ? [...ctx.actionSet] : [];
  xlateApart(
    ctx,
    () => {
      ctx.doXlateActions(ctx, actions, list);
    },
    place,
  );
}

/** What is done there ends there: with its action set, or frozen. */
export function xlateApart(
  ctx: XlateContext,
  work: () => void,
  place: 'last' | 'others behind' = 'last',
): void {
  const { isLastAction } = ctx;
  ctx.isLastAction = place === 'last';
  work();
  ctx.isLastAction = true;
  if (ctx.freezing === undefined) xlateActionSet(ctx);
  if (ctx.freezing !== undefined) finishFreezing(ctx);
  ctx.isLastAction = isLastAction;
}

/**
 * A branch that the packet does not take: what is ambiguous there is no matter for whoever follows
 * the packet alone.
 */
function untaken(ctx: XlateContext, branch: () => OdpAction[]): OdpAction[] {
  const { details, steps } = ctx.frameRun;
  if (details === undefined) return branch();
  const before = { ...ctx };
  const [stepsBefore, detailsBefore] = [steps.length, details.length];
  try {
    return branch();
  } catch (error) {
    if (!(error instanceof AmbiguousOutcome)) throw error;
    Object.assign(ctx, before);
    steps.length = stepsBefore;
    details.length = detailsBefore;
    remark(ctx.frameRun, `the branch that the packet does not take is open: ${error.message}`);
    return [];
  }
}

/**
 * What is `behind` it is executed for longer packets and for others, and all flows on both ways
 * count; the datapath takes one of the ways once it sees the packet.
 */
export function xlateCheckPktLarger(
  ctx: XlateContext,
  { bytes, destination }: Extract<OtherAction, { readonly kind: 'check_pkt_larger' }>,
  behind: readonly Action[],
  list: ActionList,
): void {
  // Into packets, and what the datapath knows of them, such a bit is written only where other flows
  // on the way have read it: the cached flow's mask is the mask of the writing.
  if (destination.field.word >= word.ethSrc || destination.field.name === 'pkt_mark')
    throw new Unpredictable(
      'the model does not know the value of the bit of check_pkt_larger in ' +
        destination.field.name,
    );
  const { packet, stack, actionSet, hasGroupInSet, odpActions, exits } = ctx;
  commitChanges(ctx);
  const { kernelActions } = ctx;
  const branch = (isLarger: bigint) => {
    // Where stack and action set are kept, before 3.2, the other way begins with those that this
    // one leaves.
    Object.assign(ctx, { packet: copyOf(packet), odpActions: [], exits });
    remark(
      ctx.frameRun,
      `check_pkt_larger(${bytes}): for ` +
        (isLarger === 1n ? `packets of more than ${bytes} bytes` : 'others'),
    );
    writeSubfield(ctx.packet.key, destination, isLarger);
    xlateNested(ctx, () => {
      xlateOnCopy(ctx, behind, 'last', list);
    });
    ctx.kernelActions = behindCopy(kernelActions, ctx.kernelActions);
    return ctx.odpActions;
  };
  const length = packet.frame.length - packet.padding;
  const isLonger = length > bytes;
  const longer = isLonger ? branch(1n) : untaken(ctx, () => branch(1n));
  const exitsLonger = ctx.exits;
  const others = isLonger ? untaken(ctx, () => branch(0n)) : branch(0n);
  const taken = isLonger ? longer : others;
  remark(
    ctx.frameRun,
    `check_pkt_larger(${bytes}): the packet has ${length} bytes, so that it takes the branch ` +
      `${isLonger ? 'for longer ones (1)' : 'for others (0)'}`,
  );
  Object.assign(ctx, { packet, stack, actionSet, hasGroupInSet, odpActions, exits: exitsLonger });
  putOdpAction(ctx, 'check_pkt_larger', () => {
    executeOnClone(ctx, taken);
  });
}
