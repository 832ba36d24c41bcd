/**
 * Changes of flows and groups while a switch runs, as one OpenFlow bundle: all or none (OpenFlow
 * 1.5, sections 6.9 and 7.3.4; Open vSwitch ofproto/ofproto.c, do_bundle_commit).
 */
import { assertNever, InputError, unknownName } from '../../../base/errors/errors.js';
import { printActions } from '../../../openflow/actions/actions.js';
import { parseBridgeOptions, portNumbers } from '../../../openflow/bridge-program.js';
import {
  parseChanges,
  type BridgeChange,
  type FlowChange,
} from '../../../openflow/flows/flow-change.js';
import { printFlow, type Flow } from '../../../openflow/flows/flow.js';
import { noNames } from '../../../openflow/syntax/form.js';
import { find, ruleOf, rulesOf, type Rule } from '../flow-tables.js';
import type { ModelNode } from '../../model-node.js';
import type { ModelBridge } from '../../model-bridge.js';
import {
  deleteRule,
  flattened,
  recordEdit,
  installRule,
  flushLearnedCookies,
  type FlowTransaction,
  type Edit,
} from './edit-flows.js';
import { changeGroups } from './change-groups.js';
import { newRecord, recordOf } from './flow-record.js';
import { covers, matchesRequest, overlap } from './matches-request.js';

/**
 * Applies the lines of an `ovs-ofctl -O OpenFlow15 bundle` (`flow add …`, `flow modify_strict …`,
 * `group delete …`) on one bridge.
 * @throws InputError for a line that is none, or that the switch refuses; then nothing has changed.
 */
export function changeFlows(node: ModelNode, bridgeName: string, lines: readonly string[]): void {
  const bridge = node.bridges.find(({ plan }) => plan.name === bridgeName);
  if (bridge === undefined)
    throw unknownName(
      'bridge',
      bridgeName,
      node.bridges.map(({ plan }) => plan.name),
    );
  const names = {
    ...noNames,
    ports: portNumbers(bridge.plan),
    tunnelOptions: parseBridgeOptions(node.name, bridge.plan),
  };
  const changes = parseChanges(lines, names, `changes of ${bridgeName} on ${node.name}`);
  const done: Edit[][] = [];
  const undo: (() => void)[] = [];
  try {
    for (const each of changes) {
      const edits: Edit[] = [];
      done.push(edits);
      applyChange({ bridge, nowMs: node.nowMs, edits, undo }, each);
    }
  } catch (error) {
    for (const back of undo.toReversed()) back();
    throw error;
  }
  for (const edits of done) flushLearnedCookies(bridge, edits);
}

function applyChange(changing: FlowTransaction, each: BridgeChange): void {
  if (each.of === 'group') return changeGroups(changing, each.change);
  const { change } = each;
  switch (change.kind) {
    case 'add':
      return add(changing, change.flow);
    case 'modify':
    case 'modify_strict':
      return modify(changing, change);
    case 'delete':
    case 'delete_strict':
      for (const rule of selectedRules(changing.bridge, change))
        recordEdit(changing, deleteRule(changing.bridge, rule));
      return;
    default:
      assertNever(change);
  }
}

/**
 * In the place of a flow with the same match and priority it continues that one's counters, unless
 * the flag reset_counts is set.
 */
function add(changing: FlowTransaction, flow: Flow): void {
  const { bridge, nowMs } = changing;
  checkActions(bridge, flow);
  const rule = ruleOf(flow, bridge.options);
  const before = find(bridge.tables, rule);
  if (before === undefined && flow.flags.includes('check_overlap')) refuseOverlap(bridge, flow);
  const record = newRecord(rule, nowMs);
  if (before === undefined) return recordEdit(changing, installRule(bridge, rule, record));
  const { packets, bytes, usedMs } = recordOf(bridge, before);
  recordEdit(
    changing,
    installRule(bridge, rule, {
      ...record,
      usedMs,
      ...(flow.flags.includes('reset_counts') ? {} : { packets, bytes }),
    }),
  );
}

/** Only actions change; flags, cookies and timeouts are those that the flow came with. */
function modify(
  changing: FlowTransaction,
  change: Extract<FlowChange, { readonly kind: 'modify' | 'modify_strict' }>,
): void {
  const { bridge, nowMs } = changing;
  const { actions, flags } = change.flow;
  const rules = selectedRules(bridge, change);
  if (rules.length > 0) checkActions(bridge, change.flow);
  for (const rule of rules) {
    recordEdit(
      changing,
      installRule(bridge, ruleOf({ ...rule.flow, actions }, bridge.options), {
        ...recordOf(bridge, rule),
        modifiedMs: nowMs,
        ...(flags.includes('reset_counts') ? { packets: 0, bytes: 0 } : {}),
      }),
    );
  }
}

function selectedRules(
  bridge: ModelBridge,
  { kind, request }: Exclude<FlowChange, { readonly kind: 'add' }>,
): readonly Rule[] {
  const isStrict = kind === 'modify_strict' || kind === 'delete_strict';
  return rulesOf(bridge.tables).filter(
    ({ flow }) =>
      matchesRequest(flow, request) &&
      (isStrict ? flow.priority === request.priority && covers(flow.match, request.match) : true),
  );
}

/**
 * @throws InputError where the switch has no such flow already, and another of its priority may
 *   match the same packets.
 */
function refuseOverlap({ tables }: ModelBridge, flow: Flow): void {
  const other = (tables.get(flow.table)?.rules ?? []).find(
    (rule) => rule.flow.priority === flow.priority && overlap(rule.flow.match, flow.match),
  );
  if (other !== undefined)
    throw new InputError(
      `"${printFlow(flow)}" overlaps "${printFlow(other.flow)}", and asks that it does not`,
    );
}

/** @throws InputError for groups and meters that are not there. */
function checkActions({ groups, meters }: ModelBridge, { actions }: Flow): void {
  for (const action of flattened(actions)) {
    const isMissing =
      (action.kind === 'group' && !groups.has(action.group)) ||
      (action.kind === 'meter' && !meters.has(action.meter));
    if (isMissing) throw new InputError(`there is no ${printActions([action])}`);
  }
}
