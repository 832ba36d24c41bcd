/**
 * Rules as flows: conjunctive matches over the addresses at both ends and the ports (the seed,
 * "EgressRuleTable"; ovs-fields(7), "Conjunctive Match Fields").
 */
import type { Allocation } from '../../../domain/plan/cluster-plan.js';
import { allocate } from '../../allocate.js';
import { flowPriorities, priorityKey } from './priorities.js';
import type { AgentRule, Direction } from './agent-rule.js';

/** A rule with the conjunction's id that the agent has for it, unique among all of its rules. */
export interface IdentifiedRule {
  readonly rule: AgentRule;
  readonly id: number;
}

/**
 * One allocator for all tables, as the seed has it: ids in the order of the rules, but for rules
 * that have one. Rules that nothing can match have none.
 */
export function identify(
  rules: readonly AgentRule[],
  { ids: before, firstId }: Pick<Allocation, 'ids' | 'firstId'>,
): readonly IdentifiedRule[] {
  const matching = rules.filter((rule) =>
    dimensionsOf(rule).every((matches) => matches.length > 0),
  );
  const ids = allocate(
    matching.map(({ name }) => name),
    before,
    firstId,
  );
  return matching.map((rule) => ({ rule, id: ids[rule.name] ?? 0 }));
}

/** The tables that rules of one direction stand in, and where packets that they allow go on. */
const tables = {
  egress: { NetworkPolicy: 50, ClusterNetworkPolicy: 45, onward: 70 },
  ingress: { NetworkPolicy: 90, ClusterNetworkPolicy: 85, onward: 105 },
} as const;

/** The flows of all rules of one kind of policy in one direction. */
export function ruleFlows(
  all: readonly IdentifiedRule[],
  kind: AgentRule['origin']['kind'],
  direction: Direction,
): readonly string[] {
  const rules = all.filter(({ rule }) => rule.direction === direction && rule.origin.kind === kind);
  const priorities = flowPriorities(all.map(({ rule }) => rule));
  return merged(
    tables[direction][kind],
    rules.flatMap((rule) => flowsOf(rule, priorities)),
  );
}

interface RuleFlow {
  readonly priority: number;
  readonly match: string;
  readonly action: string;
}

/** A NetworkPolicy's rule of one dimension needs no conjunction: its flows are whole. */
function flowsOf(
  { rule, id }: IdentifiedRule,
  priorities: ReadonlyMap<string, number>,
): readonly RuleFlow[] {
  const { part, whole } = prioritiesOf(rule, priorities);
  const dimensions = dimensionsOf(rule);
  const action = actionsOf(rule, id);
  if (dimensions.length === 1)
    return dimensions.flat().map((match) => ({ priority: whole, match, action }));
  const parts = dimensions.flatMap((matches, index) =>
    matches.map((match) => ({
      priority: part,
      match,
      action: `conjunction(${id},${index + 1}/${dimensions.length})`,
    })),
  );
  return [...parts, { priority: whole, match: `conj_id=${id},ip`, action }];
}

/**
 * What matches of each dimension that the rule has: from, to, port. Egress matches its pods by
 * address, for Service traffic comes from the gateway's port; ingress by port.
 */
function dimensionsOf(rule: AgentRule): readonly (readonly string[])[] {
  const { direction, subjects, services } = rule;
  const ofPod =
    direction === 'egress'
      ? subjects.map(({ ip }) => `ip,nw_src=${ip}`)
      : subjects.map(({ port }) => `ip,reg1=0x${port.ofport.toString(16)}`);
  const ofPeers = peerMatches(rule);
  const fromAndTo = direction === 'egress' ? [ofPod, ofPeers] : [ofPeers, ofPod];
  return [...fromAndTo, services === 'any' ? undefined : services].filter(
    (dimension) => dimension !== undefined,
  );
}

/**
 * Everybody needs no match, but for a ClusterNetworkPolicy's rule without ports: a flow of one
 * dimension cannot stand beside a part of another rule's with the same match, and these may have
 * one priority. There everybody is 0.0.0.0/0, as Antrea 0.8 has it for all rules
 * (pkg/controller/networkpolicy, matchAllPeer).
 */
function peerMatches({
  direction,
  origin,
  peers,
  services,
}: AgentRule): readonly string[] | undefined {
  const field = direction === 'egress' ? 'nw_dst' : 'nw_src';
  if (peers !== 'any') return peers.map((address) => `ip,${field}=${address}`);
  return origin.kind === 'ClusterNetworkPolicy' && services === 'any'
    ? [`ip,${field}=0.0.0.0/0`]
    : undefined;
}

function prioritiesOf(
  { origin }: AgentRule,
  priorities: ReadonlyMap<string, number>,
): { readonly part: number; readonly whole: number } {
  if (origin.kind === 'NetworkPolicy') return { part: 200, whole: 190 };
  const priority = priorities.get(priorityKey(origin)) ?? 0;
  return { part: priority, whole: priority };
}

function actionsOf({ direction, origin }: AgentRule, id: number): string {
  const { onward } = tables[direction];
  if (origin.kind === 'NetworkPolicy') return `goto_table:${onward}`;
  return origin.action === 'Drop'
    ? 'drop'
    : `load:0x${id.toString(16)}->NXM_NX_REG6[],resubmit(,${onward})`;
}

/**
 * One flow a line. Parts of several conjunctions with the same match are one flow, and what several
 * rules allow whole is allowed once.
 */
function merged(table: number, flows: readonly RuleFlow[]): readonly string[] {
  const actions = new Map<string, Set<string>>();
  for (const { priority, match, action } of flows) {
    const flow = `table=${table},priority=${priority},${match}`;
    actions.set(flow, (actions.get(flow) ?? new Set()).add(action));
  }
  return [...actions].map(([flow, all]) => `${flow} actions=${[...all].join(',')}`);
}
