/**
 * Devices of a node whose hosts are real: each port leads to a network stack of the kernel, by a
 * veth pair. Nothing stands in between, so that what is measured is the switch and the kernel.
 */
import { assert } from '../../base/errors/errors.js';
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import { offloadsOff } from '../../ovs/offloads-off.js';
import { launchChild, type Launch } from '../../ovs/process/launch.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import { startCarrier, type Carrier } from '../../testbeds/netns/carrier.js';
import type { NodePlace } from '../../testbeds/netns/namespace-devices.js';
import { launchInNode } from '../../testbeds/netns/namespace-devices.js';
import { underlaySettings } from '../../testbeds/netns/node-settings.js';
import { tunnelsEnd } from '../../testbeds/sim/configure/underlay.js';
import type { DatapathType } from '../../testbeds/sim/configure/insert-bridge.js';
import type { Devices } from '../../testbeds/sim/devices.js';
import type { Wire } from '../../testbeds/sim/traffic/port-socket.js';
import { natRules } from '../../testbeds/kernel/nat-rules.js';
import { keepLinks, takeLink, type KeptLinks } from './kept-links.js';
import { noTimeWait, stackCommands } from './stack-settings.js';

/** What `makeBridges` asks of devices. */
export type RealDevices = Pick<
  Devices,
  | 'process'
  | 'datapath'
  | 'switching'
  | 'wireOf'
  | 'portsMade'
  | 'openTunnels'
  | 'tunnelsAdded'
  | 'close'
> & {
  readonly carrier: Carrier;
  /** The processes that hold the namespaces of hosts, by the host's name. */
  readonly holders: ReadonlyMap<string, number>;
  /**
   * Gives the stacks of all hosts their addresses, routes and rules.
   * @param faultyMtu a fault: what clients' interfaces carry.
   */
  configureStacks(faultyMtu?: number): Promise<void>;
  /** The node's place ends, with all of its network but hosts and the links to them. */
  keepLinks(): Promise<KeptLinks>;
};

/** The network between nodes: a bridge of the kernel in a namespace of its own. */
export interface BetweenNodes {
  readonly carrier: Carrier;
  /** The name of the end of the next uplink there. */
  nextEnd(): string;
  /** Takes the frames that come out of nodes meanwhile. */
  capture<T>(
    during: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly frames: readonly Uint8Array[] }>;
}

export const betweenBridge = 'between';

export interface RealNode {
  readonly plan: NodePlan;
  readonly place: NodePlace;
  readonly datapath: DatapathType;
  readonly between: BetweenNodes;
  /** What a pod's interface carries at most, in bytes without Ethernet's header. */
  readonly podMtu: number;
}

/**
 * @param before of the node before it restarted, which is gone: hosts, and the links to its ports,
 *   are kept by this machine meanwhile.
 * @throws Unavailable; then nothing of them is left but `place`, which is closed as well.
 */
export async function openRealDevices(node: RealNode, before?: KeptLinks): Promise<RealDevices> {
  const { plan, place, datapath } = node;
  const carrier = await startCarrier(`node ${plan.node}`, () => undefined, place.namespace).catch(
    async (error: unknown) => {
      await place.close();
      throw error;
    },
  );
  const launch = launchInNode(place, carrier.pid);
  const vswitchd = withUsualMalloc(launch.vswitchd ?? launchChild());
  const holders = new Map(before?.holders);
  const known = new Map<string, Wire>();
  return {
    carrier,
    holders,
    process: { options: [], launch: { ...launch, vswitchd } },
    datapath,
    switching: datapath === 'system' ? 'in the kernel' : 'in ovs-vswitchd',
    wireOf: async (_, port) => {
      const wire = known.get(port) ?? silentWire(port);
      if (!known.has(port) && before?.ports.has(port) === true)
        await takeLink(before, carrier, port);
      else if (!known.has(port)) await connect(node, carrier, holders, port);
      known.set(port, wire);
      return wire;
    },
    portsMade: () => Promise.resolve(),
    openTunnels: async (current, vswitchd) => {
      const lines = [
        ...devicesOfSwitch(current).map((device) => `link set dev ${device} up`),
        ...underlaySettings(current),
      ];
      await carrier.run([systemProgram('ip'), '-batch', '-'], lines.join('\n'));
      for (const device of devicesOfSwitch(current)) await carrier.run(offloadsOff(device));
      if (datapath === 'netdev') await tunnelsEnd(current, vswitchd);
    },
    tunnelsAdded: async (current, vswitchd) => {
      if (datapath === 'netdev') await tunnelsEnd(current, vswitchd);
    },
    configureStacks: async (faultyMtu = node.podMtu) => {
      for (const host of plan.hosts) {
        if (before?.holders.has(host.name) === true) continue;
        const holder = holders.get(host.name) ?? carrier.pid;
        holders.set(host.name, holder);
        const mtu = host.name === 'client' ? faultyMtu : node.podMtu;
        await configureStack(carrier, host, holder, mtu);
      }
    },
    keepLinks: async () => {
      const kept = await keepLinks(carrier, plan, holders);
      await place.close();
      return kept;
    },
    close: async () => {
      await carrier.close();
      await place.close();
    },
  };
}

