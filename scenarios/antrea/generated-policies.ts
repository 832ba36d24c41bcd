import { antrea, defineScenario, intentOf, servicesOf, vectors } from '../../harness/index.js';
import { generatedCluster } from '../../topologies/generated/generated-policies.js';

export default defineScenario({
  name: 'antrea/generated-policies',
  title: 'Who reaches whom under policies that overlap and contradict each other',
  axes: {
    policies: {
      values: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'],
      default: ['4'],
    },
  },
  topology: ({ policies }) =>
    generatedCluster(Number(policies), {
      nodes: 2,
      pods: 6,
      networkPolicies: 5,
      clusterNetworkPolicies: 2,
    }),
  controlPlane: antrea('0.8'),
  vectors: (topology) => [
    ...vectors.batched([
      ...vectors.podMatrix(topology, servicesOf(topology)),
      ...vectors.nodeMatrix(topology, [{ protocol: 'TCP', port: 80 }, { protocol: 'ICMP' }]),
    ]),
    ...vectors.policyEvasions(topology, 80),
  ],
  intent: intentOf,
});
