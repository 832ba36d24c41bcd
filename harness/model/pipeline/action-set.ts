/**
 * Action sets: what is written, and in which order it is carried out (OpenFlow 1.3, section 5.10;
 * ovs-actions(7), "write_actions").
 */
import type { Action } from '../../openflow/actions.js';
import { isPlain } from '../../openflow/actions/output.js';
import { reservedPorts } from '../../openflow/ports.js';
import { word } from '../../packet/flow-key.js';
import { ofFlow, type Translation } from './translation.js';

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
 * Of these only one, of the last kind that is there: without any, nothing is carried out at all.
 */
const last: readonly (readonly Action['kind'][])[] = [
  ['group'],
  ['output', 'controller'],
  ['resubmit'],
  ['ct_clear'],
  ['ct'],
];

/** The list of actions that a set of them, in the order written, stands for. */
export function inSetOrder(written: readonly Action[]): readonly Action[] {
  if (written.length === 0) return written;
  const set = written.filter((action) => action.kind !== 'controller' || isPlain(action));
  const end = last
    .map((kinds) => set.findLast(({ kind }) => kinds.includes(kind)))
    .find((action) => action !== undefined);
  if (end === undefined) return [];
  const first = once.flatMap((wanted) => set.findLast(({ kind }) => kind === wanted) ?? []);
  return [...first, ...set.filter(({ kind }) => inOrder.includes(kind)), end];
}

export function writeActions(at: Translation, actions: readonly Action[]): void {
  for (const action of at.hasGroupInSet ? [] : actions) {
    if (action.kind === 'output') at.packet.key[word.actsetOutput] = action.port;
    else if (action.kind === 'controller')
      at.packet.key[word.actsetOutput] = reservedPorts.CONTROLLER;
    if (action.kind !== 'group') continue;
    at.packet.key[word.actsetOutput] = reservedPorts.UNSET;
    at.hasGroupInSet = true;
    break;
  }
  at.actionSet.push(...actions);
}

export function clearActions(at: Translation): void {
  at.actionSet = [];
  at.hasGroupInSet = false;
  at.packet.key[word.actsetOutput] = reservedPorts.UNSET;
}

/** At the end of the pipeline; the set is empty then. */
export function carryOutSet(at: Translation): void {
  const actions = inSetOrder(at.actionSet);
  at.actionSet = [];
  if (actions.length === 0) return;
  at.isInActionSet = true;
  at.carryOut(at, actions, ofFlow);
  at.isInActionSet = false;
}
