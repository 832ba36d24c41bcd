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
    ...toNobody('p1'),
    ...(topology.gatewayMode === 'local' ? [] : toNobody('p3')),
    ...vectors.podToPod(topology).filter(({ id }) => /^ping\/p[14]\//.test(id)),
  ],
  intent: intentOf,
});

/** By the default route, to an address that no network has. */
function toNobody(from: string): readonly TestVector[] {
  const sent = { from, to: '9.9.9.9' };
  return [
    { id: `nobody/${from}/ping`, stimulus: { kind: 'ping', ...sent } },
    { id: `nobody/${from}/udp`, stimulus: { kind: 'udp', ...sent, port: 7 } },
    { id: `nobody/${from}/tcp`, stimulus: { kind: 'tcp', ...sent, port: 7 } },
  ];
}
