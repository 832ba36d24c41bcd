import { antrea, defineTimeline } from '../../harness/index.js';
import { policyComesAndGoes } from '../../topologies/antrea/changes.js';

export default defineTimeline({
  name: 'antrea/changes',
  title:
    'Policies, pods and a node come and go, an agent and a switch restart, while packets go ' +
    'through',
  axes: { tunnel: { values: ['geneve', 'vxlan', 'gre'], default: ['geneve'] } },
  controlPlane: antrea('0.8'),
  timeline: ({ tunnel }) => policyComesAndGoes(tunnel),
});
