/**
 * Action sets: what is written, and in which order it is executed (OpenFlow 1.3, section 5.10;
 * ovs-actions(7), "write_actions").
 */
import type { Action } from '../../openflow/actions/actions.js';
import { isPlain } from '../../openflow/actions/kinds/output-actions.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { flowActionList, type XlateContext } from './xlate-context.js';

/** One of each, the one that was written last. */
const once: readonly Action['kind'][] = [
  'pop_vlan',
  'pop_mpls',
  'push_mpls',
  'push_vlan',
  'dec_ttl',
  'dec_mpls_ttl',
];
/** In the order written, between the former and the last. */
const inOrder: readonly Action['kind'][] = ['set', 'set_vlan', 'set_port', 'move', 'set_queue'];
/**
 * Of these only one, of the last kind that is there: without any, nothing is executed at all.
 */
const last: readonly (readonly Action['kind'][])[] = [
  ['group'],
  ['output', 'controller'],
  ['resubmit'],
  ['ct_clear'],
  ['ct'],
];

/** The list of actions that a set of them, in the order written, stands for. */
export function orderActionSet(written: readonly Action[]): readonly Action[] {
  if (written.length === 0) return written;
  const set = written.filter((action) => action.kind !== 'controller' || isPlain(action));
  const end = last
    .map((kinds) => set.findLast(({ kind }) => kinds.includes(kind)))
    .find((action) => action !== undefined);
  if (end === undefined) return [];
  const first = once.flatMap((wanted) => set.findLast(({ kind }) => kind === wanted) ?? []);
  return [...first, ...set.filter(({ kind }) => inOrder.includes(kind)), end];
}

export function writeActions(ctx: XlateContext, actions: readonly Action[]): void {
  for (const action of ctx.hasGroupInSet ? [] : actions) {
    if (action.kind === 'output') ctx.packet.key[word.actsetOutput] = action.port;
    else if (action.kind === 'controller')
      ctx.packet.key[word.actsetOutput] = reservedPorts.CONTROLLER;
    if (action.kind !== 'group') continue;
    ctx.packet.key[word.actsetOutput] = reservedPorts.UNSET;
    ctx.hasGroupInSet = true;
    break;
  }
  ctx.actionSet.push(...actions);
}

export function clearActions(ctx: XlateContext): void {
  ctx.actionSet = [];
  ctx.hasGroupInSet = false;
  ctx.packet.key[word.actsetOutput] = reservedPorts.UNSET;
}

/** At the end of the pipeline; the set is empty then. */
export function xlateActionSet(ctx: XlateContext): void {
  const actions = orderActionSet(ctx.actionSet);
  ctx.actionSet = [];
  if (actions.length === 0) return;
  ctx.isInActionSet = true;
  ctx.doXlateActions(ctx, actions, flowActionList);
  ctx.isInActionSet = false;
}
