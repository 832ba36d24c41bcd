import { formatIpv6, ipv6Number } from '../../harness/base/addresses/ipv6.js';
import { linkLocalOf } from '../../harness/base/addresses/link-local.js';
import { parseCidr, formatIpv4 } from '../../harness/base/addresses/mac-and-ipv4.js';
import { addressIn } from '../addresses.js';
import { ipv6Of } from '../ovn/ovn-topology.js';
import type { AddressFamily, OvnKubernetesTopology } from './ovn-kubernetes-topology.js';

/**
 * The network with addresses of IPv6 beside those that it has: 10.10.1.2 has fd00:10:10:1::2, and
 * 10.10.1.0/24 has fd00:10:10:1::/64.
 */
export function withIpv6(
  network: OvnKubernetesTopology,
  family: AddressFamily,
): OvnKubernetesTopology {
  if (family === 'ipv4') return network;
  const { nodes, machines, externalHosts = [], routers = [], gateways, join, transit } = network;
  const ofRouters = routers.flatMap(({ interfaces }) => interfaces);
  const addresses = [
    ...nodes.flatMap(({ gateway, pods }) => [gateway.ip, ...pods.map(({ ip }) => ip)]),
    ...machines.map(({ ip }) => ip),
    ...externalHosts.map(({ ip }) => ip),
    ...ofRouters.map(({ ip }) => ip),
    ...Object.values(gateways),
    ...[join.first, ...nodes.map((_, index) => addressIn(join.first, index + 1))],
    ...nodes.map((_, index) => addressIn(transit.first, index)),
    network.dnsServer,
  ];
  const blocks = [
    network.clusterCidr,
    ...nodes.map(({ podCidr }) => podCidr),
    ...[...nodes.map(({ underlay }) => underlay), ...ofRouters].map(
      ({ ip, prefixLength }) => `${ip}/${prefixLength}`,
    ),
    ...[join, transit].map(({ first, prefixLength }) => `${first}/${prefixLength}`),
  ].map(parseCidr);
  return {
    ...network,
    family,
    ipv6: {
      ...Object.fromEntries(addresses.map((ip) => [ip, canonical(ipv6Of(ip))])),
      ...Object.fromEntries(
        blocks.map(({ number, prefixLength }) => {
          const first = formatIpv4(number);
          return [
            `${first}/${prefixLength}`,
            `${canonical(ipv6Of(first))}/${16 + 2 * prefixLength}`,
          ];
        }),
      ),
      '169.254.1.1': linkLocalOf(network.arpProxyMac),
    },
  };
}

/** 10.10.0.0 has fd00:10:10::, and not fd00:10:10:0::0. */
function canonical(address: string): string {
  return formatIpv6(ipv6Number(address));
}
