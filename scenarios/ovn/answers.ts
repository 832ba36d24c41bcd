import {
  defineScenario,
  ovn,
  ovnAnswersIntent,
  podsOf,
  vectors,
  type TestVector,
} from '../../harness/index.js';
import { answeringCluster } from '../../topologies/ovn/answering-cluster.js';

export default defineScenario({
  name: 'ovn/answers',
  title: 'What ovn-controller answers by itself: errors of routers, and what ACLs reject',
  axes: {},
  topology: answeringCluster,
  controlPlane: ovn(),
  vectors: (topology) => {
    const [first, second, third] = podsOf(topology).map(({ pod }) => pod);
    if (first === undefined || second === undefined || third === undefined) return [];
    const port = topology.answers?.rejectedPort ?? 0;
    return [
      ...[second, third].flatMap((to): readonly TestVector[] => [
        {
          id: `ttl-1/${first.name}/${to.name}`,
          stimulus: { kind: 'ping', from: first.name, to: to.ip, ttl: 1 },
        },
        {
          id: `reject-udp/${first.name}/${to.name}`,
          stimulus: { kind: 'udp', from: first.name, to: to.ip, port },
        },
        {
          id: `reject-tcp/${first.name}/${to.name}`,
          stimulus: { kind: 'probe', from: first.name, to: to.ip, port, transmissions: 2 },
        },
      ]),
      ...vectors.podToPod(topology).slice(0, 4),
    ];
  },
  intent: ovnAnswersIntent,
});
