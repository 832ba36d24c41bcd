import { defineTimeline, ovnCni } from '../../harness/index.js';
import { churnOf } from '../../topologies/ovn-cni/churn.js';

export default defineTimeline({
  name: 'ovn-cni/churn',
  title: 'Pods come and go in random order on three nodes while policies change',
  axes: { pods: { values: ['16', '200'], default: ['16'] } },
  controlPlane: ovnCni(),
  timeline: ({ pods }) => churnOf(Number(pods)),
});
