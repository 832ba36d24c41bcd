/**
 * The tables of policies, at every node: what stands in them always, and what policies that apply
 * to its pods put there.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import type { NodeView } from '../node-view.js';
import { ruleFlows } from './conjunctions.js';
import type { AgentRule } from './agent-rule.js';

/** CnpEgressRuleTable (45), EgressRuleTable (50) and EgressDefaultTable (60). */
export function egressPolicy({ rules, isolated }: NodeView): readonly string[] {
  return [
    'table=45,priority=64990,ct_state=-new+est,ip actions=resubmit(,70)',
    ...ruleFlows(rules, 'ClusterNetworkPolicy', 'egress'),
    'table=45,priority=0 actions=resubmit(,50)',
    'table=50,priority=210,ct_state=-new+est,ip actions=goto_table:70',
    ...ruleFlows(rules, 'NetworkPolicy', 'egress'),
    'table=50,priority=0 actions=goto_table:60',
    ...isolated.egress.map(({ ip }) => `table=60,priority=200,ip,nw_src=${ip} actions=drop`),
    'table=60,priority=0 actions=goto_table:70',
  ];
}

/**
 * CnpIngressRuleTable (85), IngressRuleTable (90) and IngressDefaultTable (100). What the local
 * gateway sends passes in any case: the kubelet's probes depend on it. In 85 that is said where a
 * rule would drop it.
 */
export function ingressPolicy({ node: { gateway }, rules, isolated }: NodeView): readonly string[] {
  return [
    'table=85,priority=64990,ct_state=-new+est,ip actions=resubmit(,105)',
    ...(rules.some(({ rule }) => dropsAddress(rule, gateway.ip))
      ? [`table=85,priority=64980,ip,nw_src=${gateway.ip} actions=resubmit(,90)`]
      : []),
    ...ruleFlows(rules, 'ClusterNetworkPolicy', 'ingress'),
    'table=85,priority=0 actions=resubmit(,90)',
    'table=90,priority=210,ct_state=-new+est,ip actions=goto_table:105',
    `table=90,priority=210,ip,nw_src=${gateway.ip} actions=goto_table:105`,
    ...ruleFlows(rules, 'NetworkPolicy', 'ingress'),
    'table=90,priority=0 actions=goto_table:100',
    ...isolated.ingress.map(
      ({ port }) => `table=100,priority=200,ip,reg1=0x${port.ofport.toString(16)} actions=drop`,
    ),
    'table=100,priority=0 actions=goto_table:105',
  ];
}

function dropsAddress({ direction, origin, peers }: AgentRule, address: string): boolean {
  if (direction !== 'ingress' || origin.kind !== 'ClusterNetworkPolicy' || origin.action !== 'Drop')
    return false;
  return (
    peers === 'any' || peers.some((peer) => cidrContains(parseCidr(peer), ipv4Number(address)))
  );
}
