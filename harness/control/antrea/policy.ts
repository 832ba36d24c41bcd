import type { NodeView } from './node-view.js';

/** CnpEgressRuleTable (45), EgressRuleTable (50) and EgressDefaultTable (60), as they stand while no policy exists. */
export function egressPolicy(): readonly string[] {
  return [
    'table=45,priority=64990,ct_state=-new+est,ip actions=resubmit(,70)',
    'table=45,priority=0 actions=resubmit(,50)',
    'table=50,priority=210,ct_state=-new+est,ip actions=goto_table:70',
    'table=50,priority=0 actions=goto_table:60',
    'table=60,priority=0 actions=goto_table:70',
  ];
}

/**
 * CnpIngressRuleTable (85), IngressRuleTable (90) and IngressDefaultTable (100), as they stand while no policy exists.
 * What the local gateway sends passes in any case: the kubelet's probes depend on it.
 */
export function ingressPolicy({ node: { gateway } }: NodeView): readonly string[] {
  return [
    'table=85,priority=64990,ct_state=-new+est,ip actions=resubmit(,105)',
    'table=85,priority=0 actions=resubmit(,90)',
    'table=90,priority=210,ct_state=-new+est,ip actions=goto_table:105',
    `table=90,priority=210,ip,nw_src=${gateway.ip} actions=goto_table:105`,
    'table=90,priority=0 actions=goto_table:100',
    'table=100,priority=0 actions=goto_table:105',
  ];
}
