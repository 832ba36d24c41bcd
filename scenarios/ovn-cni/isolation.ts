import { defineTimeline, ovnCni } from '../../harness/index.js';
import { isolationChanges } from '../../topologies/ovn-cni/isolation.js';

export default defineTimeline({
  name: 'ovn-cni/isolation',
  title: 'Isolation of a namespace is switched on and off while pods talk',
  axes: {},
  controlPlane: ovnCni(),
  timeline: () => isolationChanges,
});
