/** The size of generated clusters, and the values that all draws choose from. */
import type { Random } from '../../harness/base/random.js';

export interface GeneratedSize {
  readonly nodes: number;
  readonly pods: number;
  readonly networkPolicies: number;
  readonly clusterNetworkPolicies: number;
  /** None by default. */
  readonly externalHosts?: number;
  /** Every node has ports for every pod, by a Service each. */
  readonly hasNodePorts?: boolean;
}

/**
 * Labels, namespaces and ports come from short lists, so that most policies are about several pods,
 * and most pods have several policies.
 */
export const values = {
  app: ['web', 'api', 'db'],
  tier: ['front', 'back'],
  team: ['red', 'blue'],
} as const;

export const namespaces = ['default', 'shop', 'lab'] as const;

/** What a port's name stands for depends on the pod. */
export const namedPorts = [
  { name: 'http', containerPort: 80 },
  { name: 'http', containerPort: 8080 },
  { name: 'dns', containerPort: 53, protocol: 'UDP' },
  { name: 'sync', containerPort: 9000, protocol: 'SCTP' },
] as const;

export function count<T>(number: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: number }, (_, index) => make(index + 1));
}

export function pick<T>(random: Random, all: readonly T[]): T {
  const found = all[random.integer(0, all.length - 1)];
  return found as T;
}

export function chance(random: Random, percent: number): boolean {
  return random.integer(1, 100) <= percent;
}
