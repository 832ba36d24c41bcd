import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { mixedCluster } from '../../topologies/antrea/mixed-cluster.js';

export default defineScenario({
  name: 'antrea/windows-pod-to-pod',
  title: 'Pod traffic within and across Windows (W) and Linux (L) nodes',
  axes: {
    mode: { values: ['encap', 'noEncap', 'hybrid'], default: ['encap', 'noEncap', 'hybrid'] },
    nodes: { values: ['WWL', 'WW', 'WL'], default: ['WWL'] },
    tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] },
  },
  topology: ({ mode, nodes, tunnel }) => mixedCluster({ nodes, podsPerNode: 2, mode, tunnel }),
  controlPlane: antrea('1.3'),
  vectors: (topology) => [
    ...vectors.podToPod(topology),
    ...vectors.podToGateway(topology),
    ...vectors.nodeToPod(topology),
    ...vectors.podToPodTcp(topology),
    ...vectors.ttlAcrossNodes(topology),
    ...vectors.arpNeighbours(topology),
    ...(topology.mode === 'encap' ? vectors.arpPeerGateways(topology) : []),
    ...vectors.spoofedIp(topology),
    ...vectors.notForwarded(topology),
  ],
  intent: intentOf,
});
