import { contrail, defineTimeline } from '../../harness/index.js';
import { raceOf } from '../../topologies/contrail/races.js';

export default defineTimeline({
  name: 'contrail/races',
  title:
    'The adapter is connected before its port is added, or after: nothing passes until both ' +
    'are there',
  axes: {
    first: { values: ['interface', 'add-port'], default: ['interface', 'add-port'] },
    overlay: { values: ['vxlan', 'mpls-over-gre'], default: ['vxlan'] },
  },
  controlPlane: contrail(),
  timeline: ({ first, overlay }) => raceOf(first, overlay),
});
