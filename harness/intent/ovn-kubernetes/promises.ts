/**
 * What a network of ovn-kubernetes' shape promises beside Kubernetes, from its seed and from the
 * objects alone: it knows no logical flow, no route and no policy.
 */
import { addressBlock, addressNumber, blockContains } from '../../base/addresses/ip-address.js';
import {
  formatIpv4,
  ipv4Number,
  parseCidr,
  prefixMask,
} from '../../base/addresses/mac-and-ipv4.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import { nobodyHolds, type Intent, type PathIntent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { Topology } from '../../domain/topology.js';
import type { Network } from '../../kube/objects.js';
import { isUnheld } from '../kubernetes/cluster-hosts.js';
import { serviceAt } from '../kubernetes/service/backends.js';
import { protocolOf } from '../kubernetes/service/service-reach.js';
import { tunnelPath } from '../ovn/tunnel-path.js';
import { announcedIntent } from './announced.js';
import { egressIntent, notBalanced } from './egress.js';
import { elsewhere } from './elsewhere.js';
import { withoutFirstPacket } from './first-packet.js';
import { asOvnKubernetes, isIn, onlyPods, silent } from './network.js';
import { unsettledNow } from './unsettled.js';

/** OVN's routers answer with ICMP (ovn-northd(8), "Router Ingress Table: IP Input"). */
const logicalRouter = 'reports an expired TTL';

export const ovnKubernetesPromises: ControlPlanePromises = {
  sourceSeen: (_, from) => from.ip,
  sourcesAtEndpoint,
  routersBetween: (network, from, to) => {
    onlyPods(from, to);
    if (areNeighbours(from, to)) return [];
    const isOne = asOvnKubernetes(network).zones === 'one' || from.node.name === to.node.name;
    return isOne ? [logicalRouter] : [logicalRouter, logicalRouter];
  },
  pathBetween: (network, from, to) => [
    ...pathBetween(from, to),
    ...elsewhere(asOvnKubernetes(network), from),
    ...elsewhere(asOvnKubernetes(network), to),
  ],
  underlayPath: () => [],
  routersOnUnderlay: (network) =>
    network.nodes.map(({ name, underlay: { mac } }) => ({
      name: `the gateway router of ${name}`,
      ip: asOvnKubernetes(network).gateways[name] ?? '',
      mac,
    })),
  arp: arpIntent,
  dhcp: dhcpIntent,
  announced: announcedIntent,
  frame: silent('frames that bypass the stack'),
  interjection: silent('segments that do not belong'),
  egress: egressIntent,
  forIpv6,
  nodePort: () => undefined,
  atNodePorts: {
    comesAs: (network, { name, node }) =>
      asOvnKubernetes(network).gateways[node.name] ??
      silent(`a node without a gateway, as ${name} has it`)(),
    ownPods: 'as by the ClusterIP',
    nobody: 'a reset',
  },
  service: serviceIntent,
  fromOutside: withoutFirstPacket,
  unsettled: (network, from, to) => unsettledNow(asOvnKubernetes(network), from, to),
};

/**
 * Who comes by a node is seen as its gateway router, on the network between that and the cluster's
 * router; who asks for itself, as an address that is for this alone (ovn-kubernetes,
 * "Service Controller": `hairpin_snat_ip`).
 */
function sourcesAtEndpoint(
  network: Topology,
  from: ClusterHost,
  endpoint: string,
): readonly string[] {
  if (from.kind === 'pod') return [from.ip === endpoint ? '169.254.0.5' : from.ip];
  const { nodes, join } = asOvnKubernetes(network);
  const place = nodes.findIndex(({ name }) => name === from.node.name);
  return [formatIpv4(ipv4Number(join.first) + 1 + place)];
}

/** Over TCP, who asks for what nobody is behind gets a reset (ovn-nb(5), "reject"). */
function serviceIntent(
  network: Topology,
  from: ClusterHost,
  stimulus: Stimulus,
  promise: Intent,
): Intent {
  onlyPods(from);
  if (promise.kind === 'denied' && !isBalanced(network, stimulus))
    return notBalanced(network, from, promise);
  const isTcp = stimulus.kind !== 'udp' && stimulus.kind !== 'sctp';
  return promise.kind === 'rejected' && isTcp
    ? { ...promise, by: 'a reset' }
    : withoutFirstPacket(network, stimulus, promise);
}

/** Whether a Service has the address and the port. */
function isBalanced({ objects }: Topology & Network, stimulus: Stimulus): boolean {
  if (objects === undefined || !('to' in stimulus) || !('port' in stimulus)) return false;
  return (
    serviceAt(objects, stimulus.to)?.spec.ports.some(
      ({ port, protocol }) => port === stimulus.port && protocol === protocolOf(stimulus),
    ) === true
  );
}

