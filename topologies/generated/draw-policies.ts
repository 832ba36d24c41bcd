/** Random policies. */
import type { Random } from '../../harness/base/random.js';
import { podSubnet, addressIn } from '../addresses.js';
import { selection, selector } from './generated-selectors.js';
import { type GeneratedSize, pick, chance, count, namespaces } from './generated-values.js';

export type PolicyKind = 'NetworkPolicy' | 'ClusterNetworkPolicy';

export function isWithin(hole: string, cidr: string): boolean {
  const [start = '', length = ''] = cidr.split('/');
  const [holeStart = '', holeLength = ''] = hole.split('/');
  if (Number(holeLength) <= Number(length)) return false;
  const number = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return (
    Math.floor(number(holeStart) / 2 ** (32 - Number(length))) ===
    Math.floor(number(start) / 2 ** (32 - Number(length)))
  );
}

/**
 * Blocks as large as a pod, a few pods, a node's pods, all of the cluster, and everything, with and
 * without holes.
 */
export function ipBlock(random: Random, kind: PolicyKind, { nodes }: GeneratedSize): object {
  const subnet = podSubnet(random.integer(1, nodes));
  const one = `${addressIn(subnet, random.integer(1, 6))}/32`;
  const [cidr = '', ...holes] = pick(random, [
    [one],
    [`${subnet}/30`, one],
    [`${addressIn(subnet, 4)}/30`],
    [`${subnet}/24`, `${subnet}/30`, one],
    ['10.10.0.0/16', `${subnet}/24`, `${subnet}/25`],
    ['0.0.0.0/0', `${subnet}/24`],
  ]);
  const within = holes.filter((hole) => isWithin(hole, cidr));
  return kind === 'NetworkPolicy' && within.length > 0 && chance(random, 70)
    ? { cidr, except: within }
    : { cidr };
}

export function somePeers(
  random: Random,
  name: 'from' | 'to',
  kind: PolicyKind,
  size: GeneratedSize,
): object {
  if (chance(random, 15)) return chance(random, 50) ? {} : { [name]: [] };
  return {
    [name]: count(random.integer(1, 3), () =>
      chance(random, 35) ? { ipBlock: ipBlock(random, kind, size) } : selection(random),
    ),
  };
}

export function somePorts(random: Random, kind: PolicyKind): object {
  if (chance(random, 25)) return chance(random, 50) ? {} : { ports: [] };
  const range = kind === 'NetworkPolicy' ? [{ port: 75, endPort: 8085 }] : [];
  return {
    ports: count(random.integer(1, 2), () =>
      pick<object>(random, [
        { port: 80 },
        { port: 'http' },
        { protocol: 'UDP', port: 'dns' },
        { protocol: 'UDP', port: 53 },
        { protocol: 'UDP' },
        { protocol: 'TCP' },
        { protocol: 'SCTP', port: 'sync' },
        { port: 8080 },
        ...range,
      ]),
    ),
  };
}

export function networkPolicy(random: Random, number: number, size: GeneratedSize): object {
  const types = pick(random, [undefined, ['Ingress'], ['Egress'], ['Ingress', 'Egress']]);
  const rules = (peers: 'from' | 'to') =>
    chance(random, 80)
      ? count(random.integer(0, 2), () => ({
          ...somePeers(random, peers, 'NetworkPolicy', size),
          ...somePorts(random, 'NetworkPolicy'),
        }))
      : undefined;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `np${number}`, namespace: pick(random, namespaces) },
    spec: {
      podSelector: selector(random),
      ...(types === undefined ? {} : { policyTypes: types }),
      ingress: rules('from'),
      egress: rules('to'),
    },
  };
}

/**
 * Each of a priority of its own, for what equal ones mean nobody says; some within one zone of
 * Antrea's, some past the last.
 */
export function clusterNetworkPolicy(random: Random, number: number, size: GeneratedSize): object {
  const rules = (peers: 'from' | 'to') =>
    count(random.integer(0, 3), () => ({
      action: pick(random, ['Allow', 'Drop']),
      ...somePeers(random, peers, 'ClusterNetworkPolicy', size),
      ...somePorts(random, 'ClusterNetworkPolicy'),
    }));
  const priority = pick(random, [number, 5 + number / 1000, 200 + number]);
  return {
    apiVersion: 'security.antrea.tanzu.vmware.com/v1alpha1',
    kind: 'ClusterNetworkPolicy',
    metadata: { name: `cnp${number}` },
    spec: {
      priority,
      appliedTo: count(random.integer(1, 2), () => selection(random)),
      ingress: rules('from'),
      egress: rules('to'),
    },
  };
}
