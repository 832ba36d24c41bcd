import { defineTimeline, ovnCni } from '../../harness/index.js';
import { orders, racesOf } from '../../topologies/ovn-cni/races.js';

export default defineTimeline({
  name: 'ovn-cni/races',
  title: 'Pods, policies, labels and addresses come and go: no port is open that a policy closes',
  axes: { order: { values: orders, default: ['abpnsr'] } },
  controlPlane: ovnCni(),
  timeline: ({ order }) => racesOf(order),
});
