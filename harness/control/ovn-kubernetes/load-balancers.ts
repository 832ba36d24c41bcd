/**
 * Services as ovn-kubernetes has them in OVN: a load balancer for all nodes, in a group that every
 * node's switch and gateway router takes part in, and a load balancer of a switch's or a router's
 * own for what depends on the node: its ports, and who is on it (ovn-kubernetes,
 * docs/features/cluster-ingress and "Service Controller").
 */
import type { NorthboundRow, NorthboundValue } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { Network } from '../../kube/objects.js';
import {
  clusterIpsOf,
  endpointsOn,
  type Endpoint,
  type ServicePort,
} from '../../kube/services/service-endpoints.js';
import { map, references, set } from './row.js';

/** The address that an endpoint sees which asks for itself. */
const hairpinAddress = '169.254.0.5';

const group = 'clusterLBGroup';
const groupRow = `load balancer group ${group}`;

/** Where a load balancer is: in the group, or at one node's switch or gateway router. */
type Place =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'node_switch' | 'node_router'; readonly node: Node };

type Vips = Readonly<Record<string, readonly Endpoint[]>>;

export const hasServices = (network: Network) => clusterIpsOf(network).length > 0;

/** @param local the nodes of the zone. */
export function loadBalancerRows(
  network: Network,
  local: readonly Node[],
): readonly NorthboundRow[] {
  if (!hasServices(network)) return [];
  const shared = loadBalancersAt(network, { kind: 'cluster' });
  return [
    {
      table: 'Load_Balancer_Group',
      id: groupRow,
      columns: { name: group, load_balancer: references(...shared.map(({ id }) => id)) },
    },
    ...shared,
    ...local.flatMap((node) => [
      ...loadBalancersAt(network, { kind: 'node_switch', node }),
      ...loadBalancersAt(network, { kind: 'node_router', node }),
    ]),
  ];
}

/** What a node's switch or gateway router has of them: nothing where there are no Services. */
export function balancing(
  network: Network,
  kind: 'node_switch' | 'node_router',
  node: Node,
): Readonly<Record<string, NorthboundValue>> {
  if (!hasServices(network)) return {};
  const own = loadBalancersAt(network, { kind, node });
  return {
    load_balancer_group: references(groupRow),
    load_balancer: references(...own.map(({ id }) => id)),
  };
}

/** One a Service and protocol. */
function loadBalancersAt(network: Network, place: Place): readonly NorthboundRow[] {
  const byName = new Map<string, ServicePort[]>();
  for (const port of clusterIpsOf(network)) {
    const [service = ''] = port.name.split(':');
    const where = place.kind === 'cluster' ? 'cluster' : `${place.kind}_${place.node.name}`;
    const name = `Service_${service}_${port.protocol}_${where}`;
    byName.set(name, [...(byName.get(name) ?? []), port]);
  }
  return [...byName].flatMap(([name, ports]) => {
    const vips = Object.assign({}, ...ports.map((port) => vipsAt(port, place))) as Vips;
    const [first] = ports;
    return first === undefined || Object.keys(vips).length === 0
      ? []
      : [loadBalancer(name, first, vips, place)];
  });
}

function vipsAt(port: ServicePort, place: Place): Vips {
  const { clusterIp, nodePort, endpoints, internalTraffic, externalTraffic } = port;
  const fromOutside = [...port.loadBalancerIps, ...port.externalIps];
  const vips = (ips: readonly string[], number: number, to: readonly Endpoint[]): Vips =>
    Object.fromEntries(ips.map((ip) => [`${ip}:${number}`, to]));
  if (place.kind === 'cluster')
    return {
      ...(internalTraffic === 'Cluster' ? vips([clusterIp], port.port, endpoints) : {}),
      ...(externalTraffic === 'Cluster' ? vips(fromOutside, port.port, endpoints) : {}),
    };
  const { node, kind } = place;
  const here = endpointsOn(port, node.name);
  // Pods are no traffic from outside, whichever address they ask for.
  const external = kind === 'node_router' && externalTraffic === 'Local' ? here : endpoints;
  return {
    ...(internalTraffic === 'Local' ? vips([clusterIp], port.port, here) : {}),
    ...(externalTraffic === 'Local' ? vips(fromOutside, port.port, external) : {}),
    ...(nodePort === undefined ? {} : vips([node.underlay.ip], nodePort, external)),
  };
}

/**
 * The sender gets an error where nobody is behind the Service; where nobody is on the node that it
 * has to stay on, it gets none (ServiceSpec, `internalTrafficPolicy`, `externalTrafficPolicy`). Who
 * comes by a gateway router is seen as that, unless the policy from outside is `Local`; its error
 * comes from the address that it asked, and not from the router's, which is another one here.
 */
function loadBalancer(
  name: string,
  { protocol, affinityS, endpoints, externalTraffic }: ServicePort,
  vips: Vips,
  { kind }: Place,
): NorthboundRow {
  const nobody = endpoints.length === 0;
  return {
    table: 'Load_Balancer',
    id: `load balancer ${name}`,
    columns: {
      name,
      protocol: set(protocol.toLowerCase()),
      vips: map(
        Object.fromEntries(
          Object.entries(vips).map(([vip, to]) => [
            vip,
            to.map(({ ip, port }) => `${ip}:${port}`).join(','),
          ]),
        ),
      ),
      options: map({
        event: 'false',
        hairpin_snat_ip: hairpinAddress,
        reject: String(nobody),
        skip_snat: String(kind === 'node_router' && (externalTraffic === 'Local' || nobody)),
        ...(affinityS === undefined ? {} : { affinity_timeout: String(affinityS) }),
      }),
    },
  };
}

/** What br-ex hands to OVN of what is sent to the node: as ovs-ofctl(8) matches it. */
export function nodePortMatches(network: Network, { underlay }: Node): readonly string[] {
  const matches = clusterIpsOf(network).flatMap((port) => {
    const protocol = port.protocol.toLowerCase();
    const outside = [...port.loadBalancerIps, ...port.externalIps].map(
      (ip) => `${protocol},nw_dst=${ip},tp_dst=${port.port}`,
    );
    return port.nodePort === undefined
      ? outside
      : [...outside, `${protocol},nw_dst=${underlay.ip},tp_dst=${port.nodePort}`];
  });
  return [...new Set(matches)];
}
