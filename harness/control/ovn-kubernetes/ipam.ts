/**
 * Which addresses are taken, from what there is alone: so that a control plane that has restarted
 * gives none out twice (the seed, "IPAM").
 */
import {
  cidrContains,
  cidrsOverlap,
  formatIpv4,
  ipv4Number,
  parseCidr,
} from '../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../base/errors/errors.js';
import type { Node } from '../../domain/topology.js';
import type {
  OvnKubernetesTopology,
  VirtualMachine,
} from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** The node whose pool a machine's address is from; undefined once no node has that subnet. */
export function poolOf({ nodes }: OvnKubernetesTopology, { ip }: VirtualMachine): Node | undefined {
  return nodes.find(({ podCidr }) => cidrContains(parseCidr(podCidr), ipv4Number(ip)));
}

/**
 * Addresses of a node's subnet that are not free: the gateway's, those of pods there, and those of
 * machines from this subnet, wherever they run: "the VMs ips need to be reserved so they don't get
 * assigned to new pods".
 */
export function reservedIn(network: OvnKubernetesTopology, { podCidr }: Node): readonly string[] {
  const subnet = parseCidr(podCidr);
  const held = [
    ...network.nodes.flatMap(({ gateway, pods }) => [gateway.ip, ...pods.map(({ ip }) => ip)]),
    ...network.machines.map(({ ip }) => ip),
  ];
  return [...new Set(held)].filter((ip) => cidrContains(subnet, ipv4Number(ip)));
}

/** The lowest address that is free there. @throws InputError where none is left. */
export function nextAddress(network: OvnKubernetesTopology, node: Node): string {
  const { base, size } = rangeOf(node.podCidr);
  const reserved = new Set(reservedIn(network, node));
  for (let host = 1; host < size - 1; host++) {
    const ip = formatIpv4(base + host);
    if (!reserved.has(ip)) return ip;
  }
  throw new InputError(`no address is left in ${node.podCidr} of ${node.name}`);
}

/**
 * The subnet of a node that joins: the lowest of the cluster's that no node has, also where
 * machines elsewhere have addresses of it. @throws InputError where none is left.
 */
export function nextSubnet({ nodes, clusterCidr }: OvnKubernetesTopology, bits = 24): string {
  const { base, size } = rangeOf(clusterCidr);
  const step = 2 ** (32 - bits);
  const taken = nodes.map(({ podCidr }) => parseCidr(podCidr));
  for (let first = base + step; first < base + size; first += step) {
    const subnet = `${formatIpv4(first)}/${bits}`;
    if (taken.every((one) => !cidrsOverlap(one, parseCidr(subnet)))) return subnet;
  }
  throw new InputError(`no subnet of ${bits} bits is left in ${clusterCidr}`);
}

function rangeOf(cidr: string): { readonly base: number; readonly size: number } {
  const [address = ''] = cidr.split('/');
  return { base: ipv4Number(address), size: 2 ** (32 - parseCidr(cidr).prefixLength) };
}
