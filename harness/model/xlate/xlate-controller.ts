/**
 * Packet-ins (ovs-actions(7), "controller", "dec_ttl"; OpenFlow 1.5, section 7.4.1).
 */
import type { PacketIn } from '../../domain/switching.js';
import type { ControllerAction } from '../../openflow/actions/actions.js';
import { fieldCalled, fields, type Field } from '../../openflow/match/fields.js';
import { printMatch } from '../../openflow/match/print-match.js';
import { copyKey, isIp, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { hasField } from '../fields/has-field.js';
import { isExtracted } from '../fields/supported-fields.js';
import { maskOf, readField } from '../fields/field-values.js';
import { isPresent, type OptionFields } from '../fields/tunnel-options.js';
import { isPlain } from '../../openflow/actions/kinds/output-actions.js';
import { datapathBytes } from './datapath/datapath-packet.js';
import { meteredForController } from './actions/xlate-meter.js';
import type { ActionList, XlateContext } from './xlate-context.js';
import { actionBytes, commitForController, putOdpAction } from './odp-actions.js';
import { answerByOvn, handedOverIn } from './answer-by-ovn.js';
import { stepFlow, traceDrop, traceWrite } from './trace-steps.js';
import type { ActionOrigin } from './frozen.js';

/** Sends the packet as it is now; how it continues does not depend on it. */
export function xlateController(
  ctx: XlateContext,
  action: ControllerAction,
  list: ActionList,
): void {
  putControllerAction(
    ctx,
    action,
    isPlain(action) ? reasonOf(ctx, action, list) : action.reason,
    ctx.origin.meters,
  );
}

/** A plain output to the controller says where it stood. */
function reasonOf(
  ctx: XlateContext,
  action: ControllerAction,
  list: ActionList,
): PacketIn['reason'] {
  return list.kind === 'bucket' ? 'group' : ctx.isInActionSet ? 'action_set' : action.reason;
}

function putControllerAction(
  ctx: XlateContext,
  action: ControllerAction,
  reason: PacketIn['reason'],
  meters: ActionOrigin['meters'],
): void {
  commitForController(ctx);
  const { rule } = ctx;
  const isMiss =
    reason === 'action' &&
    rule !== undefined &&
    rule.flow.priority === 0 &&
    rule.flow.match.length === 0;
  const message = packetIn(ctx, action, isMiss ? 'no_match' : reason, 'sent');
  ctx.actionBytes += actionBytes.controller;
  ctx.frameRun.steps.push({
    kind: 'controller',
    ...stepFlow(ctx),
    controller: action.id,
    reason: message.reason,
  });
  const pass = meteredForController(ctx, action, meters);
  const isHeard = isControllerConnected(ctx, action.id);
  const { frame, layout, baseKey, tagsMax } = ctx.packet;
  const key = copyKey(ctx.packet.key);
  const at = handedOverIn(ctx);
  putOdpAction(ctx, 'controller', (behind) => {
    if (pass(behind) === 'dropped' || !isHeard) return;
    const packet = datapathBytes(
      { frame, layout, baseKey },
      ctx.packetState,
      ctx.frameRun.node.behaviour,
    );
    const handed = { userdata: action.userdata, packet: { frame: packet.frame, tagsMax }, key };
    if (answerByOvn(at, handed, undefined)) return;
    ctx.frameRun.packetIns.push({ ...message, frame: packet.frame });
  });
}

/**
 * The whole packet, however little of it was asked for: Open vSwitch keeps none of the rest. What
 * waits is of no table.
 */
export function packetIn(
  ctx: XlateContext,
  { id, userdata }: Pick<ControllerAction, 'id' | 'userdata'>,
  reason: PacketIn['reason'],
  state: 'sent' | 'paused',
): PacketIn {
  const { frame, key } = ctx.packet;
  const { table, cookie } = ctx.origin;
  return {
    bridge: ctx.bridge.plan.name,
    controller: id,
    reason,
    table: state === 'paused' ? 0 : table,
    cookie,
    length: frame.length,
    frame,
    metadata: metadataOf(key, ctx.bridge.options),
    userdata,
    paused: state === 'paused',
  };
}

/**
 * The controller of that connection id, where the plan says who listens; where it does not,
 * everybody does.
 */
export function isControllerConnected({ bridge }: XlateContext, id: number): boolean {
  return bridge.plan.controllers?.some((connected) => connected.id === id) ?? true;
}

const metadataFields = fields.filter(
  (field) =>
    !field.isView &&
    isExtracted(field) &&
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
  const isIncluded = (field: Field, value: bigint): boolean => {
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
  const included = metadataFields
    .map((field) => ({ field, value: readField(key, field) }))
    .filter(({ field, value }) => isIncluded(field, value));
  const tunnelOptions = options
    .filter(({ field }) => isPresent(key, field))
    .map(({ field, number }) => ({
      field: fieldCalled(`tun_metadata${number}`),
      value: readField(key, field),
    }));
  return printMatch(
    [...included, ...tunnelOptions]
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
 * one that resubmitted to it continues (ovs-actions(7), "dec_ttl").
 */
export function decTtl(ctx: XlateContext, controllers: readonly number[]): 'stop' | undefined {
  const { key } = ctx.packet;
  if (!isIp(key[word.ethType] ?? 0)) return undefined;
  const ttl = key[word.nwTtl] ?? 0;
  if (ttl <= 1) return ttlExpired(ctx, `dec_ttl with TTL ${ttl}`, controllers);
  key[word.nwTtl] = ttl - 1;
  traceWrite(ctx, 'nw_ttl');
  return undefined;
}

/** The packet's TTL expires: `controllers` get a packet-in. */
export function ttlExpired(ctx: XlateContext, why: string, controllers: readonly number[]): 'stop' {
  traceDrop(ctx, why);
  for (const id of controllers)
    putControllerAction(ctx, { ...whole, id }, 'invalid_ttl', 'looked up');
  return 'stop';
}
