import { antrea, defineTimeline } from '../../harness/index.js';
import { servicesComeAndGo } from '../../topologies/antrea/service-changes.js';

export default defineTimeline({
  name: 'antrea/service-changes-kube-proxy',
  title:
    'Services and their endpoints come and go, an agent and a switch restart, while clients ' +
    'ask and connections stand: ClusterIPs by kube-proxy on the node',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  controlPlane: antrea('0.8'),
  timeline: ({ tunnel }) => servicesComeAndGo(tunnel),
});
