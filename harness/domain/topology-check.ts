import { formatIpv4, ipv4Number, parseCidr, prefixMask } from '../base/addresses/mac-and-ipv4.js';
import { InputError } from '../base/errors/errors.js';
import { linkProblem } from './link.js';
import { overlaps, underlaySplit } from './topology-networks.js';
import type { TopologyProblem } from './topology-problem.js';
import { formatPath } from './topology-problem.js';
import type { Value } from './topology-values.js';
import { malformation, valuesOf } from './topology-values.js';
import type { Node, Topology } from './topology.js';

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
    ...wrongLinks(topology),
  ];
}

function wrongLinks({ nodes }: Topology): readonly TopologyProblem[] {
  return nodes.flatMap(({ link = {} }, index) => {
    const message = linkProblem(link);
    return message === undefined ? [] : [{ path: ['nodes', index, 'link'], message }];
  });
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

function outsiders(node: Node, path: readonly (string | number)[]): readonly TopologyProblem[] {
  const cidr = parseCidr(node.podCidr);
  const last = (cidr.number | ~prefixMask(cidr.prefixLength)) >>> 0;
  const holders = [
    { at: [...path, 'gateway', 'ip'], ip: node.gateway.ip },
    ...node.pods.flatMap(({ ip, migratable }, p) =>
      migratable === true ? [] : [{ at: [...path, 'pods', p, 'ip'], ip }],
    ),
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
