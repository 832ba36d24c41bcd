import { InputError } from '../../../base/errors/errors.js';
import type { AgentRule, Origin } from './agent-rule.js';

/**
 * Antrea 0.8's zones of flow priorities (pkg/agent/controller/networkpolicy/priority.go): policies
 * of priority 10 up to 11 have 11800, as the seed lists, and the 129 below; all from 99 on share
 * the last zone.
 */
const zones = { first: 13_100, size: 130, last: 99 } as const;

type ClusterOrigin = Extract<Origin, { readonly kind: 'ClusterNetworkPolicy' }>;

/**
 * The flow priority of each rule of a ClusterNetworkPolicy, by `priorityKey`: in a zone one less
 * for each pair of a policy's priority and a rule's place in it, of rules of both directions. Rules
 * of equal pairs share one, so that where they disagree the switch takes any of them: "Policies
 * with the same priorities will be evaluated indeterministically" (Antrea 0.8,
 * docs/network-policy.md).
 * @throws InputError when a zone has more pairs than priorities.
 */
export function flowPriorities(rules: readonly AgentRule[]): ReadonlyMap<string, number> {
  const origins = rules.flatMap(({ origin }) =>
    origin.kind === 'ClusterNetworkPolicy' ? [origin] : [],
  );
  const pairs = [...new Map(origins.map((origin) => [priorityKey(origin), origin])).values()];
  const taken = new Map<number, number>();
  return new Map(
    pairs.sort(inOrder).map((pair) => {
      const zone = Math.min(Math.floor(pair.priority), zones.last);
      const offset = taken.get(zone) ?? 0;
      if (offset >= zones.size) {
        throw new InputError(
          `ClusterNetworkPolicies of priority ${zone} have more than ${zones.size} ` +
            'pairs of a priority and a place in the policy, which is all that Antrea has flow ' +
            'priorities ' +
            'for; spread them over more priorities',
        );
      }
      taken.set(zone, offset + 1);
      return [priorityKey(pair), zones.first - zones.size * zone - offset] as const;
    }),
  );
}

function inOrder(a: ClusterOrigin, b: ClusterOrigin): number {
  return a.priority - b.priority || a.index - b.index;
}

export function priorityKey({
  priority,
  index,
}: Pick<ClusterOrigin, 'priority' | 'index'>): string {
  return `${priority} ${index}`;
}