/** On one switch, and each with an address of that switch's subnet: then no router is asked. */
function areNeighbours(from: ClusterHost, to: ClusterHost): boolean {
  const isAtHome = ({ ip }: ClusterHost) => isIn(from.node.podCidr, ip);
  return from.node.name === to.node.name && isAtHome(from) && isAtHome(to);
}

/** A gateway router learns a host by ARP over IPv4, and by neighbour discovery over IPv6. */
function forIpv6<One extends Topology>(network: One): One {
  const { knownOutside, ipv6 = {} } = asOvnKubernetes(network);
  const asked = Object.assign({}, network, { isAskedOverIpv6: true });
  if (knownOutside === undefined) return asked;
  const hosts = network.externalHosts ?? [];
  const known = Object.entries(knownOutside).map(([node, addresses]) => {
    const beside = hosts.filter(({ ip }) => addresses.includes(ipv6[ip] ?? ''));
    return [node, beside.map(({ ip }) => ip)] as const;
  });
  return Object.assign(asked, { knownOutside: Object.fromEntries(known) });
}

/**
 * Neighbours on the switch answer for themselves; for everybody else in the cluster, and for the
 * gateway of machines, the router's port does (the seed, "Nodes logical switch ports").
 */
function arpIntent(network: Topology, from: ClusterHost, target: string): Intent {
  onlyPods(from);
  const { arpProxyMac, clusterCidr } = asOvnKubernetes(network);
  const isInCluster = (ip: string) =>
    [clusterCidr, network.ipv6?.[clusterCidr]].some(
      (block) => block !== undefined && blockContains(addressBlock(block), addressNumber(ip)),
    );
  if (target === from.ip) return silent(`ARP of ${from.name} for itself`)();
  const holder = [from.node.gateway, ...from.node.pods].find(({ ip }) => ip === target);
  if (holder !== undefined) return { kind: 'resolves', ip: target, mac: holder.mac };
  if (target === '169.254.1.1' || isInCluster(target))
    return { kind: 'resolves', ip: target, mac: arpProxyMac };
  return isUnheld(network, target)
    ? { kind: 'denied', ...nobodyHolds(target) }
    : { kind: 'denied', why: `${target} is outside of ${clusterCidr}` };
}

/**
 * "DHCP replies advertising the allocated IP address to the guest VM": the same wherever it runs
 * (the seed, "VMs logical switch ports").
 */
function dhcpIntent(network: Topology, from: ClusterHost, version: 4 | 6): Intent {
  const { machines, nodes, dnsServer, ipv6 = {} } = asOvnKubernetes(network);
  const machine = machines.find(({ name }) => name === from.name);
  if (machine === undefined) return silent(`DHCP of ${from.name}, which is no machine`)();
  const owner = nodes.find(({ podCidr }) => isIn(podCidr, machine.ip));
  if (owner === undefined) return silent('DHCP of a machine whose subnet no node has')();
  if (version === 6) return dhcpv6Intent(ipv6[machine.ip], ipv6[dnsServer]);
  return {
    kind: 'leases',
    lease: {
      ip: machine.ip,
      netmask: formatIpv4(prefixMask(parseCidr(owner.podCidr).prefixLength)),
      router: '169.254.1.1',
      server: '169.254.1.1',
      dnsServer,
      hostname: machine.name,
      seconds: 3500,
    },
  };
}

/**
 * Routers are found otherwise (RFC 8415, section 1), the server is named by its MAC address, and
 * no lease of OVN's ends.
 */
function dhcpv6Intent(ip: string | undefined, dnsServer: string | undefined): Intent {
  if (ip === undefined || dnsServer === undefined)
    return silent('DHCPv6 where there are no addresses of IPv6')();
  const unsaid = { netmask: '', router: '', hostname: '' };
  return {
    kind: 'leases',
    lease: { ...unsaid, ip, server: 'c0:ff:ee:00:00:01', dnsServer, seconds: 0xffffffff },
  };
}

const uplink = 'uplink';

/** By Geneve from chassis to chassis, straight; within a chassis nothing leaves it. */
function pathBetween(from: ClusterHost, to: ClusterHost): readonly PathIntent[] {
  onlyPods(from, to);
  if (from.node.name === to.node.name)
    return [{ node: from.node.name, ports: [uplink], crossings: [] }];
  return tunnelPath(from.node, to.node, uplink);
}
