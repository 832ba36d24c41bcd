/** Steps of the trace, by the flow at hand. */
import { assert } from '../../base/errors/errors.js';
import type { FlowId } from '../../domain/switching.js';
import type { Rule } from '../tables/flow-tables.js';
import { idOf } from '../model-node.js';
import type { ActionOrigin } from './frozen.js';
import type { XlateContext } from './xlate-context.js';

export function originOf(ctx: XlateContext, rule: Rule): ActionOrigin {
  return {
    table: rule.flow.table,
    cookie: rule.flow.cookie,
    flow: idOf(ctx.frameRun.node, ctx.bridge, rule),
    meters: 'looked up',
  };
}

/** The flow at hand, as steps name it. */
export function stepFlow(ctx: XlateContext): { readonly flow: FlowId } {
  return { flow: flowAtHand(ctx) };
}

function flowAtHand({ origin }: XlateContext): FlowId {
  assert(origin.flow !== undefined, 'actions are those of a flow');
  return origin.flow;
}

export function traceDrop(ctx: XlateContext, why: string): void {
  ctx.frameRun.steps.push({ kind: 'drop', flow: flowAtHand(ctx), why });
}

/** Why something is as it is, where all details are asked for. */
export function remark(
  { details, steps }: Pick<XlateContext['frameRun'], 'details' | 'steps'>,
  text: string,
): void {
  details?.push({ kind: 'remark', after: steps.length, text });
}

export function traceWrite(ctx: XlateContext, field: string): void {
  ctx.frameRun.steps.push({ kind: 'write', flow: flowAtHand(ctx), field });
}
