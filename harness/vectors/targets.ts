import { formatIpv4, ipv4Number, parseCidr, prefixMask } from '../base/addresses/mac-and-ipv4.js';
import { assert } from '../base/errors/errors.js';
import type { Node, Pod, Topology } from '../domain/topology.js';

/** A MAC address that no builder allocates. */
export const strangerMac = '0e:00:00:00:00:01';

/**
 * The highest address of the node's pod subnet that nobody holds. @throws when the subnet is full:
 * our bug, the check wants room.
 */
export function freeAddress(node: Node): string {
  const taken = new Set([node.gateway.ip, ...node.pods.map(({ ip }) => ip)]);
  const first = parseCidr(node.podCidr).number;
  for (let candidate = ipv4Number(subnetBroadcast(node)) - 1; candidate > first; candidate--) {
    const address = formatIpv4(candidate);
    if (!taken.has(address)) return address;
  }
  assert(false, `no free address in ${node.podCidr}`);
}

/** The directed broadcast address of the node's pod subnet. */
export function subnetBroadcast(node: Node): string {
  const { number, prefixLength } = parseCidr(node.podCidr);
  return formatIpv4((number | ~prefixMask(prefixLength)) >>> 0);
}

/** The first pod of every node that has one: for checks that one pod a node stands for. */
export function firstPods(
  topology: Topology,
): readonly { readonly pod: Pod; readonly node: Node }[] {
  return topology.nodes.flatMap((node) => node.pods.slice(0, 1).map((pod) => ({ pod, node })));
}

/** All of `items` in twos, in both orders. */
export function orderedPairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((first) =>
    items.filter((second) => second !== first).map((second) => [first, second] as const),
  );
}
