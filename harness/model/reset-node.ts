/** A node as it was before any packet came. */
import { insert, remove, rulesOf } from './tables/flow-tables.js';
import { forgetLearning } from './xlate/waiting-packets.js';
import { countLearners } from './tables/flows/learners.js';
import { hasTimeout, renew } from './tables/flows/flow-record.js';
import { fullMeter } from './tables/meters.js';
import { addStaticMacs } from './l2/mac-table.js';
import { forgetNeighbours } from './tunnels/tunnel-neighbours.js';
import type { ModelBridge } from './model-bridge.js';
import type { ModelNode } from './model-node.js';
import { noWork } from '../domain/work.js';
import { plannedDownPorts } from '../domain/plan/cluster-plan.js';

/**
 * Forgets connections, learned addresses, who asked for multicast, and counters; flows and groups
 * are again those of the plan, as if they came now; links are as planned, meters full. Fragments go
 * on waiting, as they do in the switch.
 */
export function resetNode(node: ModelNode): void {
  node.connections.clear();
  node.controlConnections.clear();
  forgetLearning(node.learning);
  Object.assign(node.work, noWork());
  node.generations.learned++;
  const down = plannedDownPorts({ bridges: node.bridges.map(({ plan }) => plan) });
  if (node.downPorts.size > 0 || down.length > 0) node.generations.program++;
  node.downPorts.clear();
  for (const port of down) node.downPorts.add(port);
  node.answers.natTuplesUsed = node.answers.flowChanges = 0;
  forgetNeighbours(node.neighbours);
  for (const bridge of node.bridges) {
    bridge.macs.clear();
    addStaticMacs(bridge.macs, bridge.plan, node.nowMs);
    bridge.snooping?.groups.clear();
    bridge.snooping?.routers.clear();
    bridge.sinceMs = node.nowMs;
    for (const [rule, record] of bridge.records) renew(record, rule, node.nowMs);
    for (const [id, { meter }] of bridge.meters)
      bridge.meters.set(id, fullMeter(meter, node.nowMs));
    if (!bridge.isUnchanged) restoreProgram(bridge);
  }
}

/** What its bridges hold now is what a reset goes back to. */
export function saveProgram({ bridges }: ModelNode): void {
  for (const bridge of bridges) {
    if (bridge.isUnchanged) continue;
    bridge.planned = { rules: rulesOf(bridge.tables), groups: new Map(bridge.groups) };
    bridge.records.clear();
    bridge.isUnchanged = true;
  }
}

function restoreProgram(bridge: ModelBridge): void {
  const { tables, groups, planned, expiring, learners, records } = bridge;
  const wanted = new Set(planned.rules);
  bridge.generations.program++;
  records.clear();
  const held = new Set(rulesOf(tables));
  for (const rule of held) if (!wanted.has(rule)) remove(tables, rule);
  for (const rule of wanted) if (!held.has(rule)) insert(tables, rule);
  refill(groups, planned.groups);
  refill(learners, countLearners(planned.rules));
  expiring.clear();
  for (const rule of planned.rules) if (hasTimeout(rule.flow)) expiring.add(rule);
  bridge.isUnchanged = true;
}

function refill<Key, Value>(map: Map<Key, Value>, entries: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
