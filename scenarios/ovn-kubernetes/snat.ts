import {
  defineScenario,
  intentOf,
  ovnKubernetes,
  vectors,
  type TestVector,
} from '../../harness/index.js';
import { egressCluster } from '../../topologies/ovn-kubernetes/egress-cluster.js';
import {
  gatewayModes,
  zoneLayouts,
} from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export default defineScenario({
  name: 'ovn-kubernetes/snat',
  title: "Pods that leave the cluster, by their node's address or by an EgressIP",
  axes: {
    zones: { values: zoneLayouts, default: ['a-node'] },
    gateway: { values: gatewayModes, default: ['shared'] },
  },
  topology: ({ zones, gateway }) => egressCluster(zones, gateway),
  controlPlane: ovnKubernetes(),
  vectors: (topology) => [
    ...vectors
      .podToExternal(topology)
      .filter(({ id }) => /^(ping|udp|tcp)\/p\d+\/(x\d+|internet)$/.test(id)),
    ...(['ping', 'udp', 'tcp'] as const).map((kind): TestVector => {
      const sent = { from: 'p3', to: '9.9.9.9' };
      return {
        id: `nobody/p3/${kind}`,
        stimulus: kind === 'ping' ? { kind, ...sent } : { kind, ...sent, port: 7 },
      };
    }),
    ...vectors.podToPod(topology).filter(({ id }) => /^ping\/p[14]\//.test(id)),
  ],
  intent: intentOf,
});
