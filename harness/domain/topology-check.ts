import {
  cidrContains,
  formatIpv4,
  ipv4Number,
  macBytes,
  parseCidr,
  prefixMask,
  type Cidr,
} from '../base/addresses/mac-and-ipv4.js';
import { complaint, InputError } from '../base/errors/errors.js';
import type { Node, Topology } from './topology.js';

/** Something wrong with a topology, and where: the keys and indices that lead to the value. */
export interface TopologyProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** @throws InputError naming everything that is wrong with the topology, a line each. */
export function checkTopology(topology: Topology): void {
  const problems = topologyProblems(topology);
  if (problems.length > 0)
    throw new InputError(
      problems.map(
        ({ path, message }) => `topology "${topology.name}": ${formatPath(path)}: ${message}`,
      ),
    );
}

/**
 * What stands against this network existing; empty when nothing does. Malformed values first: the
 * rest cannot be judged before.
 */
export function topologyProblems(topology: Topology): readonly TopologyProblem[] {
  const malformed = valuesOf(topology).flatMap(({ path, kind, text }) => {
    const message = malformation[kind](text);
    return message === undefined ? [] : [{ path, message }];
  });
  if (malformed.length > 0) return malformed;
  return [
    ...emptiness(topology),
    ...duplicates(topology),
    ...overlaps(topology),
    ...topology.nodes.flatMap((node, index) => outsiders(node, ['nodes', index])),
    ...underlaySplit(topology),
    ...balancedNowhere(topology),
  ];
}

/** `nodes[0].pods[2].ip`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}

interface Value {
  readonly path: readonly (string | number)[];
  readonly kind: 'name' | 'ip' | 'mac' | 'cidr' | 'prefix length';
  readonly text: string;
}

function valuesOf(topology: Topology): readonly Value[] {
  // A MAC address may have been made of the other.
  const addresses = (
    holder: { readonly ip: string; readonly mac: string },
    path: readonly (string | number)[],
  ): Value[] => [
    { path: [...path, 'ip'], kind: 'ip', text: holder.ip },
    ...(malformation.ip(holder.ip) === undefined
      ? [{ path: [...path, 'mac'], kind: 'mac' as const, text: holder.mac }]
      : []),
  ];
  return [
    { path: ['serviceCidr'], kind: 'cidr', text: topology.serviceCidr },
    ...topology.nodes.flatMap((node, n): Value[] => [
      { path: ['nodes', n, 'name'], kind: 'name', text: node.name },
      { path: ['nodes', n, 'podCidr'], kind: 'cidr', text: node.podCidr },
      ...addresses(node.underlay, ['nodes', n, 'underlay']),
      {
        path: ['nodes', n, 'underlay', 'prefixLength'],
        kind: 'prefix length',
        text: String(node.underlay.prefixLength),
      },
      ...addresses(node.gateway, ['nodes', n, 'gateway']),
      ...(node.adapters ?? []).flatMap((adapter, a): Value[] => [
        ...addresses(adapter, ['nodes', n, 'adapters', a]),
        {
          path: ['nodes', n, 'adapters', a, 'prefixLength'],
          kind: 'prefix length',
          text: String(adapter.prefixLength),
        },
      ]),
      ...node.pods.flatMap((pod, p): Value[] => [
        { path: ['nodes', n, 'pods', p, 'name'], kind: 'name', text: pod.name },
        ...addresses(pod, ['nodes', n, 'pods', p]),
      ]),
    ]),
    ...(topology.routers ?? []).flatMap((router, r): Value[] => [
      { path: ['routers', r, 'name'], kind: 'name', text: router.name },
      ...router.interfaces.flatMap((one, i): Value[] => [
        ...addresses(one, ['routers', r, 'interfaces', i]),
        {
          path: ['routers', r, 'interfaces', i, 'prefixLength'],
          kind: 'prefix length',
          text: String(one.prefixLength),
        },
      ]),
    ]),
    ...(topology.externalHosts ?? []).flatMap((host, h): Value[] => [
      { path: ['externalHosts', h, 'name'], kind: 'name', text: host.name },
      ...addresses(host, ['externalHosts', h]),
    ]),
  ];
}

/** What is wrong with a value by itself, and what would be right; undefined when nothing is. */
export const malformation: Readonly<Record<Value['kind'], (text: string) => string | undefined>> = {
  name: (text) =>
    /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= 253
      ? undefined
      : `"${text}" is no Kubernetes name: lower-case letters, digits, "-" and ".", with a ` +
        'letter or digit at both ends',
  ip: (text) => complaint(() => ipv4Number(text)),
  mac: (text) =>
    complaint(() => macBytes(text)) ??
    (text !== text.toLowerCase()
      ? `write the MAC address "${text}" in lower case`
      : groupAddress(text)),
  cidr: (text) =>
    complaint(() => parseCidr(text)) ??
    (formatCidr(parseCidr(text)) === text
      ? undefined
      : `"${text}" is not the first address of its block: write ${formatCidr(parseCidr(text))}`),
  'prefix length': (text) =>
    /^([1-9]|[12]\d|30)$/.test(text)
      ? undefined
      : `expected a prefix length from 1 to 30, got ${text}`,
};

