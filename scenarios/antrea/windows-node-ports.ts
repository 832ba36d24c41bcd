import { antrea, defineScenario, intentOf, vectors } from '../../harness/index.js';
import { windowsNodePorts } from '../../topologies/antrea/windows-services.js';

export default defineScenario({
  name: 'antrea/windows-node-ports',
  title:
    'Ports of a Windows node for Services: kube-proxy ends every connection and opens one of ' +
    'its own, by antrea-gw0',
  axes: { mode: { values: ['encap', 'noEncap', 'hybrid'], default: ['encap', 'noEncap'] } },
  topology: ({ mode }) => windowsNodePorts(mode),
  controlPlane: antrea('1.3'),
  vectors: vectors.nodePorts,
  intent: intentOf,
});
