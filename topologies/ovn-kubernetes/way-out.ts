import { macOf, underlayPrefixLength } from '../addresses.js';
import type { OvnKubernetesTopology } from './ovn-kubernetes-topology.js';

/**
 * The network with a way out: the router r1, which gateway routers and nodes have their default
 * route to, and the host `internet` behind it, with 8.8.8.8.
 */
export function withWayOut<Network extends OvnKubernetesTopology>(network: Network): Network {
  const at = (ip: string) => ({ ip, mac: macOf(ip) });
  return {
    ...network,
    externalHosts: [...(network.externalHosts ?? []), { name: 'internet', ...at('8.8.8.8') }],
    routers: [
      {
        name: 'r1',
        interfaces: [
          { ...at('172.30.255.254'), prefixLength: underlayPrefixLength },
          { ...at('8.8.8.1'), prefixLength: 24 },
        ],
      },
    ],
  };
}
