import type { ClusterHost } from '../../domain/cluster-host.js';
import type { PathIntent } from '../../domain/intent.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** Of a machine that has pods on several nodes, nothing reaches those that it does not run in. */
export function elsewhere(
  { machines }: OvnKubernetesTopology,
  { name, node: at }: ClusterHost,
): readonly PathIntent[] {
  const launchers = machines.find((machine) => machine.name === name)?.launchers ?? [];
  return launchers
    .filter(({ status, spec }) => status.phase === 'Running' && spec.nodeName !== at.name)
    .map(({ spec, metadata }) => ({
      node: spec.nodeName,
      ports: [`if-${metadata.name}`],
      crossings: [],
    }));
}