/**
 * Without the tunables that make daemons small by the thousand: a heap that is trimmed after each
 * batch of packets costs a switch more than the packets do.
 */
const withUsualMalloc =
  (launch: Launch): Launch =>
  ({ environment: { GLIBC_TUNABLES: _, ...environment }, ...spec }) =>
    launch({ ...spec, environment });

/** Nobody listens at it: its other end is a stack. */
function silentWire(port: string): Wire {
  return {
    port,
    device: { type: 'system', options: {} },
    connected: Promise.resolve(),
    arrived: () => 0,
    answered: () => 0,
    more: () => new Promise(() => undefined),
    take: () => [],
    close: () => Promise.resolve(),
  };
}

/** A veth pair from the port to its host, or to the network between nodes. */
async function connect(
  { plan, between }: RealNode,
  carrier: Carrier,
  holders: Map<string, number>,
  name: string,
): Promise<void> {
  const port = plan.bridges.flatMap(({ ports }) => ports).find((one) => one.name === name);
  if (port === undefined || port.kind === 'internal') return; // the switch makes it
  if (port.kind === 'uplink') {
    const end = between.nextEnd();
    await pair(carrier, `name ${name}`, `name ${end}`, between.carrier.pid);
    await between.carrier.run(
      [systemProgram('ip'), '-batch', '-'],
      `link set dev ${end} master ${betweenBridge}\nlink set dev ${end} up`,
    );
    return;
  }
  const [host, ends] = hostAt(plan.hosts, name);
  const holder = await carrier.namespace();
  holders.set(host.name, holder);
  await pair(carrier, `name ${name}`, `name ${ends.name} address ${ends.mac}`, holder);
}

async function pair(carrier: Carrier, here: string, there: string, holder: number): Promise<void> {
  const name = here.split(' ')[1] ?? '';
  await carrier.run(
    [systemProgram('ip'), '-batch', '-'],
    `link add ${here} type veth peer ${there} netns ${holder}\nlink set dev ${name} up`,
  );
  await carrier.run(offloadsOff(name));
}

function hostAt(hosts: readonly HostPlan[], port: string): readonly [HostPlan, InterfacePlan] {
  for (const host of hosts)
    for (const ends of host.interfaces) if (ends.port === port) return [host, ends];
  assert(false, `a host is at port ${port}`);
}

/**
 * Those are down at first, and leave checksums to a switch that does not always compute them.
 */
function devicesOfSwitch({ bridges }: NodePlan): readonly string[] {
  return bridges.flatMap(({ name, ports }) => [
    name,
    ...ports.filter(({ kind }) => kind === 'internal').map((port) => port.name),
  ]);
}

async function configureStack(
  carrier: Carrier,
  host: HostPlan,
  holder: number,
  podMtu: number,
): Promise<void> {
  const enter = (command: readonly [string, ...string[]], input?: string) =>
    carrier.runIn(holder, command, input);
  await enter([systemProgram('ip'), '-batch', '-'], stackCommands(host, podMtu).join('\n'));
  await enter(noTimeWait);
  if (host.kind === 'pod' || host.kind === 'external')
    for (const { name } of host.interfaces) await enter(offloadsOff(name));
  if (host.forwarding === undefined) return;
  await enter([systemProgram('sh'), '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward']);
  await enter([systemProgram('nft'), '-f', '-'], natRules(host.forwarding));
}

/** Hosts outside, each at the bridge between nodes. */
export async function openOutside(
  { externalHosts = [] }: ClusterPlan,
  between: BetweenNodes,
): Promise<ReadonlyMap<string, number>> {
  const holders = new Map<string, number>();
  for (const host of externalHosts) {
    const { carrier } = between;
    const holder = await carrier.namespace();
    const [ends] = host.interfaces;
    assert(ends !== undefined, `${host.name} has an interface`);
    const end = between.nextEnd();
    await pair(carrier, `name ${end}`, `name ${ends.name} address ${ends.mac}`, holder);
    await carrier.run([systemProgram('ip'), 'link', 'set', 'dev', end, 'master', betweenBridge]);
    holders.set(host.name, holder);
    await configureStack(carrier, host, holder, 1500);
  }
  return holders;
}
