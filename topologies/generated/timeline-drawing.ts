/** The state of a timeline while it is drawn, and what all draws share. */
import type { Random } from '../../harness/base/random.js';
import { podSubnet, underlayAddress } from '../addresses.js';
import type { Manifest } from '../changing-cluster.js';
import { serviceName } from './generated-services.js';

export const services = [
  { protocol: 'TCP', port: 80 },
  { protocol: 'TCP', port: 7 },
  { protocol: 'TCP', port: 8080 },
  { protocol: 'UDP', port: 53 },
  { protocol: 'UDP', port: 7 },
  { protocol: 'ICMP' },
] as const;

export const atFirst = {
  nodes: 2,
  pods: 5,
  networkPolicies: 2,
  clusterNetworkPolicies: 1,
  services: 2,
} as const;

export const mostNodes = 3;

export interface TimelineDrawing {
  readonly random: Random;
  /** What there is by now. */
  live: Manifest[];
  /** Hosts there are or were. */
  names: string[];
  /** Services there are or were; none at all in timelines without. */
  asked: string[];
  readonly connections: string[];
  readonly numbers: {
    pods: number;
    networkPolicies: number;
    clusterNetworkPolicies: number;
    services: number;
    sendings: number;
  };
}

export function count<T>(number: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: number }, (_, index) => make(index + 1));
}

export function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.integer(0, all.length - 1)] as T;
}

export function manifestOf(drawn: object): Manifest {
  return drawn as Manifest;
}

export function isSame(a: Manifest, b: Manifest): boolean {
  return (
    a.kind === b.kind &&
    a.metadata.name === b.metadata.name &&
    a.metadata.namespace === b.metadata.namespace
  );
}

export function node(number: number): Manifest {
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: `n${number}` },
    spec: { podCIDR: `${podSubnet(number)}/24` },
    status: { addresses: [{ type: 'InternalIP', address: underlayAddress(number) }] },
  } as Manifest;
}

export function namespace(random: Random, name: string): Manifest {
  return {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { team: pick(random, ['red', 'blue']) } },
  } as Manifest;
}

export function nodesOf({ live }: TimelineDrawing): readonly string[] {
  return live.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name);
}

export function someNode(drawing: TimelineDrawing): string {
  return pick(drawing.random, nodesOf(drawing));
}

export function hostsAmong(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap(({ kind, metadata: { name, namespace: of = 'default' } }) =>
    kind === 'Node' ? [name] : kind === 'Pod' ? [of === 'default' ? name : `${name}.${of}`] : [],
  );
}

export function servicesAmong(manifests: readonly Manifest[]): string[] {
  return manifests.filter(({ kind }) => kind === 'Service').map(serviceName);
}

export function onNode(drawn: object, nodeName: string): Manifest {
  const manifest = manifestOf(drawn);
  return { ...manifest, spec: { ...(manifest.spec as object), nodeName } };
}

export function nextId({ numbers }: TimelineDrawing, what: string): string {
  numbers.sendings += 1;
  return `${what} (${numbers.sendings})`;
}

/** One of what can be drawn, by weights. */
export function oneOf<T>(
  random: Random,
  options: readonly (readonly [weight: number, draw: () => T | undefined])[],
): T {
  for (;;) {
    let ticket = random.integer(
      1,
      options.reduce((sum, [weight]) => sum + weight, 0),
    );
    const chosen = options.find(([weight]) => (ticket -= weight) <= 0)?.[1]();
    if (chosen !== undefined) return chosen;
  }
}
