import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { liveMigration, stories } from '../../topologies/ovn-kubernetes/live-migration.js';
import { families, zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export default defineTimeline({
  name: 'ovn-kubernetes/live-migration',
  title: 'A machine of KubeVirt migrates with its address, while others talk to it',
  axes: {
    story: { values: stories, default: ['there-and-back'] },
    zones: { values: zoneLayouts, default: zoneLayouts },
    nodes: { values: ['2', '3', '5'], default: ['2'] },
    family: { values: families, default: ['ipv4'] },
  },
  controlPlane: ovnKubernetes(),
  timeline: ({ story, zones, nodes, family }) => liveMigration(story, Number(nodes), zones, family),
});
