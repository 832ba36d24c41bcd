/** A node out of its plan. */
import { noWork } from '../domain/work.js';
import { plannedDownPorts, type NodePlan } from '../domain/plan/cluster-plan.js';
import { type BridgePlan } from '../domain/plan/bridge-plan.js';
import {
  parseAllFlows,
  parseBridgeGroups,
  parseBridgeMeters,
  parseBridgeOptions,
} from '../openflow/bridge-program.js';
import { behaviourOf, newest } from './behaviour.js';
import { compile, rulesOf } from './tables/flow-tables.js';
import { timeoutsOf } from './conntrack/timeouts.js';
import { countLearners } from './tables/flows/learners.js';
import { hasTimeout } from './tables/flows/flow-record.js';
import { plannedMeters } from './tables/meters.js';
import { emptyMegaflowCache } from './megaflow/megaflow.js';
import type { Generations } from './megaflow/generations.js';
import { mirrorsOf } from './l2/mirrors.js';
import { optionFields } from './fields/tunnel-options.js';
import { snoopingOf } from './l2/multicast-snooping.js';
import { noOracleAnswers } from './oracle-answers.js';
import { plannedNeighbours } from './tunnels/tunnel-neighbours.js';
import { tunnelPortsOf } from './tunnels/tunnel-ports.js';
import { ownAddresses, routesOf } from './tunnels/routes.js';
import { type ModelBridge, portLocations, groupWithOptionFields } from './model-bridge.js';
import type { ModelNode } from './model-node.js';
import { addStaticMacs, type MacTable } from './l2/mac-table.js';
import { noLearning } from './xlate/waiting-packets.js';

/**
 * @throws InputError for a flow that the model cannot interpret, naming node, bridge, flow and
 *   column; Unsupported for what of a bridge or a port it does not know.
 */
export function buildNode(plan: NodePlan, version = newest): ModelNode {
  const generations: Generations = { program: 0, learned: 0 };
  const bridges = plan.bridges.map((bridge) => buildBridge(plan.node, bridge, generations));
  const { conntrack = {} } = plan;
  const timeouts = new Map(
    (conntrack.timeouts ?? []).map(({ zone, seconds }) => [zone, timeoutsOf(seconds)]),
  );
  const behaviour = behaviourOf(version);
  const waits = plan.uncached === true && behaviour.datapath === 'in the kernel';
  return {
    name: plan.node,
    behaviour,
    recirculated: waits ? 'in its turn' : 'at once',
    bridges,
    portsByName: portLocations(bridges),
    tunnels: tunnelPortsOf(bridges),
    routes: routesOf(plan.bridges),
    neighbours: plannedNeighbours(plan.bridges),
    connections: new Map(),
    controlConnections: new Set(),
    conntrack,
    tagsMax: plan.tagsMax ?? 1,
    timeouts,
    fragments: [],
    learning: noLearning(),
    answers: noOracleAnswers(),
    downPorts: new Set(plannedDownPorts(plan)),
    megaflows: emptyMegaflowCache(),
    generations,
    work: noWork(),
    nowMs: 0,
  };
}

function staticMacTable(plan: BridgePlan): MacTable {
  const macs: MacTable = new Map();
  addStaticMacs(macs, plan, 0);
  return macs;
}

function buildBridge(node: string, plan: BridgePlan, generations: Generations): ModelBridge {
  const options = optionFields(parseBridgeOptions(node, plan));
  const groups = new Map(
    parseBridgeGroups(node, plan).map((group) => [group.id, groupWithOptionFields(group, options)]),
  );
  const meters = plannedMeters(parseBridgeMeters(node, plan), `${plan.name} on ${node}`);
  const tables = compile(parseAllFlows(node, plan), options);
  const planned = { rules: rulesOf(tables), groups: new Map(groups) };
  return {
    plan,
    ports: new Map(plan.ports.map((port) => [port.ofport, port])),
    groups,
    meters,
    options,
    tables,
    planned,
    ids: new Map(),
    macs: staticMacTable(plan),
    snooping: snoopingOf(plan),
    addresses: ownAddresses(plan),
    mirrors: mirrorsOf(plan),
    records: new Map(),
    expiring: new Set(planned.rules.filter(({ flow }) => hasTimeout(flow))),
    learners: countLearners(planned.rules),
    isUnchanged: true,
    sinceMs: 0,
    generations,
  };
}
