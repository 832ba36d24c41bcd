/**
 * What Contrail adds to a topology: tenants with virtual networks, and containers that are on them.
 * A container of whose interface the hypervisor knows is a pod of that node as well.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../harness/base/addresses/mac-and-ipv4.js';
import { InputError } from '../../harness/base/errors/errors.js';
import type { Sequence } from '../../harness/domain/timeline.js';
import type { Node, Topology } from '../../harness/domain/topology.js';
import type { EngineCall } from './engine-calls.js';

/** How hypervisors reach each other's containers. */
export const overlays = ['vxlan', 'mpls-over-gre', 'mpls-over-udp'] as const;
export type Overlay = (typeof overlays)[number];

export interface ContrailCluster extends Topology {
  readonly overlay: Overlay;
  readonly virtualNetworks: readonly VirtualNetwork[];
  /** What is promised of each. */
  readonly containers: readonly AttachedContainer[];
  /** What is asked of Docker engines, from first to last; of a timeline, all of it. */
  readonly calls: readonly EngineCall[];
  /** How many of these calls have led here. */
  readonly called: number;
}

export interface VirtualNetwork {
  readonly tenant: string;
  readonly name: string;
  /** Unique in the cluster: its VXLAN network identifier, and its MPLS label. */
  readonly label: number;
  readonly subnets: readonly Subnet[];
}

/** "Docker's "network" is actually equivalent to Contrail's "subnet"." */
export interface Subnet {
  /** A UUID. */
  readonly id: string;
  readonly cidr: string;
  readonly gateway: string;
}

export interface AttachedContainer {
  /** Unique in the cluster. */
  readonly name: string;
  readonly hypervisor: string;
  readonly tenant: string;
  readonly network: string;
  /** The subnet's UUID. */
  readonly subnet: string;
  readonly ip: string;
  readonly mac: string;
  /** Whether HNS has connected its adapter. */
  readonly adapter: 'absent' | 'connected';
  /** Whether the agent has been asked to add its port. */
  readonly port: 'not added' | 'added';
}

/** The containers that are there are pods of their hypervisors, and no others are. */
export function withContainers(
  cluster: ContrailCluster,
  containers: readonly AttachedContainer[],
): ContrailCluster {
  const nodes = cluster.nodes.map(
    (node): Node => ({
      ...node,
      pods: containers
        .filter(({ hypervisor, adapter }) => hypervisor === node.name && adapter === 'connected')
        .map(({ name, ip, mac }) => ({ name, ip, mac })),
    }),
  );
  return { ...cluster, nodes, containers };
}

/** The cluster once these calls are made as well. */
export function called(cluster: ContrailCluster, calls: readonly EngineCall[]): ContrailCluster {
  const all = [...cluster.calls.slice(0, cluster.called), ...calls];
  return { ...cluster, calls: all, called: all.length };
}

/** Each cluster knows the calls of the whole sequence, so that all of them are played once. */
export function inOneCourse(sequence: Sequence<ContrailCluster>): Sequence<ContrailCluster> {
  const { calls } =
    sequence.steps.findLast((step) => step.kind === 'cluster')?.cluster ?? sequence.cluster;
  return {
    cluster: { ...sequence.cluster, calls },
    steps: sequence.steps.map((step) =>
      step.kind === 'cluster' ? { ...step, cluster: { ...step.cluster, calls } } : step,
    ),
  };
}

/** @throws InputError naming everything that is wrong with the cluster, a line each. */
export function checkContrailCluster(cluster: ContrailCluster): void {
  const problems = [...networkProblems(cluster), ...containerProblems(cluster)];
  if (problems.length > 0)
    throw new InputError(problems.map((problem) => `topology "${cluster.name}": ${problem}`));
}

function networkProblems({ virtualNetworks }: ContrailCluster): readonly string[] {
  return virtualNetworks.flatMap((network, index) => {
    const at = `virtualNetworks[${index}]`;
    const rival = virtualNetworks.slice(0, index).find(({ label }) => label === network.label);
    const namesake = virtualNetworks
      .slice(0, index)
      .find(({ tenant, name }) => tenant === network.tenant && name === network.name);
    return [
      ...(rival === undefined
        ? []
        : [`${at}.label: ${network.label} is that of ${rival.tenant}:${rival.name} already`]),
      ...(namesake === undefined
        ? []
        : [`${at}.name: tenant ${network.tenant} has a network ${network.name} already`]),
      ...network.subnets.flatMap(({ cidr, gateway }, s) =>
        cidrContains(parseCidr(cidr), ipv4Number(gateway))
          ? []
          : [`${at}.subnets[${s}].gateway: ${gateway} is not in ${cidr}`],
      ),
    ];
  });
}

function containerProblems(cluster: ContrailCluster): readonly string[] {
  const { containers, nodes } = cluster;
  return containers.flatMap((container, index) => {
    const at = `containers[${index}]`;
    const subnet = subnetOf(cluster, container);
    const others = containers.slice(0, index);
    const rival = others.find(
      ({ tenant, network, ip }) =>
        tenant === container.tenant && network === container.network && ip === container.ip,
    );
    const known = nodes.map(({ name }) => name);
    return [
      ...(known.includes(container.hypervisor)
        ? []
        : [`${at}.hypervisor: "${container.hypervisor}" is none of ${known.join(', ')}`]),
      ...(subnet === undefined
        ? [
            `${at}.subnet: ${container.tenant}:${container.network} has no subnet ` +
              container.subnet,
          ]
        : cidrContains(parseCidr(subnet.cidr), ipv4Number(container.ip)) &&
            container.ip !== subnet.gateway
          ? []
          : [`${at}.ip: ${container.ip} is no address for a container in ${subnet.cidr}`]),
      ...(rival === undefined
        ? []
        : [`${at}.ip: ${container.ip} is that of ${rival.name} in the same network`]),
    ];
  });
}

/** The virtual network that the container is on. */
export function networkOf(
  { virtualNetworks }: Pick<ContrailCluster, 'virtualNetworks'>,
  { tenant, network }: Pick<AttachedContainer, 'tenant' | 'network'>,
): VirtualNetwork | undefined {
  return virtualNetworks.find((other) => other.tenant === tenant && other.name === network);
}

export function subnetOf(
  cluster: Pick<ContrailCluster, 'virtualNetworks'>,
  container: Pick<AttachedContainer, 'tenant' | 'network' | 'subnet'>,
): Subnet | undefined {
  return networkOf(cluster, container)?.subnets.find(({ id }) => id === container.subnet);
}
