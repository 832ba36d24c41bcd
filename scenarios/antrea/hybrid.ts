import { antrea, clusterIpsOf, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { hybridCluster } from '../../topologies/antrea/hybrid.js';

export default defineScenario({
  name: 'antrea/hybrid',
  title:
    'Linux nodes on two networks with a router between: pods without a tunnel within a network, ' +
    'in one across; the masquerade of what leaves the pods, and ports of nodes for Services',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  topology: ({ tunnel }) => hybridCluster(tunnel),
  controlPlane: antrea('1.3'),
  vectors: (topology) => {
    const services = clusterIpsOf(topology);
    return [
      ...vectors.podToPod(topology),
      ...vectors.podToGateway(topology),
      ...vectors.nodeToPod(topology),
      ...vectors.podToPodTcp(topology),
      ...vectors.gatewayTcp(topology),
      ...vectors.ttlAcrossNodes(topology),
      ...vectors.arpNeighbours(topology),
      ...vectors.spoofedIp(topology),
      ...vectors.spoofedArp(topology),
      ...vectors.podToExternal(topology),
      ...vectors.hostToHost(topology),
      ...vectors.nodeToGoneNode(topology),
      ...vectors.serviceMatrix(topology, services),
      ...vectors.externalAccess(topology, ['n1', 'n3', 'asker1', 'asker3'], services),
    ];
  },
  intent: intentOf,
});
