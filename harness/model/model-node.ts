/** One node's switches as data: what was programmed, and what changes while packets pass. */
import { InputError } from '../base/errors/errors.js';
import type { BridgePlan, ConntrackPlan, NodePlan, PortPlan } from '../domain/plan/cluster-plan.js';
import type { FlowId } from '../domain/switching.js';
import {
  parseBridgeFlows,
  parseBridgeGroups,
  parseBridgeMeters,
  parseBridgeOptions,
} from '../openflow/bridge-program.js';
import { flowId } from '../openflow/flows/flow.js';
import type { Bucket, Group } from '../openflow/groups.js';
import type { Meter } from '../openflow/meters.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { behaviourOf, newest, type Behaviour } from './behaviour.js';
import { compile, find, insert, remove, rulesOf, type Rule } from './tables/flow-tables.js';
import { type FlowTables } from './tables/flow-table.js';
import type { Fragments } from './conntrack/fragments/fragments.js';
import { timeoutsOf, type Timeouts } from './conntrack/timeouts.js';
import type { Connection, ConnectionTable } from './conntrack/connection.js';
import { countLearners } from './tables/flows/edit-flows.js';
import { hasTimeout, renew, type FlowRecord } from './tables/flows/flow-record.js';
import { fullMeter, plannedMeters, type MeterState } from './tables/meters.js';
import { emptyMegaflowCache, type Generations, type Megaflows } from './megaflow/megaflow.js';
import { mirrorsOf, type Mirror } from './l2/mirrors.js';
import { withOptionFields, optionFields, type OptionFields } from './fields/tunnel-options.js';
import type { MacTable } from './l2/mac-table.js';
import { snoopingOf, type Snooping } from './l2/multicast-snooping.js';
import { noOracleAnswers, type OracleAnswers } from './ambiguity.js';
import {
  forgetNeighbours,
  plannedNeighbours,
  type Neighbours,
} from './tunnels/tunnel-neighbours.js';
import { tunnelPortsOf, type TunnelPorts } from './tunnels/tunnel-ports.js';
import { ownAddresses, routesOf, type OwnAddress, type Route } from './tunnels/routes.js';

/** A group as a switch holds it. */
export interface ModelGroup extends Group {
  /** The buckets that the last change of buckets brought, where it was one: see `hashedBuckets`. */
  readonly inserted?: readonly Bucket[];
}

export interface ModelBridge {
  readonly plan: BridgePlan;
  /** Ports by OpenFlow number; LOCAL is not among them. */
  readonly ports: ReadonlyMap<number, PortPlan>;
  readonly tables: FlowTables;
  readonly options: OptionFields;
  readonly groups: Map<number, ModelGroup>;
  readonly meters: Map<Meter['id'], MeterState>;
  readonly ids: Map<Rule, FlowId>;
  readonly macs: MacTable;
  /** Missing where multicast goes to everybody. */
  readonly snooping: Snooping | undefined;
  /** Of its LOCAL port: there tunnels end. */
  readonly addresses: readonly OwnAddress[];
  readonly mirrors: readonly Mirror[];
  /** What the plan asks for, or a change that stays has made of it: to which a reset goes back. */
  planned: { readonly rules: readonly Rule[]; readonly groups: ReadonlyMap<number, ModelGroup> };
  /** Of the flows that counted or changed. */
  readonly records: Map<Rule, FlowRecord>;
  /** The flows that have timeouts. */
  readonly expiring: Set<Rule>;
  /**
   * How many flows there are that learn with delete_learned, by table and cookie of what they
   * learn.
   */
  readonly learners: Map<string, number>;
  /** Whether its flows and groups are those of the plan, all of them. */
  isUnchanged: boolean;
  /** Virtual time in ms at which the flows of the plan came. */
  sinceMs: number;
  /** Those of its node. */
  readonly generations: Generations;
}

/** Where frames come in: a port of a bridge. */
export interface PortLocation {
  readonly bridge: ModelBridge;
  /** LOCAL or another. */
  readonly number: number;
}

export interface ModelNode {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly bridges: readonly ModelBridge[];
  /** By the port's name. */
  readonly portsByName: ReadonlyMap<string, PortLocation>;
  readonly connections: ConnectionTable;
  /** Those that told of others. */
  readonly controlConnections: Set<Connection>;
  readonly tunnels: TunnelPorts;
  /** Where tunnels leave. */
  readonly routes: readonly Route[];
  readonly neighbours: Neighbours;
  readonly conntrack: ConntrackPlan;
  /** By zone, where a zone has a policy of its own. */
  readonly timeouts: ReadonlyMap<number, Timeouts>;
  readonly fragments: Fragments;
  readonly answers: OracleAnswers;
  /** Names of ports whose links are down: what goes out of them or into them is lost. */
  readonly downPorts: Set<string>;
  /** What packets lead to, kept for others; missing where every packet is translated. */
  readonly megaflows: Megaflows | undefined;
  readonly generations: Generations;
  /** Virtual time in ms. */
  nowMs: number;
}

