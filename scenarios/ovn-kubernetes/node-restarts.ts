import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { nodesRestart } from '../../topologies/ovn-kubernetes/node-restarts.js';
import { zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export default defineTimeline({
  name: 'ovn-kubernetes/node-restarts',
  title: 'Chassis restart whole and find themselves again, while connections stand',
  axes: { zones: { values: zoneLayouts, default: ['one'] } },
  controlPlane: ovnKubernetes(),
  timeline: ({ zones }) => nodesRestart(zones),
});
