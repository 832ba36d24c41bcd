import { antrea, clusterIpsOf, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { servicesCluster } from '../../topologies/antrea/services.js';

export default defineScenario({
  name: 'antrea/services-kube-proxy',
  title:
    'Services on the node, by kube-proxy: who answers for a ClusterIP, a port of a node or a ' +
    'load balancer, and who is seen as the sender',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  topology: ({ tunnel }) => servicesCluster(tunnel),
  controlPlane: antrea('0.8'),
  vectors: (topology) => {
    const services = clusterIpsOf(topology);
    const called = (names: RegExp) => services.filter(({ name }) => names.test(name));
    return [
      ...vectors.serviceMatrix(topology, services),
      ...vectors.noService(topology, services, '10.96.0.99'),
      // Calls are many: a Service of each number of endpoints, and of each way to keep them, stands
      // for the others.
      ...vectors.serviceCalls(['asker1'], called(/web:http$|admin$|sticky$|fickle$/)),
      ...vectors.externalAccess(topology, ['x1', 'asker1', 'n2'], services),
      ...vectors.externalAccess(topology, ['x2'], called(/sticky$|lonely$|outside$/)),
      ...vectors.externalAccess(topology, ['picky'], called(/web:http$|lonely$/)),
      ...topology.nodes
        .slice(1)
        .flatMap((node) => vectors.externalCalls('x1', node, called(/\/admin$|sticky$/))),
    ];
  },
  intent: intentOf,
});
