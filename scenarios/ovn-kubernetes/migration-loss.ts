import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { migrationLoss, orders } from '../../topologies/ovn-kubernetes/migration-loss.js';
import { zoneLayouts } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export default defineTimeline({
  name: 'ovn-kubernetes/migration-loss',
  title: 'How many datagrams are lost while a machine of KubeVirt migrates, by the order of events',
  axes: {
    order: { values: orders, default: ['guest-said-ends'] },
    zones: { values: zoneLayouts, default: ['one'] },
  },
  controlPlane: ovnKubernetes(),
  timeline: ({ order, zones }) => migrationLoss(order, zones),
});
