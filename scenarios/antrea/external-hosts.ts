import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';

export default defineScenario({
  name: 'antrea/external-hosts',
  title: 'Nodes and hosts outside the cluster, on the network between nodes',
  axes: {
    nodes: { values: ['1', '2', '3'], default: ['2'] },
    tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] },
  },
  topology: ({ nodes, tunnel }) =>
    antreaCluster({ nodes: Number(nodes), podsPerNode: 1, tunnel, externalHosts: 2 }),
  controlPlane: antrea('0.8'),
  vectors: vectors.nodeToExternal,
  intent: intentOf,
});
