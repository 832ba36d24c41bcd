/** One node's switches as data: what was programmed, and what changes while packets pass. */
import { assert, Unsupported } from '../base/errors.js';
import type { BridgePlan, NodePlan, PortPlan } from '../nouns/plan.js';
import type { FlowId } from '../nouns/switching.js';
import { parseBridgeFlows, parseBridgeGroups, parseBridgeMeters, parseBridgeOptions } from '../openflow/bridge-program.js';
import { flowId } from '../openflow/flow.js';
import type { Group } from '../openflow/groups.js';
import type { Meter } from '../openflow/meters.js';
import { reservedPorts } from '../openflow/ports.js';
import { behaviourOf, newest, type Behaviour } from './behaviour.js';
import { compile, type FlowTables, type Rule } from './classifier.js';
import type { ConnectionTable } from './conntrack/tracker.js';
import { fullMeter, type MeterState } from './meters.js';
import { mirrorsOf, type Mirror } from './mirrors.js';
import { located, optionFields, type OptionFields } from './options.js';
import type { MacTable } from './normal.js';
import { noDecisions, type Decisions } from './undecided.js';
import { forgetNeighbours, plannedNeighbours, type Neighbours } from './tunnels/neighbours.js';
import { tunnelPortsOf, type TunnelPort } from './tunnels/ports.js';
import { routesOf, type Route } from './tunnels/routes.js';

export interface ModelBridge {
  readonly plan: BridgePlan;
  /** Ports by OpenFlow number; LOCAL is not among them. */
  readonly ports: ReadonlyMap<number, PortPlan>;
  readonly tables: FlowTables;
  readonly options: OptionFields;
  readonly groups: ReadonlyMap<number, Group>;
  readonly meters: Map<Meter['id'], MeterState>;
  readonly ids: Map<Rule, FlowId>;
  readonly macs: MacTable;
  readonly mirrors: readonly Mirror[];
}

export interface ModelNode {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly bridges: readonly ModelBridge[];
  readonly connections: ConnectionTable;
  readonly tunnels: readonly TunnelPort[];
  /** Where tunnels leave. */
  readonly routes: readonly Route[];
  readonly neighbours: Neighbours;
  /** Packets a rule since the last reset. */
  readonly packets: Map<Rule, number>;
  readonly decisions: Decisions;
  /** Names of ports whose links are down: what goes out of them or into them is lost. */
  readonly downPorts: Set<string>;
  /** Virtual time in ms. */
  nowMs: number;
}

/**
 * @throws InputError for a flow that the model cannot interpret, naming node, bridge, flow and column; Unsupported for what of a bridge or a
 * port it does not know.
 */
export function buildNode(plan: NodePlan, version = newest): ModelNode {
  const bridges = plan.bridges.map((bridge) => {
    refuseUnknown(bridge);
    const ports = new Map(bridge.ports.map((port) => [port.ofport, port]));
    const options = optionFields(parseBridgeOptions(plan.node, bridge));
    const groups = new Map(parseBridgeGroups(plan.node, bridge).map((group) => [group.id, locatedGroup(group, options)]));
    const meters = new Map(parseBridgeMeters(plan.node, bridge).map((meter) => [meter.id, fullMeter(meter, 0)]));
    return { plan: bridge, ports, groups, meters, options, tables: compile(parseBridgeFlows(plan.node, bridge), options), ids: new Map<Rule, FlowId>(), macs: new Map(), mirrors: mirrorsOf(bridge) };
  });
  return { name: plan.node, behaviour: behaviourOf(version), bridges, tunnels: tunnelPortsOf(bridges), routes: routesOf(plan.bridges), neighbours: plannedNeighbours(plan.bridges), connections: new Map(), packets: new Map(), decisions: noDecisions(), downPorts: new Set(), nowMs: 0 };
}

function locatedGroup(group: Group, options: OptionFields): Group {
  return { ...group, buckets: group.buckets.map((bucket) => ({ ...bucket, actions: located(bucket.actions, options) })) };
}

function refuseUnknown({ name, multicastSnooping }: BridgePlan): void {
  if (multicastSnooping === true) throw new Unsupported(`the model does not know multicast snooping of bridge ${name}`);
}

/** Forgets connections, learned addresses and counters; links are up, meters full. */
export function resetNode(node: ModelNode): void {
  node.connections.clear();
  node.packets.clear();
  node.downPorts.clear();
  node.decisions.translationsAsked = 0;
  forgetNeighbours(node.neighbours);
  for (const { macs, meters } of node.bridges) {
    macs.clear();
    for (const [id, { meter }] of meters) meters.set(id, fullMeter(meter, node.nowMs));
  }
}

export function portName(bridge: ModelBridge, port: number): string {
  return port === reservedPorts.LOCAL ? bridge.plan.name : (bridge.ports.get(port)?.name ?? String(port));
}

/** Whether there is such a port, LOCAL or another, with its link up. */
export function isAlive(node: ModelNode, bridge: ModelBridge, port: number): boolean {
  return (port === reservedPorts.LOCAL || bridge.ports.has(port)) && !node.downPorts.has(portName(bridge, port));
}

/** The same object for the same rule, so that what is made from it is made once. */
export function idOf(node: ModelNode, bridge: ModelBridge, rule: Rule): FlowId {
  const known = bridge.ids.get(rule);
  if (known !== undefined) return known;
  const id = flowId(node.name, bridge.plan.name, rule.flow);
  bridge.ids.set(rule, id);
  return id;
}

export function bridgeCalled({ bridges }: ModelNode, name: string): ModelBridge {
  const bridge = bridges.find(({ plan }) => plan.name === name);
  assert(bridge !== undefined, `there is a bridge ${name}`);
  return bridge;
}
