/** What a flow's actions do to a packet, one by one. */
import { Unsupported, assertNever } from '../../base/errors.js';
import { printActions, type Action } from '../../openflow/actions.js';
import { tcpFlagBits } from '../../openflow/fields.js';
import { word } from '../../packet/flow-key.js';
import { ipProtocols } from '../../packet/ipv4.js';
import { reduceTimeouts } from '../flows/record.js';
import { isInFront } from '../headers.js';
import { lookAtAction } from '../megaflows/looked.js';
import { clearActions, writeActions } from './action-set.js';
import { arrive } from './arrival.js';
import { chooseMember, isUp } from './choices.js';
import { clearConnection, connectionTrack } from './connection.js';
import { decrementTtl, tellController } from './controller.js';
import { header, write, writePart } from './fields.js';
import { checkLength, clone } from './forks.js';
import { asksForPlace, keepForLater } from './freeze.js';
import { runGroup } from './groups.js';
import { learn } from './learn.js';
import { meter } from './meter.js';
import { mirrorAnew } from './mirrors.js';
import { enqueue, output, outputByField, outputTruncated } from './output.js';
import { descend, descendAsFirst } from './tables.js';
import {
  keepNothing,
  noteDrop,
  noteWrite,
  ofFlow,
  type ActionList,
  type Translation,
} from './translation.js';

/** One by one, until one ends them, breaks the translation off, or fails. */
export function carryOut(at: Translation, actions: readonly Action[], list: ActionList): void {
  if (arrive(at) === 'reserved')
    return noteDrop(at, 'what comes in at the output of a mirror is dropped');
  if (actions.length === 0)
    noteDrop(at, list.kind === 'bucket' ? 'the bucket says drop' : 'the flow says drop');
  const placesFrom = (index: number) => (list.kind === 'frozen' ? list.places.slice(index) : []);
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index];
    if (at.error !== undefined || action === undefined) return;
    if (list.kind === 'frozen' && !at.exits) {
      const place = list.places[index] ?? at.place;
      at.place = asksForPlace(action)
        ? place
        : { ...at.place, flow: place.flow, meters: place.meters };
    }
    if (!at.exits && at.packet.isUnread && !isInFront(action)) {
      at.exits = true;
      at.freezing = { kind: 'reread' };
    }
    if (at.exits) {
      if (at.freezing !== undefined) keepForLater(at, actions.slice(index), placesFrom(index));
      return;
    }
    at.passage.details?.push({ kind: 'action', after: at.passage.steps.length, action });
    const why = at.recording && lookAtAction(at.recording, action);
    if (why !== undefined) keepNothing(at, why);
    mirrorAnew(at, action);
    const { isLast } = at;
    at.isLast = isLast && index === actions.length - 1 && at.actionSet.length === 0;
    const ends = act(at, action, list, { actions, index }) === 'stop';
    at.isLast = isLast;
    if (ends) return;
    if (action.kind === 'resubmit' || action.kind === 'goto') continue;
    if (stopped(at) && at.frozen.length === 0) {
      const next = at.freezing?.kind === 'pause' ? index + 1 : index;
      keepForLater(at, actions.slice(next), placesFrom(next));
      return;
    }
  }
}

function stopped({ error, exits }: Translation): boolean {
  return error === undefined && exits;
}

/** `stop`: the actions behind are not carried out; a flow that resubmitted to this one goes on. */
function act(
  at: Translation,
  action: Action,
  list: ActionList,
  { actions, index }: { readonly actions: readonly Action[]; readonly index: number },
): 'stop' | undefined | void {
  const { packet, place } = at;
  const { key } = packet;
  switch (action.kind) {
    case 'output':
      return output(at, action.port, list);
    case 'output-field':
      return outputByField(at, action.source, list);
    case 'output-truncated':
      return outputTruncated(at, action.port, action.maxLength);
    case 'enqueue':
      return enqueue(at, action.port);
    case 'bundle': {
      const port = chooseMember(key, action, (member) => isUp(at.passage.node, at.bridge, member));
      if (action.destination === undefined) return output(at, port, list);
      writePart(at, action.destination, BigInt(port));
      return noteWrite(at, action.destination.field.name);
    }
    case 'controller':
      if (!action.pause) return tellController(at, action, list);
      at.exits = true;
      at.freezing = { kind: 'pause', action, place };
      return undefined;
    case 'group':
      return runGroup(at, action.group);
    case 'goto':
      return descend(at, action.table, key[word.inPort] ?? 0);
    case 'resubmit':
      return (action.original ? descendAsFirst : descend)(
        at,
        action.table ?? place.table,
        action.port ?? key[word.inPort] ?? 0,
      );
    case 'clone':
      return clone(at, action.actions);
    case 'check_pkt_larger':
      checkLength(
        at,
        action,
        actions.slice(index + 1),
        list.kind === 'frozen' ? { kind: 'frozen', places: list.places.slice(index + 1) } : ofFlow,
      );
      return 'stop';
    case 'exit':
      at.exits = true;
      return undefined;
    case 'write_actions':
      return writeActions(at, action.actions);
    case 'clear_actions':
      return clearActions(at);
    case 'ct':
      return connectionTrack(at, action);
    case 'ct_clear':
      return clearConnection(at);
    case 'dec_ttl':
      return decrementTtl(at, action.controllers ?? [0]);
    case 'push_vlan':
    case 'pop_vlan':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_mpls_ttl':
      return header(at, action);
    case 'set':
    case 'set_vlan':
    case 'set_port':
    case 'move':
    case 'push':
    case 'pop':
    case 'delete_field':
    case 'write_metadata':
    case 'multipath':
      return write(at, action);
    case 'conjunction':
    case 'note':
    case 'sample': // there is nobody who collects samples
    case 'set_queue':
    case 'pop_queue':
      return undefined;
    case 'fin_timeout':
      return shortenTimeouts(at, action.idle, action.hard);
    case 'learn':
      return learn(at, action);
    case 'meter':
      return meter(at, action.meter);
    case 'nat':
      throw notModelled(action);
    default:
      return assertNever(action);
  }
}

/** Of the flow at hand, where the packet ends a connection. */
function shortenTimeouts(at: Translation, idle: number, hard: number): void {
  const {
    bridge,
    rule,
    packet: { key },
    passage,
  } = at;
  const ends =
    key[word.nwProto] === ipProtocols.tcp &&
    ((key[word.tcpFlags] ?? 0) & (tcpFlagBits.fin | tcpFlagBits.rst)) !== 0;
  if (rule === undefined || !ends) return;
  keepNothing(at, 'fin_timeout');
  reduceTimeouts(bridge, rule, idle, hard);
  if (!passage.shortened.includes(bridge)) passage.shortened.push(bridge);
}

function notModelled(action: Action): Unsupported {
  return new Unsupported(`the model does not carry out ${printActions([action])}`);
}
