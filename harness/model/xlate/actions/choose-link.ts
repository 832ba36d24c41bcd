/**
 * Actions that choose by a hash of the packet: multipath and bundle (ovs-actions(7); Open vSwitch
 * lib/multipath.c, lib/bundle.c).
 */
import type { ChoiceAction } from '../../../openflow/actions/actions.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import type { FlowKey } from '../../../packet/flow-key/flow-key.js';
import { hashOf } from '../../fields/hash.js';
import { hash2words } from '../../fields/murmur-hash.js';
import { isAlive, type ModelNode } from '../../model-node.js';
import { refuseUnknownLife } from '../spoken-protocols.js';
import type { ModelBridge } from '../../model-bridge.js';

type Multipath = Extract<ChoiceAction, { readonly kind: 'multipath' }>;
type Bundle = Extract<ChoiceAction, { readonly kind: 'bundle' }>;

/** A number below `links`. */
export function chooseLink(
  key: FlowKey,
  { fields, basis, algorithm, links, argument }: Multipath,
): number {
  const hash = hashOf(key, fields, basis);
  switch (algorithm) {
    case 'modulo_n':
      return hash % links;
    case 'hash_threshold':
      return links === 1 ? 0 : Math.floor(hash / (Math.floor(0xffffffff / links) + 1));
    case 'hrw':
      return links <= mostByWeight ? highestRandomWeight(hash, links) : iterHash(hash, links, 0);
    case 'iter_hash':
      return iterHash(hash, links, argument);
  }
}

const mostByWeight = 64;

/** Highest random weight. */
function highestRandomWeight(hash: number, links: number): number {
  const weights = Array.from({ length: links }, (_, link) => hash2words(hash, link));
  return weights.indexOf(weights.reduce((best, weight) => Math.max(best, weight)));
}

/** Hashes until the number is a link's. */
function iterHash(hash: number, links: number, argument: number): number {
  const modulo =
    argument < links || Math.floor(argument / 2) > links
      ? 2 ** Math.ceil(Math.log2(links))
      : argument;
  for (let round = 0; ; round++) {
    const link = (hash2words(hash, round) % modulo) & 0xffff;
    if (link < links) return link;
  }
}

/** A member that is up, or the port that is none. */
export function chooseMember(
  key: FlowKey,
  { fields, basis, algorithm, members }: Bundle,
  isUp: (port: number) => boolean,
): number {
  const up = members
    .map((member, index) => ({ member, index }))
    .filter(({ member }) => isUp(member));
  if (algorithm === 'active_backup') return up[0]?.member ?? reservedPorts.ANY;
  const flow = hashOf(key, fields, basis);
  const weighed = up.map(({ member, index }) => ({ member, weight: hash2words(index, flow) }));
  return weighed.reduce(
    (best, one) => (one.weight > best.weight ? one : best),
    weighed[0] ?? { member: reservedPorts.ANY, weight: 0 },
  ).member;
}

/**
 * Whether a bundle may choose the port: the controller never, other ports that are not one port
 * always.
 */
export function isUp(node: ModelNode, bridge: ModelBridge, port: number): boolean {
  refuseUnknownLife(bridge, port);
  return (
    isAlive(node, bridge, port) ||
    (port > reservedPorts.UNSET &&
      port !== reservedPorts.CONTROLLER &&
      port !== reservedPorts.LOCAL)
  );
}
