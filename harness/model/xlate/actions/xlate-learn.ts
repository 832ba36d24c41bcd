/**
 * The learn action: flows that packets make (ovs-actions(7), "learn"; Open vSwitch lib/learn.c,
 * learn_execute, and ofproto/ofproto.c, ofproto_flow_mod_learn).
 */
import { Unsupported } from '../../../base/errors/errors.js';
import {
  printActions,
  type Action,
  type LearnAction,
  type LearnSpec,
  type Subfield,
} from '../../../openflow/actions/actions.js';
import type { Flow } from '../../../openflow/flows/flow.js';
import { matchOfBits } from '../../../openflow/match/match.js';
import { type FieldMatch } from '../../../openflow/match/field-match.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import type { FlowKey } from '../../../packet/flow-key/flow-key.js';
import { find, ruleOf } from '../../tables/flow-tables.js';
import { currentFlow } from '../../tables/flows/dump-flows.js';
import { installRule, rulesWith, flushLearnedCookies } from '../../tables/flows/edit-flows.js';
import { newRecord, recordOf } from '../../tables/flows/flow-record.js';
import { readSubfield, writeSubfield } from '../../fields/field-values.js';
import { checkRead, checkWrite } from '../../fields/supported-fields.js';
import type { XlateContext } from '../xlate-context.js';
import { traceWrite } from '../trace-steps.js';

/**
 * The flow is there for packets and translations that begin now; the one at hand continues with the
 * tables that it has found.
 */
export function xlateLearn(ctx: XlateContext, action: LearnAction): void {
  const isLearned = learnFlow(ctx, learnedFlow(ctx.packet.key, action), action.limit);
  if (action.result === undefined) return;
  checkWrite(action.result.field);
  writeSubfield(ctx.packet.key, action.result, isLearned ? 1n : 0n);
  traceWrite(ctx, action.result.field.name);
}

/**
 * The same flow is only learned again, which extends its hard timeout. One with the same match and
 * priority but otherwise different gets the actions and the cookie, and keeps its timeouts.
 * @param limit of flows with the cookie in the table; 0 for none. @returns whether there was room
 *   for it.
 */
function learnFlow({ bridge, frameRun }: XlateContext, flow: Flow, limit: number): boolean {
  const { nowMs } = frameRun.node;
  const fresh = ruleOf(flow, bridge.options);
  const before = find(bridge.tables, fresh);
  if (before !== undefined && isSame(currentFlow(bridge, before), flow)) {
    recordOf(bridge, before).modifiedMs = nowMs;
    return true;
  }
  if (limit > 0 && rulesWith(bridge, flow).length >= limit) return false;
  const { cookie, actions } = flow;
  const edit =
    before === undefined
      ? installRule(bridge, fresh, newRecord(fresh, nowMs))
      : installRule(bridge, ruleOf({ ...before.flow, cookie, actions }, bridge.options), {
          ...recordOf(bridge, before),
          modifiedMs: nowMs,
        });
  frameRun.edits.push(edit, ...flushLearnedCookies(bridge, [edit]));
  return true;
}

function isSame(held: Flow, flow: Flow): boolean {
  const text = ({ cookie, idleTimeout, hardTimeout, importance, flags, actions }: Flow) =>
    [cookie, idleTimeout, hardTimeout, importance, flags.join(), printActions(actions)].join(' ');
  return text(held) === text(flow);
}

/** What the packet makes of it. */
export function learnedFlow(
  key: FlowKey,
  {
    table,
    priority,
    cookie,
    idleTimeout,
    hardTimeout,
    finIdleTimeout,
    finHardTimeout,
    sendFlowRemoved,
    specs,
  }: LearnAction,
): Flow {
  const ends: readonly Action[] =
    finIdleTimeout > 0 || finHardTimeout > 0
      ? [{ kind: 'fin_timeout', idle: finIdleTimeout, hard: finHardTimeout }]
      : [];
  return {
    table,
    priority,
    cookie,
    idleTimeout,
    hardTimeout,
    importance: 0,
    flags: sendFlowRemoved ? ['send_flow_rem'] : [],
    match: matchOfBits(specs.flatMap((spec) => (spec.kind === 'match' ? [bitsOf(key, spec)] : []))),
    actions: [...ends, ...specs.flatMap((spec) => actionOf(key, spec))],
  };
}

function actionOf(key: FlowKey, spec: LearnSpec): readonly Action[] {
  switch (spec.kind) {
    case 'match':
      return [];
    case 'load': {
      const { field, value, mask } = bitsOf(key, spec);
      return [
        { kind: 'set', notation: 'load', field, value, ...(mask === field.ones ? {} : { mask }) },
      ];
    }
    case 'output': {
      const port = valueOf(key, spec.source);
      return port <= 0xffffn && mayBeLearned(Number(port))
        ? [{ kind: 'output', port: Number(port) }]
        : [];
    }
  }
}

/**
 * Ports that a learned flow may send to: those that have a number of their own, and a few names.
 */
function mayBeLearned(port: number): boolean {
  return port < firstReserved || named.includes(port);
}

const firstReserved = 0xff00;
const named: readonly number[] = [
  reservedPorts.IN_PORT,
  reservedPorts.FLOOD,
  reservedPorts.LOCAL,
  reservedPorts.ALL,
];

function bitsOf(
  key: FlowKey,
  {
    destination: { field, offset, bits },
    source,
  }: Extract<LearnSpec, { readonly kind: 'match' | 'load' }>,
): FieldMatch {
  if (field.notation === 'option' || (field.notation === 'port' && field.bits === 32))
    throw new Unsupported(`the model does not know how ${field.name} is learned`);
  return {
    field,
    value: valueOf(key, source) << BigInt(offset),
    mask: ((1n << BigInt(bits)) - 1n) << BigInt(offset),
  };
}

function valueOf(key: FlowKey, source: Subfield | bigint): bigint {
  if (typeof source === 'bigint') return source;
  checkRead(source.field);
  return readSubfield(key, source);
}
