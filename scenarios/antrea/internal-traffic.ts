import { antrea, clusterIpsOf, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { internalTrafficCluster } from '../../topologies/antrea/internal-traffic.js';

export default defineScenario({
  name: 'antrea/internal-traffic',
  title: 'Services whose traffic stays on the node: who answers there, and where nobody is',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  topology: ({ tunnel }) => internalTrafficCluster(tunnel),
  controlPlane: antrea('1.3'),
  vectors: (topology) => {
    const services = clusterIpsOf(topology);
    return [
      ...vectors.serviceMatrix(topology, services),
      ...vectors.serviceCalls(['asker1', 'asker2'], services),
      ...vectors.externalAccess(topology, ['x1', 'asker1', 'asker3'], services.slice(0, 1)),
    ];
  },
  intent: intentOf,
});
