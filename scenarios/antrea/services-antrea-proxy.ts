import { antrea, defineScenario } from '../../harness/index.js';
import servicesKubeProxy from './services-kube-proxy.js';

/** The same by another version, whose switch does what it can of it. */
export default defineScenario({
  ...servicesKubeProxy,
  name: 'antrea/services-antrea-proxy',
  title:
    'Services in the switch, and from outside by kube-proxy: who answers for a ClusterIP, a ' +
    'port of a node or a load balancer, and who is seen as the sender',
  controlPlane: antrea('1.3'),
});
