/**
 * A cluster whose hosts are real: each pod is a namespace with its address and routes, nodes route
 * and translate, and the network between nodes is a bridge of the kernel's, so that programs in
 * pods speak by the kernel's own stacks, through links as a topology describes them.
 */
import { assert, Unavailable } from '../base/errors/errors.js';
import type { LinkProperties } from '../domain/link.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { Image } from '../ovs/process/image.js';
import { systemProgram } from '../ovs/process/system-program.js';
import { inNamespace, startCarrier, type Carrier } from '../testbeds/netns/carrier.js';
import { namespaceDevices } from '../testbeds/netns/namespace-devices.js';
import type { NamespaceWire } from '../testbeds/netns/namespace-wire.js';
import { runSystemProgram } from '../testbeds/netns/run-system-program.js';
import type { OpenOptions, OvsSwitches } from '../testbeds/ovs-switches.js';
import { openSwitches } from '../testbeds/sim/sim.js';
import { netemWords } from './link-settings.js';
import { natRules } from '../testbeds/kernel/nat-rules.js';
import { stackLines } from './stack-settings.js';

export interface RealCluster {
  readonly switches: OvsSwitches;
  /** All that have a namespace. */
  readonly hosts: readonly HostPlan[];
  /** The process that holds the namespace of a host: a pod, or a node. */
  placeOf(host: string): number;
  /** That of the network between nodes, where a node's link ends in a device of its name. */
  readonly underlay: number;
  /** What the queue of a node's link has dropped so far. */
  droppedByLink(node: string): Promise<number>;
  close(): Promise<void>;
}

export interface RealClusterOptions extends OpenOptions {
  /** By node; perfect where one is missing. */
  readonly links: ReadonlyMap<string, LinkProperties>;
  readonly podMtu: number;
  /** Whether stacks of pods hand on super-packets, to be split later: rates are exact without. */
  readonly superPackets: 'never' | 'as usual';
}

interface OpenedNode {
  readonly plan: NodePlan;
  readonly carrier: Carrier;
  readonly wires: ReadonlyMap<string, NamespaceWire>;
}

const ip = systemProgram('ip');
const tc = systemProgram('tc');

