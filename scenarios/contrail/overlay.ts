import { contrail, defineScenario, intentOf } from '../../harness/index.js';
import {
  betweenHypervisors,
  overlayVectors,
} from '../../topologies/contrail/between-hypervisors.js';
import { overlays } from '../../topologies/contrail/contrail-cluster.js';

export default defineScenario({
  name: 'contrail/overlay',
  title:
    'Containers of several hypervisors reach each other through the overlay, whatever carries ' +
    'it, and no other network comes out of it',
  axes: {
    overlay: { values: overlays, default: ['vxlan', 'mpls-over-gre'] },
    hypervisors: { values: ['2', '3'], default: ['3'] },
  },
  topology: ({ overlay, hypervisors }) => betweenHypervisors(Number(hypervisors), overlay),
  controlPlane: contrail(),
  vectors: overlayVectors,
  intent: intentOf,
});
