/**
 * What Contrail promises of containers on virtual networks: who is on one network reaches whom, and
 * nobody reaches anybody before the agent has added both ports. It knows no flow and no table.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { unknownName, Unsupported } from '../../base/errors/errors.js';
import type { Crossing, Intent, PathIntent, Unheld } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { FrameSpec, Stimulus } from '../../domain/test-vector.js';
import type {
  AttachedContainer,
  ContrailCluster,
  Subnet,
} from '../../../topologies/contrail/contrail-cluster.js';

export const contrailPromises: ControlPlanePromises<ContrailCluster> = {
  whole: contrailIntent,
  sourceSeen: never,
  sourcesAtEndpoint: never,
  routersBetween: never,
  pathBetween: never,
  underlayPath: never,
  arp: never,
  frame: never,
  interjection: never,
  egress: never,
  nodePort: never,
  service: never,
};

function never(): never {
  throw new Unsupported('Kubernetes has no part in what Contrail promises');
}

/** @throws InputError for a sender that is not there, Unsupported where nothing is promised. */
function contrailIntent(cluster: ContrailCluster, stimulus: Stimulus): Intent {
  const node = cluster.nodes.find(({ name }) => name === stimulus.from);
  if (node !== undefined) return fromNativeDriver(cluster, node.name, stimulus);
  const there = cluster.containers.filter(({ adapter }) => adapter === 'connected');
  const from = there.find(({ name }) => name === stimulus.from);
  if (from === undefined)
    throw unknownName(
      'host',
      stimulus.from,
      [...cluster.nodes, ...there].map(({ name }) => name),
    );
  if (from.port === 'not added')
    return {
      kind: 'blocked',
      why: `the agent has not added the port of ${from.name}: "dropping all packets"`,
    };
  switch (stimulus.kind) {
    case 'ping':
    case 'udp':
    case 'tcp':
    case 'probe':
      return toAddress(cluster, from, stimulus);
    case 'arp':
      return arpIntent(cluster, from, stimulus.target);
    case 'frame':
      return frameIntent(from, stimulus.frame);
    case 'calls':
    case 'sctp':
    case 'open':
    case 'talk':
    case 'dhcp':
    case 'announcement':
      throw new Unsupported(`nothing is promised about ${stimulus.kind} between containers`);
  }
}

function toAddress(
  cluster: ContrailCluster,
  from: AttachedContainer,
  stimulus: Extract<Stimulus, { readonly kind: 'ping' | 'udp' | 'tcp' | 'probe' }>,
): Intent {
  const to = cluster.containers.find(
    (other) => other.ip === stimulus.to && isSameNetwork(other, from),
  );
  if (to === undefined) return { kind: 'denied', ...whyNobody(cluster, from, stimulus.to) };
  if (to.name === from.name)
    throw new Unsupported(`nothing is promised about what ${from.name} sends to itself`);
  if (to.port === 'not added')
    return { kind: 'denied', why: `the agent has not added the port of ${to.name}` };
  if (to.adapter === 'absent')
    return { kind: 'denied', why: `${to.name} has a port, and no adapter yet` };
  if (stimulus.kind !== 'ping' && stimulus.port !== echoPort)
    throw new Unsupported(`nothing is promised about port ${stimulus.port} of ${to.name}`);
  const routers = to.subnet === from.subnet ? 0 : 1;
  const { ttl = 64 } = stimulus.kind === 'probe' ? {} : stimulus;
  if (ttl <= routers)
    return { kind: 'denied', why: `TTL ${ttl} does not last for the gateway between subnets` };
  return {
    kind: 'round-trip',
    to: to.name,
    source: from.ip,
    path: pathBetween(cluster, from, to),
  };
}

/** Every host answers there (RFC 862). */
const echoPort = 7;

function whyNobody(
  { containers }: ContrailCluster,
  from: AttachedContainer,
  ip: string,
): { readonly why: string; readonly unheld?: Unheld } {
  const stranger = containers.find((other) => other.ip === ip);
  if (stranger === undefined)
    return { why: `nobody holds ${ip} in ${from.tenant}:${from.network}`, unheld: ip };
  return {
    why:
      `${ip} is that of ${stranger.name} in ${stranger.tenant}:${stranger.network} alone, and ` +
      `${from.name} is in ${from.tenant}:${from.network}`,
  };
}

/**
 * The vRouter answers for the gateway and for everybody on the subnet whose port is added; for
 * neighbours with their own addresses.
 */
