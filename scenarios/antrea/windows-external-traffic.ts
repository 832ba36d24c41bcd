import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { mixedCluster } from '../../topologies/antrea/mixed-cluster.js';

export default defineScenario({
  name: 'antrea/windows-external-traffic',
  title:
    'Pods of Windows (W) and Linux (L) nodes to hosts outside, by antrea-gw0, NetNat, LOCAL ' +
    "and the uplink, and the nodes' own traffic",
  axes: {
    mode: { values: ['encap', 'noEncap'], default: ['encap', 'noEncap'] },
    nodes: { values: ['WL', 'WW', 'W'], default: ['WL'] },
  },
  topology: ({ mode, nodes }) =>
    mixedCluster({ nodes, podsPerNode: 1, mode, tunnel: 'geneve', externalHosts: 1 }),
  controlPlane: antrea('1.3'),
  vectors: (topology) => [
    ...vectors.podToExternal(topology),
    ...vectors.podToExternalLater(topology),
    ...vectors.nodeToExternal(topology),
    ...vectors.hostToHost(topology),
  ],
  intent: intentOf,
});
