/**
 * A plan for switches of one version, where they cannot have all of it as it is wanted, and what
 * was done about that.
 */
import { isBefore, behaviourOf, parseVersion } from '../model/behaviour.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { PortPlan } from '../domain/plan/port-plan.js';

export interface AdaptedPlan {
  readonly plan: ClusterPlan;
  /** A line for each thing that differs from what was wanted. */
  readonly adaptations: readonly string[];
}

/**
 * Open vSwitch before 3.4 sends from a tunnel's `local_ip` only where a local route leads there,
 * and knows of such routes from the kernel alone: `ovs/route/add` makes none (lib/ovs-router.c,
 * ovs_router_lookup and ovs_router_add). The testbed's switches do not ask the kernel. Where
 * `local_ip` is the only address that the node's tunnels can have, it is the one that they take by
 * default, so that it is left out.
 * @param version of Open vSwitch, as its programs report it.
 */
export function adaptPlan(version: string, plan: ClusterPlan): AdaptedPlan {
  const parsed = parseVersion(version);
  if (parsed === undefined || behaviourOf(parsed).localRoutes !== 'none')
    return { plan, adaptations: [] };
  const adaptations: string[] = [];
  const portOf =
    (node: NodePlan) =>
    (port: PortPlan): PortPlan => {
      if (
        port.kind !== 'tunnel' ||
        port.options?.local_ip === undefined ||
        port.options.local_ip !== onlyAddress(node)
      )
        return port;
      const { local_ip: only, ...options } = port.options;
      adaptations.push(
        `${port.name} of ${node.node} has no local_ip=${only}: Open vSwitch ${version} asks ` +
          'the kernel for a route there, and takes the address by itself, for it is the only one',
      );
      return { ...port, options };
    };
  const bridgeOf =
    (node: NodePlan) =>
    (bridge: BridgePlan): BridgePlan => ({ ...bridge, ports: bridge.ports.map(portOf(node)) });
  return {
    plan: {
      ...plan,
      nodes: plan.nodes.map((node) => ({ ...node, bridges: node.bridges.map(bridgeOf(node)) })),
    },
    adaptations,
  };
}

/** Undefined where tunnels may leave from several addresses. */
function onlyAddress({ bridges }: NodePlan): string | undefined {
  const [address, ...more] = bridges.flatMap(({ underlay }) =>
    underlay === undefined
      ? []
      : [underlay.ip, ...(underlay.ipv6 === undefined ? [] : [underlay.ipv6.ip])],
  );
  return more.length === 0 ? address : undefined;
}

/** The older of two versions of Open vSwitch; `version` where one of them is not known. */
export function olderVersion(version: string, other: string): string {
  const [parsed, parsedOther] = [parseVersion(version), parseVersion(other)];
  return parsed !== undefined && parsedOther !== undefined && isBefore(parsedOther, parsed)
    ? other
    : version;
}
