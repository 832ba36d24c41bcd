import { antrea, defineScenario, intentOf, servicesOf, vectors } from '../../harness/index.js';
import { networkPolicyCluster } from '../../topologies/antrea/network-policy.js';

export default defineScenario({
  name: 'antrea/windows-network-policy',
  title:
    'NetworkPolicies and a ClusterNetworkPolicy across a Windows node and a Linux node, in ' +
    'tunnels and without',
  axes: { mode: { values: ['encap', 'noEncap', 'hybrid'], default: ['encap'] } },
  topology: ({ mode }) => {
    const cluster = networkPolicyCluster('geneve');
    return {
      ...cluster,
      mode,
      nodes: cluster.nodes.map((node, index) => ({
        ...node,
        os: index === 0 ? 'windows' : 'linux',
      })),
    };
  },
  controlPlane: antrea('1.3'),
  vectors: (topology) =>
    vectors.podMatrix(
      topology,
      servicesOf(topology).filter(
        (service) => service.protocol === 'ICMP' || [53, 80, 8080].includes(service.port),
      ),
    ),
  intent: intentOf,
});
