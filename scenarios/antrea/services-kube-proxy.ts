import { antrea, clusterIpsOf, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { servicesCluster } from '../../topologies/services.js';

export default defineScenario({
  name: 'antrea/services-kube-proxy',
  title: 'Services on the node, by kube-proxy: who answers for a ClusterIP, and who is seen as the sender',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  topology: ({ tunnel }) => servicesCluster(tunnel),
  controlPlane: antrea('0.8'),
  vectors: (topology) => [
    ...vectors.serviceMatrix(topology, clusterIpsOf(topology)),
    ...vectors.noService(topology, clusterIpsOf(topology), '10.96.0.99'),
    // Calls are many: a Service of each number of endpoints, and of each way to keep them, stands for the others.
    ...vectors.serviceCalls(['asker1'], clusterIpsOf(topology).filter(({ name }) => /:http$|admin$|sticky$|fickle$/.test(name) && name !== 'default/web:admin')),
  ],
  intent: intentOf,
});
