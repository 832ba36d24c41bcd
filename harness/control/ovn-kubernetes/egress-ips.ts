/**
 * EgressIPs: what such a pod sends out of the cluster goes by the gateway router of the node that
 * has the address, which translates to it.
 */
import { assert } from '../../base/errors/errors.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import { podsOf, type Node, type Pod } from '../../domain/topology.js';
import type {
  EgressIp,
  OvnKubernetesTopology,
} from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { joinAddressOf, transitAddressOf } from './addresses.js';
import { policy, set, staticRoute } from './row.js';

/** Below that of what stays inside ("EgressIPReroutePriority"). */
const egressPriority = 100;

interface Assigned {
  readonly egressIp: EgressIp;
  readonly pod: Pod;
  /** Where the pod is, and where the address is. */
  readonly from: Node;
  readonly by: Node;
}

function assigned(network: OvnKubernetesTopology): readonly Assigned[] {
  const pods = podsOf(network);
  return (network.egressIps ?? []).flatMap((egressIp) => {
    const by = network.nodes.find(({ name }) => name === egressIp.node);
    assert(by !== undefined, `EgressIP ${egressIp.name} is at a node, not at ${egressIp.node}`);
    return pods
      .filter(({ pod }) => egressIp.pods.includes(pod.name))
      .map(({ pod, node }) => ({ egressIp, pod, from: node, by }));
  });
}

const nameOf = ({ egressIp, pod }: Assigned) => `EgressIP ${egressIp.name} of ${pod.name}`;

/**
 * A policy in the zone of the pod, and in that of the address. There a router that has no route at
 * all drops before it asks its policies: so there is one for everything, which all others precede.
 * One by the pod's address would precede those to other pods.
 * @param local the nodes of the zone.
 */
export function egressIpRows(
  network: OvnKubernetesTopology,
  local: readonly Node[],
): { readonly policies: readonly NorthboundRow[]; readonly routes: readonly NorthboundRow[] } {
  const all = assigned(network);
  const fromElsewhere = all.find(({ from, by }) => local.includes(by) && !local.includes(from));
  return {
    policies: all
      .filter(({ from, by }) => local.includes(from) || local.includes(by))
      .map((one) =>
        policy(nameOf(one), egressPriority, `ip4.src == ${one.pod.ip}`, {
          action: 'reroute',
          nexthops: set(
            local.includes(one.by)
              ? joinAddressOf(network, one.by)
              : transitAddressOf(network, one.by),
          ),
        }),
      ),
    routes:
      fromElsewhere === undefined
        ? []
        : [
            staticRoute({
              id: 'route out for EgressIPs',
              prefix: '0.0.0.0/0',
              nexthop: joinAddressOf(network, fromElsewhere.by),
              policy: 'dst-ip',
            }),
          ],
  };
}

/** What the gateway router of a node translates to its EgressIPs. */
export function egressNatRows(
  network: OvnKubernetesTopology,
  node: Node,
): readonly NorthboundRow[] {
  return assigned(network)
    .filter(({ by }) => by === node)
    .map((one) => ({
      table: 'NAT',
      id: `SNAT for ${nameOf(one)}`,
      columns: { type: 'snat', external_ip: one.egressIp.ip, logical_ip: one.pod.ip },
    }));
}

/** Addresses of a node's gateway router on the network between nodes, beside its own. */
export function egressAddressesOf(
  { egressIps = [] }: OvnKubernetesTopology,
  { name }: Node,
): readonly string[] {
  return egressIps.filter(({ node }) => node === name).map(({ ip }) => ip);
}