function arpIntent(cluster: ContrailCluster, from: AttachedContainer, target: string): Intent {
  const subnet = subnetsOf(cluster, from).find(({ id }) => id === from.subnet);
  if (subnet === undefined || target === from.ip)
    throw new Unsupported(`nothing is promised about ARP of ${from.name} for ${target}`);
  if (target === subnet.gateway) return { kind: 'resolves', ip: target, mac: virtualRouterMac };
  const holder = cluster.containers.find(
    (other) => other.ip === target && isSameNetwork(other, from),
  );
  if (holder === undefined) return { kind: 'denied', ...whyNobody(cluster, from, target) };
  if (holder.port !== 'added') return { kind: 'denied', why: `${holder.name} has no port` };
  return cidrContains(parseCidr(subnet.cidr), ipv4Number(target))
    ? { kind: 'resolves', ip: target, mac: holder.mac }
    : { kind: 'denied', why: `${target} is not in ${subnet.cidr}` };
}

/** RFC 5798, 7.3, with router number 0: what Contrail's gateways answer with. */
const virtualRouterMac = '00:00:5e:00:01:00';

/** A container sends from its own addresses alone. */
function frameIntent(from: AttachedContainer, { src, payload }: FrameSpec): Intent {
  const blocked = (why: string): Intent => ({ kind: 'blocked', why });
  if (src.toLowerCase() !== from.mac.toLowerCase()) return blocked(`${src} is not its MAC`);
  if (payload.kind === 'other' || payload.kind === 'neighbour-advertisement')
    return blocked('it is neither ARP nor IPv4');
  const claimed = payload.kind === 'arp' ? payload.spa : payload.src;
  if (claimed !== from.ip) return blocked(`${claimed} is not its address`);
  throw new Unsupported('nothing is promised about frames that claim nothing wrong');
}

/**
 * "dropping all packets except the ones sent from native Hyper-V driver": a frame of the host's
 * own stack gets to a container that waits, and nothing comes back.
 */
function fromNativeDriver(cluster: ContrailCluster, node: string, stimulus: Stimulus): Intent {
  if (stimulus.kind !== 'frame' || stimulus.frame.payload.kind !== 'echo-request')
    throw new Unsupported(`nothing is promised about what ${node} sends but frames of a ping`);
  const { dst, payload } = stimulus.frame;
  const to = cluster.containers.find(
    ({ mac, ip, hypervisor, adapter }) =>
      mac === dst && ip === payload.dst && hypervisor === node && adapter === 'connected',
  );
  if (to === undefined) {
    const isHeld = cluster.containers.some(({ mac }) => mac === dst);
    const why = `no container on ${node} has ${dst}`;
    return { kind: 'denied', why, ...(isHeld ? {} : { unheld: dst }) };
  }
  return to.port === 'not added'
    ? {
        kind: 'delivered',
        to: to.name,
        source: payload.src,
        why: `${to.name} waits: what the native driver sends gets there, its answer does not pass`,
      }
    : { kind: 'denied', why: `the port of ${to.name} is added: its network alone reaches it` };
}

/** Straight from hypervisor to hypervisor; within one nothing leaves it. */
function pathBetween(
  { nodes }: ContrailCluster,
  from: AttachedContainer,
  to: AttachedContainer,
): readonly PathIntent[] {
  const addressOf = (hypervisor: string) =>
    nodes.find(({ name }) => name === hypervisor)?.underlay.ip ?? '';
  const through = (node: string, crossings: readonly Crossing[]): PathIntent => ({
    node,
    ports: ['uplink'],
    crossings,
  });
  if (from.hypervisor === to.hypervisor) return [through(from.hypervisor, [])];
  const there = { src: addressOf(from.hypervisor), dst: addressOf(to.hypervisor) };
  const back = { src: there.dst, dst: there.src };
  return [
    through(from.hypervisor, [
      { direction: 'out', port: 'uplink', ...there },
      { direction: 'in', port: 'uplink', ...back },
    ]),
    through(to.hypervisor, [
      { direction: 'in', port: 'uplink', ...there },
      { direction: 'out', port: 'uplink', ...back },
    ]),
  ];
}

function isSameNetwork(
  a: Pick<AttachedContainer, 'tenant' | 'network'>,
  b: Pick<AttachedContainer, 'tenant' | 'network'>,
): boolean {
  return a.tenant === b.tenant && a.network === b.network;
}

function subnetsOf(
  { virtualNetworks }: ContrailCluster,
  { tenant, network }: AttachedContainer,
): readonly Subnet[] {
  return (
    virtualNetworks.find((known) => known.tenant === tenant && known.name === network)?.subnets ??
    []
  );
}
