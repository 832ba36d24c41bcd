/**
 * What controllers are told (ovs-actions(7), "controller", "dec_ttl"; OpenFlow 1.5, section 7.4.1).
 */
import type { PacketIn } from '../../nouns/switching.js';
import type { ControllerAction } from '../../openflow/actions.js';
import { fieldCalled, fields, type Field } from '../../openflow/fields.js';
import { printMatch } from '../../openflow/print-match.js';
import { isIp, word, type FlowKey } from '../../packet/flow-key.js';
import { hasField } from '../has-field.js';
import { isFilled } from '../known.js';
import { maskOf, readField } from '../keys.js';
import { isThere, type OptionFields } from '../options.js';
import { handUp } from '../packet.js';
import { isPlain } from '../../openflow/actions/output.js';
import { bytesOf } from './carried.js';
import { meteredForController } from './meter.js';
import {
  actionBytes,
  blame,
  commitChanges,
  leaveToDatapath,
  noteDrop,
  noteWrite,
  type ActionList,
  type Place,
  type Translation,
} from './translation.js';

/** Sends the packet as it is now; how it goes on does not depend on it. */
export function tellController(at: Translation, action: ControllerAction, list: ActionList): void {
  tell(at, action, isPlain(action) ? reasonOf(at, action, list) : action.reason, at.place.meters);
}

/** A plain output to the controller says where it stood. */
function reasonOf(at: Translation, action: ControllerAction, list: ActionList): PacketIn['reason'] {
  return list.kind === 'bucket' ? 'group' : at.isInActionSet ? 'action_set' : action.reason;
}

function tell(
  at: Translation,
  action: ControllerAction,
  reason: PacketIn['reason'],
  meters: Place['meters'],
): void {
  commitChanges(at);
  handUp(at.packet);
  const { rule } = at;
  const isMiss =
    reason === 'action' &&
    rule !== undefined &&
    rule.flow.priority === 0 &&
    rule.flow.match.length === 0;
  const told = packetIn(at, action, isMiss ? 'no_match' : reason, 'sent');
  at.actionBytes += actionBytes.controller;
  at.passage.steps.push({
    kind: 'controller',
    ...blame(at),
    controller: action.id,
    reason: told.reason,
  });
  const pass = meteredForController(at, action, meters);
  const isHeard = listens(at, action.id);
  const { frame, layout, arrived } = at.packet;
  leaveToDatapath(at, 'controller', (behind) => {
    if (pass(behind) === 'dropped' || !isHeard) return;
    at.passage.packetIns.push({
      ...told,
      frame: bytesOf({ frame, layout, arrived }, at.carried, at.passage.node.behaviour).frame,
    });
  });
}

/**
 * The whole packet, however little of it was asked for: Open vSwitch keeps none of the rest. What
 * waits is of no table.
 */
export function packetIn(
  at: Translation,
  { id, userdata }: Pick<ControllerAction, 'id' | 'userdata'>,
  reason: PacketIn['reason'],
  state: 'sent' | 'paused',
): PacketIn {
  const { frame, key } = at.packet;
  const { table, cookie } = at.place;
  return {
    bridge: at.bridge.plan.name,
    controller: id,
    reason,
    table: state === 'paused' ? 0 : table,
    cookie,
    length: frame.length,
    frame,
    metadata: metadataOf(key, at.bridge.options),
    userdata,
    paused: state === 'paused',
  };
}

/**
 * The controller of that connection id, where the plan says who listens; where it does not,
 * everybody does.
 */
export function listens({ bridge }: Translation, id: number): boolean {
  return bridge.plan.controllers?.some((controller) => controller.id === id) ?? true;
}

const metadataFields = fields.filter(
  (field) =>
    !field.isView &&
    isFilled(field) &&
    field.inFlows &&
    (field.word < word.ethSrc || field.name === 'eth_type') &&
    field.name !== 'actset_output' &&
    field.name !== 'conj_id',
);

/**
 * What is not zero, and the tunnel's options that are there; of a connection also its type, without
 * which the rest says nothing, and what it began with (lib/flow.c, flow_get_metadata).
 */
function metadataOf(key: FlowKey, options: OptionFields): string {
  const isTold = (field: Field, value: bigint): boolean => {
    if (field.name === 'in_port') return true;
    if (field.name === 'eth_type') return key[word.ctState] !== 0;
    if (
      field.prerequisite === 'ct' ||
      field.prerequisite === 'ct ipv4' ||
      field.prerequisite === 'ct ports'
    )
      return hasField(key, field) && isIp(key[word.ethType] ?? 0) && key[word.ctNwProto] !== 0;
    return value !== 0n;
  };
  const told = metadataFields
    .map((field) => ({ field, value: readField(key, field) }))
    .filter(({ field, value }) => isTold(field, value));
  const ofTunnel = options
    .filter(({ field }) => isThere(key, field))
    .map(({ field, number }) => ({
      field: fieldCalled(`tun_metadata${number}`),
      value: readField(key, field),
    }));
  return printMatch(
    [...told, ...ofTunnel]
      .sort((a, b) => fields.indexOf(a.field) - fields.indexOf(b.field))
      .map(({ field, value }) => ({ field, value, mask: maskOf(field, value, field.ones) })),
  );
}

const whole = {
  maxLength: 0xffff,
  userdata: [],
  kind: 'controller',
  reason: 'invalid_ttl',
  pause: false,
} as const;

/**
 * A TTL of 0 or 1 goes to the controllers that the action names, and ends the actions of the flow;
 * one that resubmitted to it goes on (ovs-actions(7), "dec_ttl").
 */
export function decrementTtl(at: Translation, controllers: readonly number[]): 'stop' | undefined {
  const { key } = at.packet;
  if (!isIp(key[word.ethType] ?? 0)) return undefined;
  const ttl = key[word.nwTtl] ?? 0;
  if (ttl <= 1) return expire(at, `dec_ttl with TTL ${ttl}`, controllers);
  key[word.nwTtl] = ttl - 1;
  noteWrite(at, 'nw_ttl');
  return undefined;
}

/** The packet may live no longer: `controllers` are told. */
export function expire(at: Translation, why: string, controllers: readonly number[]): 'stop' {
  noteDrop(at, why);
  for (const id of controllers) tell(at, { ...whole, id }, 'invalid_ttl', 'looked up');
  return 'stop';
}
