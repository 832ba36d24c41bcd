import { podsOf, type Topology } from '../domain/topology.js';
import type { TestVector } from '../domain/test-vector.js';
import { firstPods, orderedPairs } from './targets.js';

/** Every ordered pair of pods by ICMP echo and by UDP: `ping/p1/p4`, `udp/p1/p4`. */
export function podToPod(topology: Topology): readonly TestVector[] {
  return orderedPairs(podsOf(topology)).flatMap(([from, to]) => pingAndUdp(from.pod, to.pod));
}

/** Every pod to the gateway of its node: `ping/p1/n1`, `udp/p1/n1`. */
export function podToGateway(topology: Topology): readonly TestVector[] {
  return podsOf(topology).flatMap(({ pod, node }) =>
    pingAndUdp(pod, { name: node.name, ip: node.gateway.ip }),
  );
}

/** Every node, through its gateway, to every pod: `ping/n1/p4`. */
export function nodeToPod(topology: Topology): readonly TestVector[] {
  return topology.nodes.flatMap((node) => podsOf(topology).map(({ pod }) => ping(node, pod)));
}

/** The first pod of a node to the first pod of the next with TTL 1, 2 and 3: `ttl-1/p1/p4`. */
export function ttlAcrossNodes(topology: Topology): readonly TestVector[] {
  const pods = firstPods(topology).map(({ pod }) => pod);
  return pods.flatMap((from, index) => {
    const to = pods[(index + 1) % pods.length];
    return to === undefined || to === from
      ? []
      : [1, 2, 3].map(
          (ttl): TestVector => ({
            id: `ttl-${ttl}/${from.name}/${to.name}`,
            stimulus: { kind: 'ping', from: from.name, to: to.ip, ttl },
          }),
        );
  });
}

interface Named {
  readonly name: string;
}
interface Addressed extends Named {
  readonly ip: string;
}

function pingAndUdp(from: Named, to: Addressed): readonly TestVector[] {
  return [
    ping(from, to),
    {
      id: `udp/${from.name}/${to.name}`,
      stimulus: { kind: 'udp', from: from.name, to: to.ip, port: 7 },
    },
  ];
}

function ping(from: Named, to: Addressed): TestVector {
  return {
    id: `ping/${from.name}/${to.name}`,
    stimulus: { kind: 'ping', from: from.name, to: to.ip },
  };
}
