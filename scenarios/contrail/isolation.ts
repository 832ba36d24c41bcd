import { contrail, defineScenario, intentOf } from '../../harness/index.js';
import { everybody, isolationVectors } from '../../topologies/contrail/isolation.js';

export default defineScenario({
  name: 'contrail/isolation',
  title:
    "Containers of two tenants with the same addresses: everybody's own network alone is within " +
    'reach, and nobody claims what is not its own',
  axes: {
    hypervisors: { values: ['1', '2', '3'], default: ['2'] },
    overlay: { values: ['vxlan', 'mpls-over-gre'], default: ['vxlan'] },
  },
  topology: ({ hypervisors, overlay }) => everybody(Number(hypervisors), overlay),
  controlPlane: contrail(),
  vectors: isolationVectors,
  intent: intentOf,
});
