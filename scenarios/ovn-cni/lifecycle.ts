import { defineScenario, ovnCni, ovnCniIntentOf, vectors } from '../../harness/index.js';
import { equalOvnCniCluster } from '../../topologies/ovn-cni/ovn-cni-cluster.js';

export default defineScenario({
  name: 'ovn-cni/lifecycle',
  title: 'Pods that the CNI plugin adds, each closed until something is allowed',
  axes: { nodes: { values: ['1', '2', '3'], default: ['1'] } },
  topology: ({ nodes }) => equalOvnCniCluster(Number(nodes), 2, 'has not run'),
  controlPlane: ovnCni(),
  vectors: (topology) => [
    ...vectors.podToPod(topology),
    ...vectors.podToPodTcp(topology),
    ...vectors.arpNeighbours(topology),
    ...vectors.spoofedIp(topology),
  ],
  intent: ovnCniIntentOf,
});
