import { antrea, clusterIpsOf, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { servicesCluster } from '../../topologies/services.js';

export default defineScenario({
  name: 'antrea/services-antrea-proxy',
  title: 'Services in the switch: who answers for a ClusterIP, and who is seen as the sender',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  topology: ({ tunnel }) => servicesCluster(tunnel),
  controlPlane: antrea('1.3'),
  vectors: (topology) => [
    ...vectors.serviceMatrix(topology, clusterIpsOf(topology)),
    ...vectors.noService(topology, clusterIpsOf(topology), '10.96.0.99'),
    // Calls are many: a Service of each number of endpoints, and of each way to keep them, stands for the others.
    ...vectors.serviceCalls(['asker1'], clusterIpsOf(topology).filter(({ name }) => /:http$|admin$|sticky$|fickle$/.test(name) && name !== 'default/web:admin')),
  ],
  intent: intentOf,
});
