import { defineScenario, ovnCni, ovnCniIntentOf, vectors } from '../../harness/index.js';
import { equalOvnCniCluster } from '../../topologies/ovn-cni/ovn-cni-cluster.js';

export default defineScenario({
  name: 'ovn-cni/many-nodes',
  title: 'All pairs of pods that the CNI plugin has added on several nodes',
  axes: {
    nodes: { values: ['2', '3'], default: ['3'] },
    pods: { values: ['2', '10'], default: ['2'] },
  },
  topology: ({ nodes, pods }) => equalOvnCniCluster(Number(nodes), Number(pods), 'has followed'),
  controlPlane: ovnCni(),
  vectors: (topology) => vectors.batchedIfMany(vectors.podToPod(topology)),
  intent: ovnCniIntentOf,
});
