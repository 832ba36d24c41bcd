import { contrail, defineTimeline } from '../../harness/index.js';
import { endsAfterEachStep } from '../../topologies/contrail/ended-plugins.js';

export default defineTimeline({
  name: 'contrail/crashes',
  title:
    'The plugin ends after each of the 13 steps of creating a container, or the switch does: ' +
    'nothing passes too early, and nothing stays behind',
  axes: {
    overlay: { values: ['vxlan', 'mpls-over-gre'], default: ['vxlan'] },
  },
  controlPlane: contrail(),
  timeline: ({ overlay }) => endsAfterEachStep(overlay),
});
