import {
  defineScenario,
  ovnCni,
  ovnCniIntentOf,
  servicesOf,
  vectors,
} from '../../harness/index.js';
import { shop } from '../../topologies/ovn-cni/shop.js';

export default defineScenario({
  name: 'ovn-cni/policies',
  title: 'Who reaches whom where namespaces are isolated, where they are not, and by policies',
  axes: {},
  topology: () => shop(),
  controlPlane: ovnCni(),
  vectors: (topology) => [
    ...vectors.podToPod(topology),
    ...vectors.podMatrix(topology, servicesOf(topology)),
  ],
  intent: ovnCniIntentOf,
});
