import { antrea, defineTimeline } from '../../harness/index.js';
import { windowsEndpointsChange } from '../../topologies/antrea/windows-endpoints.js';

export default defineTimeline({
  name: 'antrea/windows-endpoints',
  title:
    'Connections through kube-proxy on a Windows node while endpoints come, go and die, and ' +
    'policies keep some from it',
  axes: { mode: { values: ['encap', 'noEncap', 'hybrid'], default: ['encap', 'noEncap'] } },
  controlPlane: antrea('1.3'),
  timeline: ({ mode }) => windowsEndpointsChange(mode),
});