/** @throws Unavailable where the kernel lacks what links need; then nothing of it is left. */
export async function openRealCluster(
  plan: ClusterPlan,
  image: Image,
  options: RealClusterOptions,
): Promise<RealCluster> {
  const opened: OpenedNode[] = [];
  const underlay = await startCarrier('the network between nodes', () => undefined);
  try {
    await underlay.run(
      [ip, '-batch', '-'],
      'link add dev between type bridge forward_delay 0 mcast_snooping 0\nlink set between up\n',
    );
    const devices = namespaceDevices('system', (node) =>
      Promise.resolve({
        namespace: 'a new one' as const,
        farEndOf: (port: string) =>
          uplinkOf(node) === port ? { place: underlay.pid, device: node.node } : undefined,
        opened: (carrier: Carrier, wires: ReadonlyMap<string, NamespaceWire>) =>
          void opened.push({ plan: node, carrier, wires }),
        close: () => Promise.resolve(),
      }),
    );
    const switches = await openSwitches('netns', devices, plan, image, options);
    const close = async () => {
      await switches.close();
      await underlay.close();
    };
    try {
      for (const node of opened) await setUp(node, underlay, options);
      const outside = new Map<string, number>();
      for (const host of plan.externalHosts ?? [])
        outside.set(host.name, await setUpOutside(host, underlay));
      return clusterOf(plan, { switches, opened, underlay, outside }, close);
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await underlay.close();
    throw error;
  }
}

interface OpenedCluster {
  readonly switches: OvsSwitches;
  readonly opened: readonly OpenedNode[];
  readonly underlay: Carrier;
  /** Hosts outside of the cluster, by name: the processes that hold their namespaces. */
  readonly outside: ReadonlyMap<string, number>;
}

function clusterOf(
  plan: ClusterPlan,
  { switches, opened, underlay, outside }: OpenedCluster,
  close: () => Promise<void>,
): RealCluster {
  const places = new Map([
    ...outside,
    ...opened.flatMap((node) =>
      node.plan.hosts.map((host) => [host.name, placeOfHost(node, host)] as const),
    ),
  ]);
  return {
    switches,
    hosts: [...plan.nodes.flatMap(({ hosts }) => hosts), ...(plan.externalHosts ?? [])],
    underlay: underlay.pid,
    placeOf: (host) => {
      const place = places.get(host);
      assert(place !== undefined, `host ${host} has a namespace`);
      return place;
    },
    droppedByLink: async (name) => {
      const node = opened.find((one) => one.plan.node === name);
      assert(node !== undefined, `node ${name} is there`);
      const shown = await node.carrier.run([tc, '-s', 'qdisc', 'show', 'dev', uplinkOf(node.plan)]);
      return Number(/dropped (\d+)/.exec(shown)?.[1] ?? 0);
    },
    close,
  };
}

/** Real stacks in place of the silent ones. */
async function setUp(
  node: OpenedNode,
  underlay: Carrier,
  { links, podMtu, superPackets }: RealClusterOptions,
): Promise<void> {
  const { plan, carrier, wires } = node;
  for (const wire of wires.values()) await carrier.detach(wire.number);
  await underlay.run([ip, 'link', 'set', 'dev', plan.node, 'mtu', '1500', 'master', 'between']);
  await carrier.run([systemProgram('nft'), 'delete', 'table', 'inet', 'flowbed']);
  for (const host of plan.hosts) {
    const isPod = host.kind === 'pod';
    const lines = stackLines(host, deviceOf(host));
    const settings = isPod
      ? [
          ...host.interfaces.slice(0, 1).map(({ mac }) => `link set dev eth0 address ${mac}`),
          `link set dev eth0 mtu ${podMtu}`,
          ...(superPackets === 'never' ? ['link set dev eth0 gso_max_segs 1'] : []),
        ]
      : [];
    const place = placeOfHost(node, host);
    await runIn(place, [ip, '-batch', '-'], `${[...settings, ...lines].join('\n')}\n`);
    if (!isPod) {
      await runIn(place, [systemProgram('sh'), '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward']);
      if (host.forwarding !== undefined)
        await runIn(place, [systemProgram('nft'), '-f', '-'], natRules(host.forwarding));
    }
  }
  await setLink(node, links.get(plan.node) ?? {});
}

/** A host on the network between nodes; the process that holds its namespace. */
async function setUpOutside(host: HostPlan, underlay: Carrier): Promise<number> {
  const place = await underlay.namespace();
  const [first] = host.interfaces;
  assert(first !== undefined, `host ${host.name} is on the network between nodes`);
  await underlay.run(
    [ip, '-batch', '-'],
    [
      `link add dev ${host.name} type veth peer name eth0 address ${first.mac} netns ${place}`,
      `link set dev ${host.name} master between up`,
    ].join('\n'),
  );
  const lines = stackLines(host, () => 'eth0');
  await runIn(place, [ip, '-batch', '-'], `${lines.join('\n')}\n`);
  return place;
}

async function setLink({ plan, carrier }: OpenedNode, link: LinkProperties): Promise<void> {
  const device = uplinkOf(plan);
  const netem = netemWords(link, `the link of node ${plan.node}`);
  if (netem !== undefined)
    await carrier
      .run([tc, 'qdisc', 'replace', 'dev', device, 'root', ...netem])
      .catch((error: unknown) => {
        if (!(error instanceof Unavailable) || !error.evidence.some((line) => /kind/.test(line)))
          throw error;
        throw new Unavailable(
          `the link of node ${plan.node}: this kernel has no netem, which delays, loses and slows`,
          ['modprobe sch_netem, where the kernel has the module', 'or --world uml, which has it'],
          error.evidence,
        );
      });
  if (link.mtu !== undefined)
    await carrier.run([ip, 'link', 'set', 'dev', device, 'mtu', String(link.mtu)]);
  if (link.state === 'down') await carrier.run([ip, 'link', 'set', 'dev', device, 'down']);
}

function runIn(
  place: number,
  command: readonly [string, ...string[]],
  input?: string,
): Promise<string> {
  return runSystemProgram(`process ${place}`, inNamespace(place, command), input);
}

function placeOfHost({ carrier, wires }: OpenedNode, host: HostPlan): number {
  const port = host.interfaces[0]?.port;
  const place = host.kind === 'pod' ? wires.get(port ?? '')?.place : carrier.pid;
  assert(place !== undefined, `host ${host.name} has a namespace`);
  return place;
}

function deviceOf(host: HostPlan): (name: string) => string | undefined {
  return (name) =>
    host.kind === 'pod' ? 'eth0' : host.interfaces.find((one) => one.name === name)?.port;
}

function uplinkOf({ node, bridges }: NodePlan): string {
  const uplink = bridges.flatMap(({ ports }) => ports).find(({ kind }) => kind === 'uplink');
  assert(uplink !== undefined, `node ${node} has an uplink`);
  return uplink.name;
}
