import { contrail, defineTimeline } from '../../harness/index.js';
import { networksComeAndGo } from '../../topologies/contrail/networks.js';

export default defineTimeline({
  name: 'contrail/networks',
  title:
    'Networks of two tenants come to hypervisors with their first containers: subnets of one ' +
    'network are routed, others are not',
  axes: {
    overlay: { values: ['vxlan', 'mpls-over-gre'], default: ['vxlan'] },
  },
  controlPlane: contrail(),
  timeline: ({ overlay }) => networksComeAndGo(overlay),
});
