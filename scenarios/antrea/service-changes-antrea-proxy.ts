import { antrea, defineTimeline } from '../../harness/index.js';
import { servicesComeAndGo } from '../../topologies/antrea/service-changes.js';

export default defineTimeline({
  name: 'antrea/service-changes-antrea-proxy',
  title:
    'Services and their endpoints come and go, an agent and a switch restart, while clients ' +
    'ask and connections stand: ClusterIPs in the switch',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  controlPlane: antrea('1.3'),
  timeline: ({ tunnel }) => servicesComeAndGo(tunnel),
});
