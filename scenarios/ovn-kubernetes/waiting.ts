import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { families, zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { waiting } from '../../topologies/ovn-kubernetes/waiting.js';

export default defineTimeline({
  name: 'ovn-kubernetes/waiting',
  title: 'What goes to a host outside waits until its gateway router has learned who that is',
  axes: {
    family: { values: families, default: ['ipv4', 'ipv6'] },
    zones: { values: zoneLayouts, default: ['one'] },
  },
  controlPlane: ovnKubernetes(),
  timeline: ({ family, zones }) => waiting(family, zones),
});
