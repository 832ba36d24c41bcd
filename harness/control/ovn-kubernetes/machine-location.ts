/** Where a machine's traffic has to go, read from its virt-launcher pods. */
import { poolOf } from './ipam.js';
import type { Node } from '../../domain/topology.js';
import {
  kubevirt,
  type LauncherPod,
  type OvnKubernetesTopology,
  type VirtualMachine,
} from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** Its virt-launcher pods that have not ended, those of ended migrations left out. */
export function runningLaunchers({ launchers }: VirtualMachine): readonly LauncherPod[] {
  return launchers.filter(({ status }) => status.phase === 'Running');
}

/**
 * The virt-launcher pod that traffic goes to: the newest that KubeVirt says is there, for its
 * domain runs there (nodeName), or is about to (migration-target-start-timestamp). A machine that
 * is not yet ready has one pod alone, and that is it.
 */
export function activeLauncher(machine: VirtualMachine): LauncherPod | undefined {
  const newestFirst = runningLaunchers(machine).toSorted((a, b) =>
    a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1,
  );
  return newestFirst.find(isReady) ?? newestFirst.at(-1);
}

function isReady({ metadata: { labels, annotations }, spec }: LauncherPod): boolean {
  return (
    labels[kubevirt.nodeName] === spec.nodeName ||
    labels[kubevirt.targetReady] !== undefined ||
    annotations[kubevirt.targetReady] !== undefined
  );
}

/** Whether its address goes along with it: both marks are there (the seed, "Detecting …"). */
export function isMigratable({ metadata: { labels, annotations } }: LauncherPod): boolean {
  return labels[kubevirt.machine] !== undefined && annotations[kubevirt.migratable] !== undefined;
}

/** A machine that is away from its owner: it needs routes of its own. */
export interface MigratedMachine {
  readonly machine: VirtualMachine;
  readonly node: Node;
}

export function migratedMachines(network: OvnKubernetesTopology): readonly MigratedMachine[] {
  return network.machines.flatMap((machine) => {
    const launcher = activeLauncher(machine);
    if (launcher === undefined || !isMigratable(launcher)) return [];
    const node = network.nodes.find(({ name }) => name === launcher.spec.nodeName);
    return node === undefined || node === poolOf(network, machine) ? [] : [{ machine, node }];
  });
}
