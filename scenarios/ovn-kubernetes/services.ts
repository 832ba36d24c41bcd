import {
  clusterIpsOf,
  defineScenario,
  intentOf,
  ovnKubernetes,
  vectors,
  type TestVector,
} from '../../harness/index.js';
import { zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { readOvnKubernetesCluster } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';

export default defineScenario({
  name: 'ovn-kubernetes/services',
  title:
    'Services in load balancers of OVN: who answers for a ClusterIP, a port of a node or a load ' +
    'balancer, and who is seen as the sender',
  axes: { zones: { values: zoneLayouts, default: ['one'] } },
  topology: ({ zones }) => readOvnKubernetesCluster('services', zones, ['n1', 'n2']),
  controlPlane: ovnKubernetes(),
  vectors: (topology) => {
    const services = clusterIpsOf(topology);
    const called = (names: RegExp) => services.filter(({ name }) => names.test(name));
    const byNode = (from: string, names: RegExp) =>
      vectors
        .externalAccess(topology, [from], called(names))
        .filter(({ id }) => id.startsWith('node-port/'));
    return [
      ...vectors
        .serviceMatrix(topology, services)
        // web2 asks for itself, too.
        .filter(({ stimulus: { from } }) => from === 'asker1' || from === 'web2'),
      ...vectors.noService(topology, services, '10.96.0.99').slice(0, 3),
      ...vectors.serviceCalls(['asker1'], called(/web$|sticky$/)),
      ...byNode('x1', /web$|near$|deserted:tcp$/),
      ...byNode('asker1', /web$|near$/),
      ...byNode('n2', /web$/),
      ...vectors.externalAccess(topology, ['x1', 'asker1'], called(/sticky$/)),
      ...(['ping', 'tcp'] as const).map(
        (kind): TestVector => ({
          id: `out/${kind}/asker1/internet`,
          stimulus:
            kind === 'ping'
              ? { kind, from: 'asker1', to: '8.8.8.8' }
              : { kind, from: 'asker1', to: '8.8.8.8', port: 7 },
        }),
      ),
    ].map(patient);
  },
  intent: intentOf,
});

/**
 * The packet by which OVN learns whom a client keeps goes no further (northd, "commit_lb_aff"): it
 * takes a second one.
 */
function patient(vector: TestVector): TestVector {
  const { id, stimulus } = vector;
  if (stimulus.kind !== 'tcp' || !id.endsWith('/sticky')) return vector;
  const { transmissions: _, ...patiently } = stimulus;
  return { id, stimulus: patiently };
}
