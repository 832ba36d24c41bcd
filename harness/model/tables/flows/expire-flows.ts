/**
 * Time passes for a node's flows: those that it is over for go, and what they alone have learned.
 */
import { Unpredictable } from '../../../base/errors/errors.js';
import { printFlow } from '../../../openflow/flows/flow.js';
import { ageMacs } from '../../l2/mac-table.js';
import type { ModelNode } from '../../model-node.js';
import type { ModelBridge } from '../../model-bridge.js';
import { ageSnooping } from '../../l2/multicast-snooping.js';
import { deleteRule, flushLearnedCookies } from './edit-flows.js';
import { isExpired, recordOf } from './flow-record.js';

/** Virtual time advances by `ms`: flows, learned addresses and multicast members expire. */
export function advance(node: ModelNode, ms: number): void {
  node.nowMs += ms;
  for (const bridge of node.bridges) {
    expireFlows(bridge, node.nowMs);
    ageMacs(bridge.macs, bridge.plan, node.nowMs);
    if (bridge.snooping !== undefined) ageSnooping(bridge.snooping, node.nowMs);
  }
}

/**
 * Flows that time is over for go, also where it is since their timeouts became shorter, or since
 * others took their place. One by one, as Open vSwitch does (ofproto/ofproto-dpif.c, run): with the
 * last flow that learns, those that it learned go.
 * @throws Unsupported where one of those is over as well: Open vSwitch 4.0 was seen to take it from
 *   a list in which it no longer is, and to end itself by an assertion (ofproto_rule_remove__);
 *   what others do there nobody has seen.
 */
export function expireFlows(bridge: ModelBridge, nowMs: number): void {
  for (const rule of bridge.expiring) {
    if (!isExpired(recordOf(bridge, rule), nowMs)) continue;
    const gone = flushLearnedCookies(bridge, [deleteRule(bridge, rule)]);
    if (gone.some(({ removed }) => removed !== undefined && isExpired(removed.record, nowMs)))
      throw new Unpredictable(
        `Open vSwitch may end itself where ${printFlow(rule.flow)} expires at once with what ` +
          'it learned',
      );
  }
}
