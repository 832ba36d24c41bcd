import { antrea, defineScenario, intentOf, servicesOf, vectors } from '../../harness/index.js';
import { windowsPolicies } from '../../topologies/antrea/windows-policies.js';

export default defineScenario({
  name: 'antrea/windows-truth-table',
  title:
    'Every cell of the truth table of Windows and Linux nodes under many policies, in ' +
    'tunnels, without, and on two networks, in batches',
  axes: {
    mode: { values: ['encap', 'noEncap', 'hybrid'], default: ['encap', 'noEncap', 'hybrid'] },
    policies: { values: ['1', '2', '3'], default: ['1'] },
  },
  topology: ({ mode, policies }) => windowsPolicies(Number(policies), mode),
  controlPlane: antrea('1.3'),
  vectors: (topology) => {
    const services = servicesOf(topology);
    return vectors.batched(
      vectors.coldPassOnly([
        ...vectors.podMatrix(topology, services),
        ...vectors.nodeMatrix(topology, services),
      ]),
    );
  },
  intent: intentOf,
});
