/** One node's switches as data: what was programmed, and what changes while packets pass. */
import { InputError } from '../base/errors/errors.js';
import type { ConntrackPlan } from '../domain/plan/cluster-plan.js';
import type { FlowId } from '../domain/switching.js';
import type { WorkKind } from '../domain/work.js';
import { flowId } from '../openflow/flows/flow.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { Behaviour } from './behaviour.js';
import type { Rule } from './tables/flow-tables.js';
import type { Fragments } from './conntrack/fragments/fragments.js';
import type { Timeouts } from './conntrack/timeouts.js';
import type { Connection, ConnectionTable } from './conntrack/connection.js';
import type { Megaflows } from './megaflow/megaflow.js';
import type { Generations } from './megaflow/generations.js';
import type { OracleAnswers } from './oracle-answers.js';
import type { Neighbours } from './tunnels/tunnel-neighbours.js';
import type { TunnelPorts } from './tunnels/tunnel-ports.js';
import type { Route } from './tunnels/routes.js';
import type { NeighbourLearning } from './xlate/waiting-packets.js';
import { type ModelBridge, type PortLocation, portName } from './model-bridge.js';

export interface ModelNode {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly bridges: readonly ModelBridge[];
  /** By the port's name. */
  readonly portsByName: ReadonlyMap<string, PortLocation>;
  readonly connections: ConnectionTable;
  /** Those that reported others. */
  readonly controlConnections: Set<Connection>;
  readonly tunnels: TunnelPorts;
  /** Where tunnels leave. */
  readonly routes: readonly Route[];
  readonly neighbours: Neighbours;
  readonly conntrack: ConntrackPlan;
  /** By zone, where a zone has a policy of its own. */
  readonly timeouts: ReadonlyMap<number, Timeouts>;
  /** How many VLAN tags of a packet are read. */
  readonly tagsMax: number;
  /**
   * When a packet that recirculates is looked up: in the kernel, where its cache has no flow for
   * it, it is put in a queue to ovs-vswitchd, and what is left to do behind it comes first
   * (net/openvswitch/datapath.c, queue_userspace_packet).
   */
  readonly recirculated: 'at once' | 'in its turn';
  readonly fragments: Fragments;
  /** What ovn-controller is to learn, and which packets wait for that. */
  readonly learning: NeighbourLearning;
  readonly answers: OracleAnswers;
  /** Names of ports whose links are down: what goes out of them or into them is lost. */
  readonly downPorts: Set<string>;
  /** What packets lead to, kept for others; missing where every packet is translated. */
  readonly megaflows: Megaflows | undefined;
  readonly generations: Generations;
  /** What packets have needed since the last reset. */
  readonly work: Record<WorkKind, number>;
  /** Virtual time in ms. */
  nowMs: number;
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
