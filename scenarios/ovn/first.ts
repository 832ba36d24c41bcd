import { defineScenario, intentOf, ovn, podsOf, vectors } from '../../harness/index.js';
import { ovnCluster } from '../../topologies/ovn/ovn-cluster.js';

export default defineScenario({
  name: 'ovn/first',
  title: 'Pods on logical switches with one logical router, as OVN compiles them',
  axes: {
    nodes: { values: ['2', '3', '5', '10'], default: ['2'] },
  },
  topology: ({ nodes }) => ovnCluster({ nodes: Number(nodes), podsPerNode: 2 }),
  controlPlane: ovn(),
  vectors: (topology) => {
    const pods = new Set(podsOf(topology).map(({ pod }) => pod.name));
    return [
      ...vectors.podToPod(topology),
      ...vectors.podToPodTcp(topology),
      ...vectors.arpNeighbours(topology),
      ...vectors.spoofedIp(topology),
      ...vectors.spoofedArp(topology).filter(({ stimulus }) => pods.has(stimulus.from)),
    ];
  },
  intent: intentOf,
});
