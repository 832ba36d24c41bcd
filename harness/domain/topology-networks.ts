/** Networks of a topology that must not overlap. */
import { cidrContains, ipv4Number, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { formatCidr, type TopologyProblem, formatPath } from './topology-problem.js';
import type { Node, Topology } from './topology.js';

/** A node of each network between nodes. */
export function networksOf(
  nodes: readonly Node[],
): readonly { readonly underlay: Node['underlay']; readonly index: number }[] {
  const cidrOf = ({ ip, prefixLength }: Node['underlay']) =>
    formatCidr(parseCidr(`${ip}/${prefixLength}`));
  return nodes
    .map(({ underlay }, index) => ({ underlay, index }))
    .filter(
      ({ underlay }, at, all) =>
        all.findIndex((other) => cidrOf(other.underlay) === cidrOf(underlay)) === at,
    );
}

/**
 * The pods' subnets, the Services' and the network between nodes must all be apart: routes
 * distinguish them by prefix.
 */
export function overlaps({
  serviceCidr,
  nodes,
  routers = [],
}: Topology): readonly TopologyProblem[] {
  const blocks = [
    { path: ['serviceCidr'], cidr: parseCidr(serviceCidr) },
    ...nodes.map(({ podCidr }, index) => ({
      path: ['nodes', index, 'podCidr'],
      cidr: parseCidr(podCidr),
    })),
    ...nodes.flatMap(({ adapters = [] }, n) =>
      adapters.map(({ ip, prefixLength }, a) => ({
        path: ['nodes', n, 'adapters', a],
        cidr: parseCidr(`${ip}/${prefixLength}`),
      })),
    ),
    ...networksOf(routers.length === 0 ? nodes.slice(0, 1) : nodes).map(({ underlay, index }) => ({
      path: ['nodes', index, 'underlay'],
      cidr: parseCidr(`${underlay.ip}/${underlay.prefixLength}`),
    })),
  ];
  return blocks.flatMap(({ path, cidr }, index) => {
    const other = blocks
      .slice(0, index)
      .find(
        (earlier) =>
          cidrContains(earlier.cidr, cidr.number) || cidrContains(cidr, earlier.cidr.number),
      );
    return other === undefined
      ? []
      : [
          {
            path,
            message:
              `${formatCidr(cidr)} overlaps ${formatCidr(other.cidr)} of ` + formatPath(other.path),
          },
        ];
  });
}

/**
 * Nodes and external hosts share a network, or a router joins theirs; of pods' subnets routers know
 * nothing.
 */
export function underlaySplit({
  nodes,
  externalHosts = [],
  routers = [],
}: Topology): readonly TopologyProblem[] {
  const [first, ...others] = nodes;
  if (first === undefined) return [];
  const ofFirst = formatCidr(parseCidr(`${first.underlay.ip}/${first.underlay.prefixLength}`));
  const joined = routers
    .map(({ interfaces }) =>
      interfaces.map(({ ip, prefixLength }) => formatCidr(parseCidr(`${ip}/${prefixLength}`))),
    )
    .filter((networks) => networks.includes(ofFirst));
  const networks = [ofFirst, ...joined.flat()];
  const isOn = (ip: string) =>
    networks.some((network) => cidrContains(parseCidr(network), ipv4Number(ip)));
  const isBeside = (ip: string) =>
    nodes.some(({ adapters = [] }) =>
      adapters.some((adapter) =>
        cidrContains(parseCidr(`${adapter.ip}/${adapter.prefixLength}`), ipv4Number(ip)),
      ),
    );
  const name = `the network ${ofFirst} of ${first.name}`;
  const apart = others
    .map(({ underlay }, index) => ({
      underlay,
      index: index + 1,
      network: formatCidr(parseCidr(`${underlay.ip}/${underlay.prefixLength}`)),
    }))
    .filter(({ network }) => network !== ofFirst);
  return [
    ...apart.flatMap(({ underlay, index, network }) =>
      networks.includes(network)
        ? []
        : [
            {
              path: ['nodes', index, 'underlay', 'ip'],
              message:
                `${underlay.ip}/${underlay.prefixLength} is not on ${name}; all nodes share ` +
                'one, or a router has an address on both',
            },
          ],
    ),
    ...externalHosts.flatMap(({ ip }, index) =>
      isOn(ip) || isBeside(ip)
        ? []
        : [
            {
              path: ['externalHosts', index, 'ip'],
              message: `${ip} is not on ${name}, which external hosts share with the nodes`,
            },
          ],
    ),
  ];
}
