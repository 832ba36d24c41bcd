/**
 * A timeline by hand: gateway routers whose way out is a port of type localnet make their addresses
 * known by gratuitous ARP, and an EgressIP that moves to another node is made known there.
 */
import { announcementCopies } from '../../harness/domain/announcing.js';
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { stepsOfPlot, type Chapter } from './chapters.js';
import { ovnKubernetesCluster } from './ovn-kubernetes-cluster.js';
import type {
  AddressFamily,
  OvnKubernetesTopology,
  ZoneLayout,
} from './ovn-kubernetes-topology.js';
import { withWayOut } from './way-out.js';
import { withIpv6 } from './with-ipv6.js';

/** Which of the times an address is made known: the first, or every one, and no more. */
export const announcementTimes = ['first', 'every'] as const;
export type AnnouncementTimes = (typeof announcementTimes)[number];

const [x1, egress] = ['172.30.255.1', '172.30.129.1'];

export function announcements(
  family: AddressFamily,
  zones: ZoneLayout,
  times: AnnouncementTimes,
): Sequence {
  const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
  const first: OvnKubernetesTopology = {
    ...withIpv6(withWayOut(ovnKubernetesCluster(size, zones)), family),
    wayOut: 'localnet',
  };
  const last = times === 'first' ? 1 : announcementCopies + 1;
  const copies = Array.from({ length: last }, (_, index) => index + 1);
  return {
    cluster: first,
    steps: stepsOfPlot(first, [
      ...copies.flatMap((copy) => ['n1', 'n2'].map((node) => announced('1-first', node, copy))),
      ...(family === 'ipv4' ? egressMoves : []),
    ]),
  };
}

const egressMoves: readonly Chapter[] = [
  { what: 'n1 has the EgressIP of p1', change: (network) => withEgressAt(network, 'n1') },
  announced('2-at-n1', 'n1', 1, egress),
  vector('2-at-n1/ping/p1', { kind: 'ping', from: 'p1', to: x1 }),
  { what: 'n2 has the EgressIP of p1', change: (network) => withEgressAt(network, 'n2') },
  announced('3-at-n2', 'n2', 1, egress),
  announced('3-at-n2', 'n1', 2, egress),
  vector('3-at-n2/ping/p1', { kind: 'ping', from: 'p1', to: x1 }),
];

function withEgressAt(network: OvnKubernetesTopology, node: string): OvnKubernetesTopology {
  return { ...network, egressIps: [{ name: 'moving', ip: egress, node, pods: ['p1'] }] };
}

function announced(when: string, from: string, copy: number, address?: string): SequenceStep {
  return vector(`${when}/announces/${from}/${copy}`, {
    kind: 'announcement',
    from,
    copy,
    ...(address === undefined ? {} : { address }),
  });
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
