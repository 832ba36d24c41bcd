import { antrea, defineTimeline } from '../../harness/index.js';
import { windowsNodesChange } from '../../topologies/antrea/windows-nodes.js';

export default defineTimeline({
  name: 'antrea/windows-nodes',
  title:
    'A node joins a Windows node and leaves it: flows and routes come and go, and nothing ' +
    'stays behind',
  axes: {
    mode: { values: ['encap', 'noEncap', 'hybrid'], default: ['encap', 'noEncap'] },
    system: { values: ['windows', 'linux'], default: ['windows'] },
  },
  controlPlane: antrea('1.3'),
  timeline: ({ mode, system }) => windowsNodesChange(mode, system),
});
