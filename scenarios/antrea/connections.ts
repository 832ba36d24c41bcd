import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';

export default defineScenario({
  name: 'antrea/connections',
  title: 'What the connection tracker makes of probes, refusals and segments that do not belong',
  axes: {
    nodes: { values: ['2', '3', '5', '10'], default: ['2'] },
    tunnel: { values: ['geneve', 'vxlan', 'gre', 'stt'], default: ['geneve'] },
  },
  topology: ({ nodes, tunnel }) => antreaCluster({ nodes: Number(nodes), podsPerNode: 3, tunnel }),
  controlPlane: antrea('0.8'),
  vectors: (topology) => [
    ...vectors.livenessProbes(topology),
    ...vectors.closedPorts(topology),
    ...vectors.unconnectedTcp(topology),
    ...vectors.interjections(topology),
  ],
  intent: intentOf,
});
