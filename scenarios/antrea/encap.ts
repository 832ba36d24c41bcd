import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';

export default defineScenario({
  name: 'antrea/encap',
  title: 'Pod traffic within and across nodes of an Antrea cluster in encap mode',
  axes: {
    nodes: { values: ['2', '3', '5', '10'], default: ['2'] },
    tunnel: { values: ['geneve', 'vxlan', 'gre', 'stt'], default: ['geneve'] },
  },
  topology: ({ nodes, tunnel }) => antreaCluster({ nodes: Number(nodes), podsPerNode: 3, tunnel }),
  controlPlane: antrea('0.8'),
  vectors: (topology) => [
    ...vectors.batchedIfMany([
      ...vectors.podToPod(topology),
      ...vectors.podToGateway(topology),
      ...vectors.nodeToPod(topology),
      ...vectors.podToPodTcp(topology),
      ...vectors.gatewayTcp(topology),
    ]),
    ...vectors.ttlAcrossNodes(topology),
    ...vectors.arpNeighbours(topology),
    ...vectors.arpPeerGateways(topology),
    ...vectors.spoofedIp(topology),
    ...vectors.spoofedArp(topology),
    ...vectors.unknownDestinations(topology),
    ...vectors.notForwarded(topology),
  ],
  intent: intentOf,
});
