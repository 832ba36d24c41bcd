import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { neighbours } from '../../topologies/ovn-kubernetes/neighbours.js';
import { families, zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export default defineTimeline({
  name: 'ovn-kubernetes/neighbours',
  title: 'Gateway routers learn the MAC address of a host outside from what it says',
  axes: {
    family: { values: families, default: ['ipv4'] },
    zones: { values: zoneLayouts, default: zoneLayouts },
  },
  controlPlane: ovnKubernetes(),
  timeline: ({ family, zones }) => neighbours(family, zones),
});
