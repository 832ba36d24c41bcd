import {
  defineScenario,
  intentOf,
  ovnKubernetes,
  podsOf,
  servicesOf,
  vectors,
  type TestVector,
} from '../../harness/index.js';
import { zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { readOvnKubernetesCluster } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';

export default defineScenario({
  name: 'ovn-kubernetes/network-policy',
  title: 'Who reaches whom on which port, where ovn-kubernetes has NetworkPolicies in ACLs',
  axes: { zones: { values: zoneLayouts, default: ['a-node'] } },
  topology: ({ zones }) => readOvnKubernetesCluster('network-policy', zones),
  controlPlane: ovnKubernetes(),
  vectors: (topology) => [
    ...vectors
      .podMatrix(topology, servicesOf(topology))
      .filter(({ id }) => /^(ping|tcp-8080|tcp-80|tcp-7|udp-7)\//.test(id)),
    ...podsOf(topology).map(
      ({ pod: { name: from } }): TestVector => ({
        id: `out/${from}/internet`,
        stimulus: { kind: 'udp', from, to: '8.8.8.8', port: 7 },
      }),
    ),
  ],
  intent: intentOf,
});
