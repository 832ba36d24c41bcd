import {
  defineScenario,
  ovnCni,
  ovnCniIntentOf,
  servicesOf,
  vectors,
} from '../../harness/index.js';
import { shopWithEgress } from '../../topologies/ovn-cni/shop.js';

export default defineScenario({
  name: 'ovn-cni/egress',
  title: 'Policies about what goes out, enforced or not, and blocks with exceptions',
  axes: {
    enforced: { values: ['ingress', 'ingress and egress'], default: ['ingress and egress'] },
  },
  topology: ({ enforced }) => shopWithEgress(enforced),
  controlPlane: ovnCni(),
  vectors: (topology) => [
    ...vectors.podToPod(topology),
    ...vectors
      .podMatrix(topology, servicesOf(topology))
      .filter(({ id }) => id.startsWith('tcp-5432/')),
  ],
  intent: ovnCniIntentOf,
});
