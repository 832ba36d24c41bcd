import { antrea, defineScenario, intentOf, servicesOf, vectors } from '../../harness/index.js';
import { generatedCluster } from '../../topologies/generated-policies.js';

/** Pods, the nodes they are on, and policies of both kinds. */
const sizes = {
  '10': { nodes: 2, pods: 10, networkPolicies: 16, clusterNetworkPolicies: 4, externalHosts: 1 },
  '50': { nodes: 5, pods: 50, networkPolicies: 160, clusterNetworkPolicies: 40, externalHosts: 1 },
} as const;

export default defineScenario({
  name: 'antrea/truth-table',
  title: 'Every cell of the truth table of a cluster under many policies, played together',
  axes: { pods: { values: ['10', '50'], default: ['10'] }, policies: { values: ['1', '2', '3'], default: ['1'] } },
  topology: ({ pods, policies }) => generatedCluster(Number(policies), sizes[pods]),
  controlPlane: antrea('0.8'),
  vectors: (topology) => {
    const services = servicesOf(topology);
    return vectors.together([
      ...vectors.podMatrix(topology, services),
      ...vectors.nodeMatrix(topology, services),
      ...vectors.gatewayMatrix(topology, services),
      ...vectors.hostMatrix(topology, services),
      ...vectors.externalMatrix(topology, services),
    ]);
  },
  intent: intentOf,
});
