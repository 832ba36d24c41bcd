/** Ports that come and go, and a daemon that restarts, while a node runs on. */
import { assertNever, Unsupported } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { PortPlan } from '../domain/plan/port-plan.js';
import type { Reconfiguration } from '../domain/switching.js';
import { buildNode } from './build-node.js';
import { flushConnections } from './conntrack/flush-connections.js';
import { remove, rulesOf } from './tables/flow-tables.js';
import { forgetLearning } from './xlate/waiting-packets.js';
import { emptyMegaflowCache } from './megaflow/megaflow.js';
import { bridgeNamed, type ModelNode } from './model-node.js';
import { portLocations, type ModelBridge } from './model-bridge.js';
import { plannedNeighbours } from './tunnels/tunnel-neighbours.js';
import { tunnelPortsOf } from './tunnels/tunnel-ports.js';

type Change = Exclude<Reconfiguration, { readonly kind: 'join' | 'leave' }>;

/**
 * The node after the change; it shares with the one before what both remember. @throws Unsupported
 * for bridges whose state after the change is not known.
 */
export function reconfigured(node: ModelNode, change: Change): ModelNode {
  const after = applyReconfiguration(node, change);
  const { bridges, generations, megaflows } = after;
  generations.program++;
  generations.learned++;
  return {
    ...after,
    portsByName: portLocations(bridges),
    tunnels: tunnelPortsOf(bridges),
    megaflows: megaflows === undefined ? undefined : emptyMegaflowCache(),
  };
}

function applyReconfiguration(node: ModelNode, change: Change): ModelNode {
  switch (change.kind) {
    case 'attach': {
      const { plan } = bridgeNamed(node, change.bridge);
      return withPlan(node, { ...plan, ports: [...plan.ports, change.port] });
    }
    case 'detach': {
      const { plan } = bridgeNamed(node, change.bridge);
      const port = plan.ports.find(({ name }) => name === change.port);
      if (port !== undefined) forgetPort(node, change.bridge, port);
      return withPlan(node, { ...plan, ports: plan.ports.filter((other) => other !== port) });
    }
    case 'neighbours': {
      const { plan } = bridgeNamed(node, change.bridge);
      const changed =
        plan.underlay === undefined
          ? plan
          : { ...plan, underlay: { ...plan.underlay, neighbours: change.neighbours } };
      const bridges = withBridge(node, changed);
      return {
        ...node,
        bridges,
        neighbours: plannedNeighbours(bridges.map((bridge) => bridge.plan)),
      };
    }
    case 'restart':
      clearState(node, change.whole === true ? 'with its network' : 'alone');
      if (change.whole === true) forgetLearning(node.learning);
      // A daemon's clock begins at a whole second.
      return { ...node, nowMs: Math.ceil(node.nowMs / 1000) * 1000 };
    case 'programmed':
      return programmedAs(node, change.plan);
    default:
      return assertNever(change);
  }
}

/** Built again, with what the node before has in mind beside its program. */
function programmedAs(node: ModelNode, plan: NodePlan): ModelNode {
  const built = buildNode(plan);
  for (const bridge of built.bridges) {
    bridge.sinceMs = node.nowMs;
    const before = node.bridges.find((known) => known.plan.name === bridge.plan.name);
    for (const [address, entry] of before?.macs ?? []) bridge.macs.set(address, entry);
  }
  const { behaviour, recirculated, connections, controlConnections, fragments } = node;
  const { learning, answers, downPorts, nowMs } = node;
  flushZonesOfPorts(node, built);
  return {
    ...built,
    behaviour,
    recirculated,
    connections,
    controlConnections,
    fragments,
    learning,
    answers,
    downPorts,
    nowMs,
    neighbours: node.neighbours,
  };
}

/**
 * ovn-controller gives each logical port a zone of the connection tracker, and flushes it first:
 * another may have had it. It does so again when the port has gone (OVN controller/ct-zone.c,
 * ct_zone_assign_unused, ct_zone_remove).
 */
function flushZonesOfPorts(node: ModelNode, { bridges }: ModelNode): void {
  for (const { plan } of bridges) {
    if (plan.origin !== 'dumped') continue;
    const had = zonesByPort(node.bridges.find((known) => known.plan.name === plan.name)?.plan);
    const there = new Set(plan.ports.map(({ ofport }) => String(ofport)));
    for (const [port, zone] of had) if (!there.has(port)) flushConnections(node, { zone });
    for (const [port, zone] of zonesByPort(plan))
      if (!had.has(port)) flushConnections(node, { zone });
  }
}

/** By the port's number, from the flows that take its packets in. */
function zonesByPort(plan: BridgePlan | undefined): ReadonlyMap<string, number> {
  return new Map(
    (plan?.flows ?? []).flatMap((flow) => {
      const [, port] = /\bin_port=(\d+)/.exec(flow) ?? [];
      const [, zone] = /set_field:(0x[0-9a-f]+)\/0xffff->reg13/.exec(flow) ?? [];
      return port === undefined || zone === undefined ? [] : [[port, Number(zone)] as const];
    }),
  );
}

function withPlan(node: ModelNode, plan: BridgePlan): ModelNode {
  if (plan.mirrors !== undefined || plan.multicastSnooping !== undefined)
    throw new Unsupported(
      'the model does not know what mirrors and multicast snooping do at bridge ' +
        `${plan.name} when ports come and go`,
    );
  return { ...node, bridges: withBridge(node, plan) };
}

function withBridge({ bridges }: ModelNode, plan: BridgePlan): readonly ModelBridge[] {
  return bridges.map((bridge) =>
    bridge.plan.name === plan.name
      ? { ...bridge, plan, ports: new Map(plan.ports.map((port) => [port.ofport, port])) }
      : bridge,
  );
}

/**
 * What is behind a port that goes is forgotten, and its addresses at the other bridges as well
 * (ofproto/ofproto-dpif.c, bundle_flush_macs).
 */
function forgetPort(
  { bridges, downPorts }: ModelNode,
  bridgeName: string,
  { name, ofport }: PortPlan,
): void {
  downPorts.delete(name);
  const here = bridges.find(({ plan }) => plan.name === bridgeName);
  for (const [address, { port }] of here?.macs ?? []) {
    if (port === ofport) for (const { macs } of bridges) macs.delete(address);
  }
}

/**
 * What a daemon that starts has forgotten: Linux's tracker is none of its memory, and stays as long
 * as the network that it is of.
 */
function clearState(
  {
    name,
    behaviour,
    bridges,
    connections,
    controlConnections,
    fragments,
    neighbours,
    downPorts,
  }: ModelNode,
  ended: 'alone' | 'with its network',
): void {
  if (behaviour.datapath === 'in ovs-vswitchd' || ended === 'with its network') {
    connections.clear();
    controlConnections.clear();
    fragments.length = 0;
  }
  downPorts.clear();
  neighbours.learned.clear();
  neighbours.askedAtMs.clear();
  for (const bridge of bridges) {
    if (bridge.plan.failMode === 'standalone')
      throw new Unsupported(
        `the model does not know what bridge ${bridge.plan.name} of node ${name} forwards ` +
          'when its switch has restarted',
      );
    for (const rule of rulesOf(bridge.tables)) remove(bridge.tables, rule);
    for (const kept of [
      bridge.macs,
      bridge.groups,
      bridge.meters,
      bridge.records,
      bridge.ids,
      bridge.learners,
      bridge.expiring,
    ])
      kept.clear();
    bridge.snooping?.groups.clear();
    bridge.snooping?.routers.clear();
    bridge.isUnchanged = false;
  }
}
