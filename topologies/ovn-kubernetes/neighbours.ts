/**
 * A timeline by hand: gateway routers are given nobody's MAC address. x1, a host outside, sends
 * each an ARP reply, or a neighbour advertisement, that nobody has asked for, and they learn it;
 * then it gets another network card.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { PayloadSpec, Stimulus } from '../../harness/domain/test-vector.js';
import { stepsOfPlot, type Chapter } from './chapters.js';
import { inFamily } from './in-family.js';
import { ovnKubernetesCluster } from './ovn-kubernetes-cluster.js';
import type {
  AddressFamily,
  OvnKubernetesTopology,
  ZoneLayout,
} from './ovn-kubernetes-topology.js';
import { withWayOut } from './way-out.js';
import { withIpv6 } from './with-ipv6.js';

const [x1, p1, p3] = ['172.30.255.1', 'p1', 'p3'];

export function neighbours(family: AddressFamily, zones: ZoneLayout): Sequence {
  const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
  const first: OvnKubernetesTopology = {
    ...withIpv6(withWayOut(ovnKubernetesCluster(size, zones)), family),
    hostsOutside: 'learned',
  };
  return {
    cluster: first,
    steps: stepsOfPlot(first, [
      ...announces('1-unknown', first, family),
      heard,
      ...outAndBack('2-learned').flatMap((step) => inFamily(first, family, step)),
      { what: 'x1 has another network card', change: withOtherCard },
      ...announces('3-changed', withOtherCard(first), family),
      heard,
      ...outAndBack('4-learned-again').flatMap((step) => inFamily(first, family, step)),
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
    externalHosts: externalHosts.map((host) =>
      host.ip === x1 ? { ...host, mac: '0a:00:00:00:00:99' } : host,
    ),
  };
}

/** It says to each gateway router where it is, by each of its addresses. */
function announces(
  when: string,
  { nodes, gateways, externalHosts: [host] = [], ipv6 = {} }: OvnKubernetesTopology,
  family: AddressFamily,
): readonly SequenceStep[] {
  const mac = host?.mac ?? '';
  return nodes.flatMap(({ name, underlay: { mac: gateway } }) => {
    const tpa = gateways[name] ?? '';
    const arp = { kind: 'arp', op: 'reply', sha: mac, spa: x1, tha: gateway, tpa } as const;
    const dst = ipv6[tpa] ?? '';
    const advertisement = {
      kind: 'neighbour-advertisement',
      target: ipv6[x1] ?? '',
      mac,
      dst,
    } as const;
    const says = (to: string, payload: PayloadSpec): SequenceStep =>
      vector(`${when}/says/x1/${to}`, {
        kind: 'frame',
        from: 'x1',
        what: `says to the gateway router of ${name} where it is`,
        frame: { src: mac, dst: gateway, payload },
      });
    return [
      ...(family === 'ipv6' ? [] : [says(tpa, arp)]),
      ...(family === 'ipv4' ? [] : [says(dst, advertisement)]),
    ];
  });
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
