import { InputError } from '../../../base/errors.js';
import type { AgentRule, Origin } from './rules.js';

/**
 * Antrea 0.8's zones of flow priorities (pkg/agent/controller/networkpolicy/priority.go): policies of priority 10 up to 11 have 11800, as the seed
 * lists, and the 129 below; all from 99 on share the last zone.
 */
const zones = { first: 13_100, size: 130, last: 99 } as const;

type ClusterOrigin = Extract<Origin, { readonly kind: 'ClusterNetworkPolicy' }>;

/**
 * The flow priority of each rule of a ClusterNetworkPolicy in one direction, by `priorityKey`: no two rules have the same, so that nothing is left to
 * chance where they disagree. Policies of equal priority go by name, which Antrea leaves open.
 * @throws InputError when a zone has more rules than priorities.
 */
export function flowPriorities(rules: readonly AgentRule[]): ReadonlyMap<string, number> {
  const origins = new Map(rules.flatMap(({ origin }) => (origin.kind === 'ClusterNetworkPolicy' ? [[priorityKey(origin), origin] as const] : [])));
  const sorted = [...origins.values()].sort((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || a.index - b.index);
  const taken = new Map<number, number>();
  return new Map(sorted.map((origin) => {
    const zone = Math.min(Math.floor(origin.priority), zones.last);
    const offset = taken.get(zone) ?? 0;
    if (offset >= zones.size) throw new InputError(`ClusterNetworkPolicies of priority ${zone} have more than ${zones.size} rules in one direction, which is all that Antrea has flow priorities for; spread them over more priorities`);
    taken.set(zone, offset + 1);
    return [priorityKey(origin), zones.first - zones.size * zone - offset] as const;
  }));
}

export function priorityKey({ name, index }: Pick<ClusterOrigin, 'name' | 'index'>): string {
  return `${name} ${index}`;
}