/**
 * @throws InputError for a flow that the model cannot interpret, naming node, bridge, flow and
 *   column; Unsupported for what of a bridge or a port it does not know.
 */
export function buildNode(plan: NodePlan, version = newest): ModelNode {
  const changes: Generations = { program: 0, learned: 0 };
  const bridges = plan.bridges.map((bridge): ModelBridge => {
    const ports = new Map(bridge.ports.map((port) => [port.ofport, port]));
    const options = optionFields(parseBridgeOptions(plan.node, bridge));
    const groups = new Map(
      parseBridgeGroups(plan.node, bridge).map((group) => [
        group.id,
        groupWithOptionFields(group, options),
      ]),
    );
    const meters = plannedMeters(
      parseBridgeMeters(plan.node, bridge),
      `${bridge.name} on ${plan.node}`,
    );
    const tables = compile(parseBridgeFlows(plan.node, bridge), options);
    const planned = { rules: rulesOf(tables), groups: new Map(groups) };
    return {
      plan: bridge,
      ports,
      groups,
      meters,
      options,
      tables,
      planned,
      ids: new Map(),
      macs: new Map(),
      snooping: snoopingOf(bridge),
      addresses: ownAddresses(bridge),
      mirrors: mirrorsOf(bridge),
      records: new Map(),
      expiring: new Set(planned.rules.filter(({ flow }) => hasTimeout(flow))),
      learners: countLearners(planned.rules),
      isUnchanged: true,
      sinceMs: 0,
      generations: changes,
    };
  });
  const { conntrack = {} } = plan;
  const timeouts = new Map(
    (conntrack.timeouts ?? []).map(({ zone, seconds }) => [zone, timeoutsOf(seconds)]),
  );
  return {
    name: plan.node,
    behaviour: behaviourOf(version),
    bridges,
    portsByName: portLocations(bridges),
    tunnels: tunnelPortsOf(bridges),
    routes: routesOf(plan.bridges),
    neighbours: plannedNeighbours(plan.bridges),
    connections: new Map(),
    controlConnections: new Set(),
    conntrack,
    timeouts,
    fragments: [],
    answers: noOracleAnswers(),
    downPorts: new Set(),
    megaflows: emptyMegaflowCache(),
    generations: changes,
    nowMs: 0,
  };
}

/** Of ports with the same name, the first. */
export function portLocations(bridges: readonly ModelBridge[]): ReadonlyMap<string, PortLocation> {
  const all = bridges.flatMap((bridge): readonly (readonly [string, PortLocation])[] => [
    [bridge.plan.name, { bridge, number: reservedPorts.LOCAL }],
    ...[...bridge.ports.values()].map(
      ({ name, ofport }) => [name, { bridge, number: ofport }] as const,
    ),
  ]);
  return new Map(all.toReversed());
}

/** The group with the bridge's own fields. */
export function groupWithOptionFields(group: Group, options: OptionFields): Group {
  return {
    ...group,
    buckets: group.buckets.map((bucket) => ({
      ...bucket,
      actions: withOptionFields(bucket.actions, options),
    })),
  };
}

/**
 * Forgets connections, learned addresses, who asked for multicast, and counters; flows and groups
 * are again those of the plan, as if they came now; links are up, meters full. Fragments go on
 * waiting, as they do in the switch.
 */
export function resetNode(node: ModelNode): void {
  node.connections.clear();
  node.controlConnections.clear();
  node.generations.learned++;
  if (node.downPorts.size > 0) node.generations.program++;
  node.downPorts.clear();
  node.answers.natTuplesUsed = node.answers.flowChanges = 0;
  forgetNeighbours(node.neighbours);
  for (const bridge of node.bridges) {
    bridge.macs.clear();
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
  for (const rule of rulesOf(tables)) if (!wanted.has(rule)) remove(tables, rule);
  for (const rule of wanted) if (find(tables, rule) !== rule) insert(tables, rule);
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

export function portName(bridge: ModelBridge, port: number): string {
  return port === reservedPorts.LOCAL
    ? bridge.plan.name
    : (bridge.ports.get(port)?.name ?? String(port));
}

/** Whether there is such a port, LOCAL or another, with its link up. */
export function isAlive(node: ModelNode, bridge: ModelBridge, port: number): boolean {
  return (
    (port === reservedPorts.LOCAL || bridge.ports.has(port)) &&
    !node.downPorts.has(portName(bridge, port))
  );
}

/** The same object for the same rule, so that what is made from it is made once. */
export function idOf(node: ModelNode, bridge: ModelBridge, rule: Rule): FlowId {
  const known = bridge.ids.get(rule);
  if (known !== undefined) return known;
  const id = flowId(node.name, bridge.plan.name, rule.flow);
  bridge.ids.set(rule, id);
  return id;
}

export function bridgeNamed({ bridges }: ModelNode, name: string): ModelBridge {
  const bridge = bridges.find(({ plan }) => plan.name === name);
  if (bridge === undefined) throw new InputError(`there is no bridge ${name}`);
  return bridge;
}
