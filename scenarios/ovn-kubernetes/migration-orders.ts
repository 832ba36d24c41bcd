import { defineTimeline, ovnKubernetes } from '../../harness/index.js';
import { hearingOrders, migrationOrder } from '../../topologies/ovn-kubernetes/migration-orders.js';

export default defineTimeline({
  name: 'ovn-kubernetes/migration-orders',
  title: 'A machine of KubeVirt migrates, and interconnected zones learn of it in every order',
  axes: { order: { values: hearingOrders, default: ['g12e'] } },
  controlPlane: ovnKubernetes(),
  timeline: ({ order }) => migrationOrder(order),
});
