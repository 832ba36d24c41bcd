import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { announcements, announcementTimes } from '../../topologies/ovn-kubernetes/announcements.js';
import { families, zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export default defineTimeline({
  name: 'ovn-kubernetes/announcements',
  title: 'Gateway routers make known by gratuitous ARP which addresses are at them',
  axes: {
    family: { values: families, default: ['ipv4', 'ipv6'] },
    zones: { values: zoneLayouts, default: ['one'] },
    times: { values: announcementTimes, default: ['first'] },
  },
  controlPlane: ovnKubernetes(),
  timeline: ({ family, zones, times }) => announcements(family, zones, times),
});