function groupAddress(mac: string): string | undefined {
  return ((macBytes(mac)[0] ?? 0) & 1) === 1
    ? `${mac} is a group address; an interface needs an individual one (first byte even)`
    : undefined;
}

function emptiness({ nodes }: Topology): readonly TopologyProblem[] {
  return nodes.length === 0
    ? [{ path: ['nodes'], message: 'a cluster needs at least one node' }]
    : [];
}

function duplicates(topology: Topology): readonly TopologyProblem[] {
  const first = new Map<string, Value>();
  return valuesOf(topology).flatMap((value) => {
    if (value.kind === 'cidr' || value.kind === 'prefix length') return [];
    const key = `${value.kind} ${value.text}`;
    const earlier = first.get(key);
    if (earlier !== undefined)
      return [
        {
          path: value.path,
          message:
            `${value.text} is already taken by ${formatPath(earlier.path)}; it must be unique ` +
            'in the cluster',
        },
      ];
    first.set(key, value);
    return [];
  });
}

/**
 * The pods' subnets, the Services' and the network between nodes must all be apart: routes tell
 * them by prefix.
 */
function overlaps({ serviceCidr, nodes, routers = [] }: Topology): readonly TopologyProblem[] {
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

/** A node of each network between nodes. */
function networksOf(
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

function outsiders(node: Node, path: readonly (string | number)[]): readonly TopologyProblem[] {
  const cidr = parseCidr(node.podCidr);
  const last = (cidr.number | ~prefixMask(cidr.prefixLength)) >>> 0;
  const holders = [
    { at: [...path, 'gateway', 'ip'], ip: node.gateway.ip },
    ...node.pods.map(({ ip }, p) => ({ at: [...path, 'pods', p, 'ip'], ip })),
  ];
  return holders.flatMap(({ at, ip }) => {
    const number = ipv4Number(ip);
    return number > cidr.number && number < last
      ? []
      : [
          {
            path: at,
            message:
              `${ip} is no address for a host in ${node.podCidr} of ${node.name}: these go ` +
              `from ${formatIpv4(cidr.number + 1)} to ${formatIpv4(last - 1)}`,
          },
        ];
  });
}

/**
 * Nodes and external hosts share a network, or a router joins theirs; of pods' subnets routers know
 * nothing.
 */
function underlaySplit({
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

function balancedNowhere({ nodes, externalHosts = [] }: Topology): readonly TopologyProblem[] {
  return externalHosts.flatMap(({ balancedTo }, index) =>
    balancedTo === undefined || nodes.some(({ name }) => name === balancedTo)
      ? []
      : [
          {
            path: ['externalHosts', index, 'balancedTo'],
            message:
              `"${balancedTo}" is no node of this cluster; its nodes are ` +
              nodes.map(({ name }) => name).join(', '),
          },
        ],
  );
}

function formatCidr(cidr: Cidr): string {
  return `${formatIpv4(cidr.number)}/${cidr.prefixLength}`;
}
