import { antrea, defineTimeline } from '../../harness/index.js';
import { nodesRestart } from '../../topologies/antrea/node-restarts.js';

export default defineTimeline({
  name: 'antrea/node-restarts',
  title: 'Nodes restart whole, while connections stand that were opened before',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  controlPlane: antrea('0.8'),
  timeline: ({ tunnel }) => nodesRestart(tunnel),
});
