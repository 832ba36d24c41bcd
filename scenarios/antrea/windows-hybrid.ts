import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { routedCluster } from '../../topologies/antrea/mixed-cluster.js';

export default defineScenario({
  name: 'antrea/windows-hybrid',
  title:
    'Pods of Windows (W) and Linux (L) nodes on two networks with a router between: without a ' +
    'tunnel within a network, in one across',
  axes: {
    mode: { values: ['hybrid', 'encap'], default: ['hybrid'] },
    nodes: { values: ['WL/WL', 'WW/L', 'W/W'], default: ['WL/WL'] },
    tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] },
  },
  topology: ({ mode, nodes, tunnel }) => routedCluster({ nodes, podsPerNode: 1, mode, tunnel }),
  controlPlane: antrea('1.3'),
  vectors: (topology) => [
    ...vectors.podToPod(topology),
    ...vectors.nodeToPod(topology),
    ...vectors.podToPodTcp(topology),
    ...vectors.ttlAcrossNodes(topology),
    ...vectors.hostToHost(topology),
    ...vectors.nodeToGoneNode(topology),
  ],
  intent: intentOf,
});
