/** A pod, a node's own stack behind its gateway, or a host outside the cluster. */

import type { Topology } from '../domain/topology.js';

export interface Party {
  readonly name: string;
  readonly kind: 'pod' | 'node' | 'external';
  /** Empty for an external host. */
  readonly node: string;
  readonly ip: string;
  /** What else it answers to: a node's address on the network between nodes. */
  readonly otherIp?: string;
}

/** Node by node: the node's own stack, then its pods; external hosts last. */
export function partiesOf({ nodes, externalHosts = [] }: Topology): readonly Party[] {
  return [
    ...nodes.flatMap(({ name, gateway, underlay, pods }) => [
      { name, kind: 'node' as const, node: name, ip: gateway.ip, otherIp: underlay.ip },
      ...pods.map((pod) => ({ name: pod.name, kind: 'pod' as const, node: name, ip: pod.ip })),
    ]),
    ...externalHosts.map(({ name, ip }) => ({ name, kind: 'external' as const, node: '', ip })),
  ];
}

/** Who holds the address. */
export function partyAt(parties: readonly Party[], address: string | undefined): Party | undefined {
  return address === undefined
    ? undefined
    : parties.find(({ ip, otherIp }) => ip === address || otherIp === address);
}
