/** What timelines of machines that migrate are made of: events, and what is sent in between. */
import type { SequenceStep } from '../../harness/domain/timeline.js';
import { domainIsAt, guestMoves, launcherComes } from './machine-events.js';
import { ovnKubernetesCluster, ovnMacOf } from './ovn-kubernetes-cluster.js';
import type { OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';
import { withWayOut } from './way-out.js';

/** The machine's address, from the subnet of n1. */
export const vm = '10.10.1.9';

/** Two pods a node, x1 outside, and vm1, which runs on n1. */
export function machineAtHome(nodes: number, zones: ZoneLayout): OvnKubernetesTopology {
  const empty = withWayOut(
    ovnKubernetesCluster({ nodes, podsPerNode: 2, externalHosts: 1 }, zones),
  );
  const machine = { name: 'vm1', ip: vm, mac: ovnMacOf(vm), launchers: [] };
  return domainIsAt(
    guestMoves(launcherComes({ ...empty, machines: [machine] }, 'vm1', 'a', 'n1'), 'vm1', 'n1'),
    'vm1',
    'a',
  );
}

/** An event, as what is different behind it; or what is sent in between. */
export type Chapter =
  | { readonly what: string; change(network: OvnKubernetesTopology): OvnKubernetesTopology }
  | SequenceStep;

export function stepsOfPlot(
  first: OvnKubernetesTopology,
  plot: readonly Chapter[],
): readonly SequenceStep[] {
  let now = first;
  return plot.map((chapter): SequenceStep => {
    if ('kind' in chapter) return chapter;
    now = chapter.change(now);
    return { kind: 'cluster', what: chapter.what, cluster: now };
  });
}
