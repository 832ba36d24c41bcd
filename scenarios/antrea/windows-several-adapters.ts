import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { severalAdapters } from '../../topologies/antrea/mixed-cluster.js';

export default defineScenario({
  name: 'antrea/windows-several-adapters',
  title:
    'A Windows node with two adapters: what leaves by the one that is not the uplink never ' +
    "enters the switch again, and has that one's address",
  axes: {},
  topology: severalAdapters,
  controlPlane: antrea('1.3'),
  vectors: (topology) => [...vectors.podToExternal(topology), ...vectors.nodeEgress(topology)],
  intent: intentOf,
});
