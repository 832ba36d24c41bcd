/** Flows of equal priority that match one packet. */
import { printFlow } from '../../openflow/flows/flow.js';
import type { LookupResult, Rule } from '../tables/flow-tables.js';
import { countedBy } from '../tables/flows/flow-record.js';
import { idOf, type ModelNode } from '../model-node.js';
import type { ModelBridge } from '../model-bridge.js';
import { keyOf, clausesKey, AmbiguousOutcome } from '../ambiguity.js';

/**
 * The one that was seen to win among flows of equal priority: OpenFlow does not specify which of
 * them it is (1.3, section 5.3). @throws AmbiguousOutcome where none was seen.
 */
export function resolveTie(
  node: ModelNode,
  bridge: ModelBridge,
  { ties: candidates, clauses: parts = [] }: LookupResult,
): Rule {
  const [first, ...others] = candidates;
  if (
    node.answers.equivalentFlows === 'first' &&
    first !== undefined &&
    others.every((rule) => behaviourText(rule) === behaviourText(first))
  ) {
    const ambiguous = node.answers.ambiguous.get(first) ?? new Set();
    node.answers.ambiguous.set(first, ambiguous);
    for (const rule of others) ambiguous.add(rule);
    return first;
  }
  const rules = new Map(candidates.map((rule) => [keyOf(idOf(node, bridge, rule)), rule]));
  const clauses = clausesKey(parts.map((rule) => idOf(node, bridge, rule)));
  const tie = node.answers.ties.find(
    (known) =>
      known.candidates.length === rules.size &&
      known.clauses === clauses &&
      known.flowChanges === node.answers.flowChanges &&
      known.candidates.every((id) => rules.has(keyOf(id))),
  );
  const winner = tie === undefined ? undefined : rules.get(keyOf(tie.winner));
  if (winner !== undefined) return winner;
  throw new AmbiguousOutcome(
    `two flows of equal priority match one packet: ${candidates
      .slice(0, 2)
      .map(({ flow }) => printFlow(flow))
      .join(' and ')}`,
    node,
    {
      kind: 'flow',
      candidates: candidates.map((rule) => ({
        flow: idOf(node, bridge, rule),
        ...countedBy(bridge, rule),
      })),
      clauses,
    },
  );
}

/** Actions and timeouts, and the cookie where controllers get it. Made once a rule. */
function behaviourText(rule: Rule): string {
  const known = behaviourTexts.get(rule);
  if (known !== undefined) return known;
  const made = printFlow({ ...rule.flow, match: [], priority: 0, cookie: 0n });
  const { cookie } = rule.flow;
  const text = /controller/i.test(made) ? `${made} 0x${cookie.toString(16)}` : made;
  behaviourTexts.set(rule, text);
  return text;
}

const behaviourTexts = new WeakMap<Rule, string>();
