import { antrea, clusterIpsOf, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { servicesCluster } from '../../topologies/antrea/services.js';

export default defineScenario({
  name: 'antrea/no-encap',
  title:
    'Linux nodes without tunnels: pods by the routes between nodes, the masquerade of what ' +
    'leaves the cluster, and ports of nodes for Services',
  axes: {},
  topology: () => servicesCluster('geneve', 'noEncap'),
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
      ...vectors.notForwarded(topology),
      ...vectors.podToExternal(topology),
      ...vectors.podToExternalLater(topology),
      ...vectors.nodeToExternal(topology),
      ...vectors.hostToHost(topology),
      ...vectors.serviceMatrix(topology, services),
      ...vectors.externalAccess(topology, ['x1', 'asker1', 'n2'], services),
    ];
  },
  intent: intentOf,
});
