/**
 * A timeline by hand: gateway routers are given nobody's MAC address. x1, a host outside, sends
 * each an ARP reply that nobody has asked for, and they learn it; then it gets another network
 * card.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { stepsOfPlot, type Chapter } from './chapters.js';
import { ovnKubernetesCluster } from './ovn-kubernetes-cluster.js';
import type { OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';

const [x1, p1, p3] = ['172.30.255.1', 'p1', 'p3'];

export function neighbours(zones: ZoneLayout): Sequence {
  const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
  const first: OvnKubernetesTopology = {
    ...ovnKubernetesCluster(size, zones),
    hostsOutside: 'learned',
  };
  return {
    cluster: first,
    steps: stepsOfPlot(first, [
      ...announces('1-unknown', first),
      heard,
      ...outAndBack('2-learned'),
      { what: 'x1 has another network card', change: withOtherCard },
      ...announces('3-changed', withOtherCard(first)),
      heard,
      ...outAndBack('4-learned-again'),
    ]),
  };
}

const heard: Chapter = {
  what: 'the gateway routers have learned what x1 has said by now',
  change: (network) => network,
};

/** By both gateway routers, out and back. */
function outAndBack(when: string): readonly SequenceStep[] {
  return [p1, p3].flatMap((from) => [
    vector(`${when}/ping/${from}/${x1}`, { kind: 'ping', from, to: x1 }),
    vector(`${when}/tcp/${from}/${x1}`, { kind: 'tcp', from, to: x1, port: 7 }),
  ]);
}

function withOtherCard(network: OvnKubernetesTopology): OvnKubernetesTopology {
  const { externalHosts = [] } = network;
  return {
    ...network,
    externalHosts: externalHosts.map((host) => ({ ...host, mac: '0a:00:00:00:00:99' })),
  };
}

/** It says to each gateway router where it is. */
function announces(
  when: string,
  { nodes, gateways, externalHosts: [host] = [] }: OvnKubernetesTopology,
): readonly SequenceStep[] {
  const mac = host?.mac ?? '';
  return nodes.map(({ name, underlay: { mac: gateway } }) => {
    const tpa = gateways[name] ?? '';
    const payload = { kind: 'arp', op: 'reply', sha: mac, spa: x1, tha: gateway, tpa } as const;
    return vector(`${when}/says/x1/${tpa}`, {
      kind: 'frame',
      from: 'x1',
      what: `says to the gateway router of ${name} where it is`,
      frame: { src: mac, dst: gateway, payload },
    });
  });
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
