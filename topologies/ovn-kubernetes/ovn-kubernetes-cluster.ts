import { formatIpv4, ipv4Number } from '../../harness/base/addresses/mac-and-ipv4.js';
import { equalNodes, type EqualNodes } from '../equal-nodes.js';
import { addressIn } from '../addresses.js';
import type { OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';

/**
 * Nodes as `equalNodes` has them, without machines. The gateway router of node i has 172.30.128.i.
 */
export function ovnKubernetesCluster(
  size: Omit<EqualNodes, 'name'>,
  zones: ZoneLayout = 'one',
): OvnKubernetesTopology {
  const topology = equalNodes({
    ...size,
    name: `ovn-kubernetes-${size.nodes}x${size.podsPerNode}`,
  });
  return {
    ...topology,
    zones,
    transit: { first: '100.88.0.2', prefixLength: 16 },
    clusterCidr: '10.10.0.0/16',
    join: { first: '100.64.0.1', prefixLength: 16 },
    gateways: Object.fromEntries(
      topology.nodes.map(({ name }, index) => [name, addressIn('172.30.128.1', index)]),
    ),
    arpProxyMac: '0a:58:0a:f3:00:00',
    dnsServer: '10.96.0.10',
    machines: [],
  };
}

/** As OVN makes up MAC addresses of what has this one: 10.10.1.9 has 0a:58:0a:0a:01:09. */
export function ovnMacOf(ip: string): string {
  return `0a:58:${formatIpv4(ipv4Number(ip))
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join(':')}`;
}
