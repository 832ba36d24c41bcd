/**
 * While a machine moves nothing is promised of what goes to it: from the moment that its guest runs
 * elsewhere until KubeVirt has said so, and at its old neighbours until its old virt-launcher pod
 * is gone.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { Unsettled } from '../../domain/promises.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type {
  LauncherPod,
  OvnKubernetesTopology,
  VirtualMachine,
} from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** Undefined where both are where the objects say. */
export function unsettledNow(
  network: OvnKubernetesTopology,
  from: ClusterHost,
  to: ClusterHost | undefined,
): Unsettled | undefined {
  for (const [machine, peer] of [
    [from, to],
    [to, from],
  ] as const) {
    const found = network.machines.find(({ name }) => name === machine?.name);
    const why =
      found === undefined || machine === undefined
        ? undefined
        : (whyAway(network, found, machine, peer) ?? whyZoneLags(network, found));
    // Out of the cluster it may go by the gateway of either node.
    const sources = to === undefined ? Object.values(network.gateways) : [];
    if (why !== undefined) return { why, sources };
  }
  return undefined;
}

/** A zone that does not know by now where it runs sends what goes to it elsewhere. */
function whyZoneLags(
  { heardMachines = {} }: OvnKubernetesTopology,
  { name, launchers }: VirtualMachine,
): string | undefined {
  const now = announcedNode(runningOf(launchers));
  for (const [zone, machines] of Object.entries(heardMachines)) {
    const heard = machines.find((machine) => machine.name === name);
    if (heard !== undefined && announcedNode(runningOf(heard.launchers)) !== now)
      return `the zone of ${zone} does not know that ${name} runs on ${now ?? 'no node'}`;
  }
  return undefined;
}

function runningOf(launchers: readonly LauncherPod[]): readonly LauncherPod[] {
  return launchers.filter(({ status }) => status.phase === 'Running');
}

function whyAway(
  { nodes }: OvnKubernetesTopology,
  { name, ip, launchers, knownTo = [] }: VirtualMachine,
  guest: ClusterHost,
  peer: ClusterHost | undefined,
): string | undefined {
  const running = runningOf(launchers);
  const announced = announcedNode(running);
  if (announced !== guest.node.name)
    return `${name} runs on ${guest.node.name}, and its pods say ${announced ?? 'nowhere'}`;
  if (peer !== undefined && guest.node.name !== peer.node.name && knownTo.includes(peer.name))
    return `${peer.name} keeps the MAC of ${name} from when they were neighbours`;
  const left = running
    .map(({ spec }) => spec.nodeName)
    .filter((node) => node !== announced && node === peer?.node.name);
  const subnet = nodes.find((node) => node.name === left[0])?.podCidr;
  const isOnLink =
    subnet !== undefined &&
    peer !== undefined &&
    [ip, peer.ip].every((one) => cidrContains(parseCidr(subnet), ipv4Number(one)));
  return isOnLink
    ? `${peer?.name} is a neighbour of the pod on ${left[0]} that ${name} has left, which is there`
    : undefined;
}

/** Of the newest pod that KubeVirt has said it of (the seed, "Detecting migratable VMs"). */
function announcedNode(running: readonly LauncherPod[]): string | undefined {
  const [newest, ...others] = [...running].sort((a, b) =>
    b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp),
  );
  if (newest === undefined) return undefined;
  const { labels, annotations } = newest.metadata;
  const isSaid =
    others.length === 0 ||
    labels['kubevirt.io/nodeName'] === newest.spec.nodeName ||
    'kubevirt.io/migration-target-start-timestamp' in { ...labels, ...annotations };
  return isSaid ? newest.spec.nodeName : announcedNode(others);
}
