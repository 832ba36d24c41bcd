import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { liveMigration, stories } from '../../topologies/ovn-kubernetes/live-migration.js';

export default defineTimeline({
  name: 'ovn-kubernetes/live-migration',
  title: 'A machine of KubeVirt migrates with its address, while others talk to it',
  axes: {
    story: { values: stories, default: ['there-and-back'] },
    nodes: { values: ['2', '3', '5'], default: ['2'] },
  },
  controlPlane: ovnKubernetes(),
  timeline: ({ story, nodes }) => liveMigration(story, Number(nodes)),
});
