import { antrea, defineScenario, intentOf, servicesOf, vectors } from '../../harness/index.js';
import { networkPolicyCluster } from '../../topologies/antrea/network-policy.js';

export default defineScenario({
  name: 'antrea/network-policy',
  title:
    'Who reaches whom on which port under NetworkPolicies and a ClusterNetworkPolicy, and who ' +
    'evades them',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  topology: ({ tunnel }) => networkPolicyCluster(tunnel),
  controlPlane: antrea('0.8'),
  vectors: (topology) => [
    ...vectors.batched([
      ...vectors.podMatrix(topology, servicesOf(topology)),
      ...vectors.nodeMatrix(topology, servicesOf(topology)),
      ...vectors.gatewayMatrix(topology, servicesOf(topology)),
      ...vectors.hostMatrix(topology, servicesOf(topology)),
    ]),
    ...vectors.policyEvasions(topology, 53),
  ],
  intent: intentOf,
});
