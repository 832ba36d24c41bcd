/**
 * A timeline by hand: gateway routers are given nobody's MAC address. What goes to x1, a host
 * outside, waits in ovn-controller until x1 has answered who it is, and continues by itself.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { besideIpv4 } from '../../harness/domain/dual-stack.js';
import { stepsOfPlot, type Chapter } from './chapters.js';
import { ovnKubernetesCluster } from './ovn-kubernetes-cluster.js';
import { withWayOut } from './way-out.js';
import { withIpv6 } from './with-ipv6.js';
import type {
  AddressFamily,
  OvnKubernetesTopology,
  ZoneLayout,
} from './ovn-kubernetes-topology.js';

const x1 = '172.30.255.1';

export function waiting(family: AddressFamily, zones: ZoneLayout): Sequence {
  const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
  const network = withIpv6(withWayOut(ovnKubernetesCluster(size, zones)), family);
  const first: OvnKubernetesTopology = {
    ...network,
    hostsOutside: 'learned',
    knownOutside: {},
  };
  const plot = [
    ...addressesOf(first, family).flatMap((to) => untilKnown('n1', 'p1', to)),
    ...addressesOf(first, family).flatMap((to) => untilKnown('n2', 'p3', to)),
  ];
  return { cluster: first, steps: stepsOfPlot(first, plot) };
}

/** Each is learned by itself, so that one is known while the other one is not. */
function addressesOf({ ipv6 = {} }: OvnKubernetesTopology, family: AddressFamily) {
  if (family === 'ipv4') return [x1];
  const beside = besideIpv4(ipv6, x1);
  return family === 'ipv6' ? [beside] : [x1, beside];
}

/** The first ping of a pod makes its gateway router ask. */
function untilKnown(node: string, from: string, to: string): readonly Chapter[] {
  const ping = { kind: 'ping', from, to } as const;
  return [
    vector(`${node}/1-waits/ping/${from}/${to}`, ping),
    {
      what: `the gateway router of ${node} has learned ${to}`,
      change: (now) => knows(now, node, to),
    },
    vector(`${node}/2-continues/ping/${from}/${to}`, { ...ping, waited: true }),
    vector(`${node}/3-known/ping/${from}/${to}`, ping),
    vector(`${node}/3-known/tcp/${from}/${to}`, { kind: 'tcp', from, to, port: 7 }),
  ];
}

function knows(network: OvnKubernetesTopology, node: string, to: string): OvnKubernetesTopology {
  const { knownOutside = {} } = network;
  return {
    ...network,
    knownOutside: { ...knownOutside, [node]: [...(knownOutside[node] ?? []), to] },
  };
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
