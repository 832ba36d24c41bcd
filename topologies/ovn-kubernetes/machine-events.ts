/** What happens to a machine of KubeVirt, each as a cluster that is different afterwards. */
import { assert } from '../../harness/base/errors/errors.js';
import {
  kubevirt,
  type LauncherPod,
  type OvnKubernetesTopology,
  type VirtualMachine,
} from './ovn-kubernetes-topology.js';

/** A virt-launcher pod by the letter that its name ends with; later letters are created later. */
export type Letter = 'a' | 'b' | 'c' | 'd';

export const launcherName = (machine: string, letter: Letter) =>
  `virt-launcher-${machine}-${letter}`;

/** A pod for the machine comes to a node, with the marks of one that can migrate. */
export function launcherComes(
  network: OvnKubernetesTopology,
  machine: string,
  letter: Letter,
  node: string,
): OvnKubernetesTopology {
  const launcher: LauncherPod = {
    metadata: {
      name: launcherName(machine, letter),
      creationTimestamp: `2026-01-01T00:0${'abcd'.indexOf(letter)}:00Z`,
      labels: { [kubevirt.machine]: machine },
      annotations: { [kubevirt.migratable]: '' },
    },
    spec: { nodeName: node },
    status: { phase: 'Running' },
  };
  return withMachine(network, machine, (before) => ({
    ...before,
    launchers: [...before.launchers, launcher],
  }));
}

/** KubeVirt says where the domain runs: at this pod. */
export function domainIsAt(
  network: OvnKubernetesTopology,
  machine: string,
  letter: Letter,
): OvnKubernetesTopology {
  return withLauncher(network, machine, letter, (launcher) =>
    withLabels(launcher, { [kubevirt.nodeName]: launcher.spec.nodeName }),
  );
}

/** The target is ready to take traffic, though the migration is not over: post-copy. */
export function targetIsReady(
  network: OvnKubernetesTopology,
  machine: string,
  letter: Letter,
): OvnKubernetesTopology {
  return withLauncher(network, machine, letter, (launcher) =>
    withLabels(launcher, { [kubevirt.targetReady]: '1767225600' }),
  );
}

export function launcherEnds(
  network: OvnKubernetesTopology,
  machine: string,
  letter: Letter,
  phase: 'Succeeded' | 'Failed' = 'Succeeded',
): OvnKubernetesTopology {
  return withLauncher(network, machine, letter, (launcher) => ({
    ...launcher,
    status: { phase },
  }));
}

/** The guest itself runs on another node from now on, whoever knows of it. */
export function guestMoves(
  network: OvnKubernetesTopology,
  machine: string,
  to: string,
): OvnKubernetesTopology {
  const { ip, mac } = machineNamed(network, machine);
  return {
    ...network,
    nodes: network.nodes.map((node) => {
      const others = node.pods.filter(({ name }) => name !== machine);
      return {
        ...node,
        pods: node.name === to ? [...others, { name: machine, ip, mac, migratable: true }] : others,
      };
    }),
  };
}

/** The machine is deleted, with its guest and its pods. */
export function machineGoes(
  network: OvnKubernetesTopology,
  machine: string,
): OvnKubernetesTopology {
  const without = guestMoves(network, machine, '');
  return { ...without, machines: without.machines.filter(({ name }) => name !== machine) };
}

function machineNamed({ machines }: OvnKubernetesTopology, name: string): VirtualMachine {
  const found = machines.find((machine) => machine.name === name);
  assert(found !== undefined, `there is a machine ${name}`);
  return found;
}

function withMachine(
  network: OvnKubernetesTopology,
  name: string,
  change: (machine: VirtualMachine) => VirtualMachine,
): OvnKubernetesTopology {
  return {
    ...network,
    machines: network.machines.map((machine) =>
      machine.name === name ? change(machine) : machine,
    ),
  };
}

function withLauncher(
  network: OvnKubernetesTopology,
  machine: string,
  letter: Letter,
  change: (launcher: LauncherPod) => LauncherPod,
): OvnKubernetesTopology {
  return withMachine(network, machine, (before) => ({
    ...before,
    launchers: before.launchers.map((launcher) =>
      launcher.metadata.name === launcherName(machine, letter) ? change(launcher) : launcher,
    ),
  }));
}

function withLabels(launcher: LauncherPod, labels: Readonly<Record<string, string>>): LauncherPod {
  const { metadata } = launcher;
  return { ...launcher, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}
