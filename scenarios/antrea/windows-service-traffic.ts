import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { windowsServices } from '../../topologies/antrea/windows-services.js';

export default defineScenario({
  name: 'antrea/windows-service-traffic',
  title:
    'ClusterIPs from a pod and from the host of a Windows node, hop by hop: endpoints in the ' +
    "cluster, in another node's host network, outside",
  axes: {
    mode: { values: ['encap', 'noEncap'], default: ['encap', 'noEncap'] },
    other: { values: ['linux', 'windows'], default: ['linux'] },
  },
  topology: ({ mode, other }) => windowsServices(mode, other),
  controlPlane: antrea('1.3'),
  vectors: vectors.serviceWalkthroughs,
  intent: intentOf,
});
