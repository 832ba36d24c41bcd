import { contrail, defineTimeline } from '../../harness/index.js';
import { containerLife } from '../../topologies/contrail/container-life.js';

export default defineTimeline({
  name: 'contrail/containers',
  title:
    'A container comes to a hypervisor and goes: nothing of it passes until the agent has ' +
    'added its port',
  axes: {
    overlay: { values: ['vxlan', 'mpls-over-gre'], default: ['vxlan'] },
  },
  controlPlane: contrail(),
  timeline: ({ overlay }) => containerLife(overlay),
});
