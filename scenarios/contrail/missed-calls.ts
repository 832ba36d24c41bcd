import { contrail, defineTimeline } from '../../harness/index.js';
import { missedCalls } from '../../topologies/contrail/missed-calls.js';

export default defineTimeline({
  name: 'contrail/missed-calls',
  title:
    'The plugin misses a removal, or the agent loses its ports: the next container that is run ' +
    'has the plugin compare, and nothing is left over or missing',
  axes: {
    overlay: { values: ['vxlan', 'mpls-over-gre'], default: ['vxlan'] },
  },
  controlPlane: contrail(),
  timeline: ({ overlay }) => missedCalls(overlay),
});
