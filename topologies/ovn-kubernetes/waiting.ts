/**
 * A timeline by hand: gateway routers are given nobody's MAC address. What goes to x1, a host
 * outside, waits in ovn-controller until x1 has answered who it is, and continues by itself.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { stepsOfPlot, type Chapter } from './chapters.js';
import { inFamily } from './in-family.js';
import { ovnKubernetesCluster } from './ovn-kubernetes-cluster.js';
import { withIpv6 } from './with-ipv6.js';
import type { OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';

const x1 = '172.30.255.1';

export function waiting(family: 'ipv4' | 'ipv6', zones: ZoneLayout): Sequence {
  const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
  const network = withIpv6(ovnKubernetesCluster(size, zones), family);
  const first: OvnKubernetesTopology = {
    ...network,
    hostsOutside: 'learned',
    knownOutside: {},
  };
  const plot = [...untilKnown('n1', 'p1'), ...untilKnown('n2', 'p3')];
  return {
    cluster: first,
    steps: stepsOfPlot(
      first,
      plot.flatMap((chapter) => inFamily(first, family, chapter)),
    ),
  };
}

/** The first ping of a pod makes its gateway router ask. */
function untilKnown(node: string, from: string): readonly Chapter[] {
  const ping = { kind: 'ping', from, to: x1 } as const;
  return [
    vector(`${node}/1-waits/ping/${from}/${x1}`, ping),
    { what: `the gateway router of ${node} has learned x1`, change: (now) => knows(now, node) },
    vector(`${node}/2-continues/ping/${from}/${x1}`, { ...ping, waited: true }),
    vector(`${node}/3-known/ping/${from}/${x1}`, ping),
    vector(`${node}/3-known/tcp/${from}/${x1}`, { kind: 'tcp', from, to: x1, port: 7 }),
  ];
}

function knows(network: OvnKubernetesTopology, node: string): OvnKubernetesTopology {
  return { ...network, knownOutside: { ...network.knownOutside, [node]: ['x1'] } };
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
