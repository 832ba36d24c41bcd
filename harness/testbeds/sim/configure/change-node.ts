/** Ports that come and go at a running node, and what it knows of its neighbours. */
import { InputError, unknownName } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { Reconfiguration } from '../../../domain/switching.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import type { Devices } from '../devices.js';
import { attachPort, detachPort } from './bring-up.js';
import { pluggedLater, wiredPorts } from './interface-plan.js';
import type { Links } from './links.js';
import { replaceNeighbours } from '../quiesce/native-tunnel-neighbours.js';
import type { Wire } from '../traffic/port-socket.js';
import type { Traffic } from '../traffic/traffic.js';

/** What changes beside a node's plan. */
export interface NodeParts {
  readonly vswitch: Vswitch;
  readonly devices: Devices;
  readonly wires: readonly Wire[];
  readonly traffic: Traffic;
  readonly links: Links;
}

type Change<Kind extends Reconfiguration['kind']> = Extract<
  Reconfiguration,
  { readonly kind: Kind }
>;

/** Gives a bridge one port more, with its wire. */
export async function attach(
  plan: NodePlan,
  { bridge: name, port }: Change<'attach'>,
  { vswitch, devices, wires, traffic }: NodeParts,
): Promise<NodePlan> {
  const bridge = bridgeCalled(plan, name);
  const after = withBridge(plan, { ...bridge, ports: [...bridge.ports, port] });
  if (pluggedLater(after).has(port.name)) {
    traffic.attachLater(await devices.wireOf(after, port.name));
    return after;
  }
  if (wiredPorts(after).includes(port.name)) traffic.attach(await devices.wireOf(after, port.name));
  await attachPort(after, bridge, port, vswitch, devices, wires);
  return after;
}

/** Takes a port and its wire away. */
export async function detach(
  plan: NodePlan,
  { bridge: name, port }: Change<'detach'>,
  { vswitch, devices, traffic, links }: NodeParts,
): Promise<NodePlan> {
  const bridge = bridgeCalled(plan, name);
  await detachPort(bridge, port, vswitch);
  if (traffic.hasWire(port)) await traffic.detach(port);
  await devices.portGone(port);
  links.gone(port);
  return withBridge(plan, {
    ...bridge,
    ports: bridge.ports.filter((other) => other.name !== port),
  });
}

export async function setPlannedNeighbours(
  plan: NodePlan,
  { bridge: name, neighbours }: Change<'neighbours'>,
  { vswitch }: NodeParts,
): Promise<NodePlan> {
  const bridge = bridgeCalled(plan, name);
  if (bridge.underlay === undefined)
    throw new InputError(
      `bridge ${name} of node ${plan.node} has no neighbours: it is no underlay`,
    );
  const after = withBridge(plan, { ...bridge, underlay: { ...bridge.underlay, neighbours } });
  await replaceNeighbours(after, vswitch.vswitchd.unixctl);
  return after;
}

function bridgeCalled({ node, bridges }: NodePlan, name: string): BridgePlan {
  const bridge = bridges.find((candidate) => candidate.name === name);
  if (bridge === undefined)
    throw unknownName(
      `bridge of node ${node}`,
      name,
      bridges.map((one) => one.name),
    );
  return bridge;
}

function withBridge(plan: NodePlan, bridge: BridgePlan): NodePlan {
  return {
    ...plan,
    bridges: plan.bridges.map((other) => (other.name === bridge.name ? bridge : other)),
  };
}
