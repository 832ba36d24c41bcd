/** Actions that go two ways: clone and check_pkt_larger (ovs-actions(7)). */
import { Unpredictable } from '../../base/errors.js';
import type { Action, OtherAction } from '../../openflow/actions.js';
import { word } from '../../packet/flow-key.js';
import { writeSubfield } from '../keys.js';
import { copyOf } from '../packet.js';
import { carryOutSet } from './action-set.js';
import { finishFreezing } from './freeze.js';
import {
  commitChanges,
  execute,
  leaveToDatapath,
  nested,
  ofFlow,
  type ActionList,
  type DatapathAction,
  type Translation,
} from './translation.js';

/** On a copy of the packet, with an action set of its own; what exits there, exits here as well. */
export function clone(at: Translation, actions: readonly Action[]): void {
  const { packet, stack, actionSet, hasGroupInSet, datapath, isLasting, isLast, isMetered } = at;
  const isAsked = !isLast && actions.some(({ kind }) => setsApart.includes(kind));
  const isByDatapath = asksDatapath(at);
  if (isAsked) commitChanges(at);
  settleBeforeClone(at);
  at.datapath = [];
  at.isLasting = false;
  const work = () => {
    onCopy(at, actions, isByDatapath || isAsked || isLast ? 'last' : 'others behind');
  };
  if (!isLast && (isByDatapath || isAsked)) nested(at, work);
  else work();
  const isApart = isByDatapath ? at.isLasting && !isLast : isAsked;
  at.isLasting = isLasting || (at.isLasting && !isApart);
  const [left, inner] = [at.packet, at.datapath];
  Object.assign(at, { packet, stack, actionSet, hasGroupInSet, datapath });
  if (isApart) {
    at.isMetered = isMetered;
    leaveToDatapath(at, 'clone with a copy of its own', () => {
      onCarriedCopy(at, inner);
    });
    return;
  }
  // What its outputs put into the packet's bytes is taken back with the next output, as far as the
  // fields tell.
  const { frame, layout, arrived, isAsRead } = left;
  at.packet = {
    ...packet,
    frame,
    layout,
    arrived,
    isAsRead: packet.isAsRead && isAsRead,
    isUnread: packet.isUnread || (!isByDatapath && left.isUnread),
  };
  at.datapath.push(...inner);
}

function asksDatapath({ passage }: Translation): boolean {
  return passage.node.behaviour.clonesAreApart === 'where the datapath asks for it';
}

/**
 * Since 4.0, what is pending is put into the packet before any clone that is not the last action
 * (ofproto-dpif-xlate.c, clone_xlate_actions).
 */
export function settleBeforeClone(at: Translation): void {
  if (asksDatapath(at) && !at.isLast) commitChanges(at);
}

/** What becomes of the datapath's copy stays with the copy. */
function onCarriedCopy(at: Translation, actions: readonly DatapathAction[]): void {
  const { carried } = at;
  execute(actions);
  at.carried = carried;
}

/** What Open vSwitch cannot take back from a packet without a copy. */
const setsApart: readonly Action['kind'][] = ['ct', 'output-truncated', 'meter'];

/** Carries out `actions` on a copy of the packet, to the end of the pipeline. */
function onCopy(
  at: Translation,
  actions: readonly Action[],
  place: 'last' | 'others behind',
  list: ActionList = ofFlow,
): void {
  at.packet = copyOf(at.packet);
  const keeps = at.passage.node.behaviour.clonesKeep === 'stack and action set';
  at.stack = keeps ? [...at.stack] : [];
  at.actionSet = keeps ? [...at.actionSet] : [];
  apart(
    at,
    () => {
      at.carryOut(at, actions, list);
    },
    place,
  );
}

/** What is done there ends there: with its action set, or broken off. */
export function apart(
  at: Translation,
  work: () => void,
  place: 'last' | 'others behind' = 'last',
): void {
  const { isLast } = at;
  at.isLast = place === 'last';
  work();
  at.isLast = true;
  if (at.freezing === undefined) carryOutSet(at);
  if (at.freezing !== undefined) finishFreezing(at);
  at.isLast = isLast;
}

/**
 * What is `behind` it is carried out for longer packets and for others, and all flows on both ways
 * count; the datapath takes one of the ways once it sees the packet.
 */
export function checkLength(
  at: Translation,
  { bytes, destination }: Extract<OtherAction, { readonly kind: 'check_pkt_larger' }>,
  behind: readonly Action[],
  list: ActionList,
): void {
  // Into packets, and what the datapath knows of them, such a bit is written only where other flows
  // on the way have looked at it: the cached flow's mask is the mask of the writing.
  if (destination.field.word >= word.ethSrc || destination.field.name === 'pkt_mark')
    throw new Unpredictable(
      'the model does not know what becomes of the bit of check_pkt_larger in ' +
        destination.field.name,
    );
  const { packet, stack, actionSet, hasGroupInSet, datapath, exits } = at;
  commitChanges(at);
  const way = (isLarger: bigint) => {
    // Where stack and action set are kept, before 3.2, the other way begins with those that this
    // one leaves.
    Object.assign(at, { packet: copyOf(packet), datapath: [], exits });
    writeSubfield(at.packet.key, destination, isLarger);
    nested(at, () => {
      onCopy(at, behind, 'last', list);
    });
    return at.datapath;
  };
  const longer = way(1n);
  const exitsLonger = at.exits;
  const others = way(0n);
  const taken = packet.frame.length - packet.padding > bytes ? longer : others;
  Object.assign(at, { packet, stack, actionSet, hasGroupInSet, datapath, exits: exitsLonger });
  leaveToDatapath(at, 'check_pkt_larger', () => {
    onCarriedCopy(at, taken);
  });
}
