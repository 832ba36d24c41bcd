import { hexOfMac } from './hex.js';
import type { NodeView } from './node-view.js';

/** ConntrackTable (30): every IP packet becomes tracked, in Antrea's zone. */
export function conntrack(): readonly string[] {
  return ['table=30,priority=200,ip actions=ct(table=31,zone=65520)'];
}

/**
 * ConntrackStateTable (31): replies to what came in by the gateway go back to the gateway; invalid
 * packets are dropped.
 */
export function conntrackState({ node: { gateway } }: NodeView): readonly string[] {
  return [
    'table=31,priority=210,ct_state=-new+trk,ct_mark=0x20,ip,reg0=0x1/0xffff actions=goto_table:40',
    'table=31,priority=200,ct_state=+inv+trk,ip actions=drop',
    'table=31,priority=200,ct_state=-new+trk,ct_mark=0x20,ip ' +
      `actions=load:${hexOfMac(gateway.mac)}->NXM_OF_ETH_DST[],goto_table:40`,
    'table=31,priority=0 actions=goto_table:40',
  ];
}

/**
 * ConntrackCommitTable (105): commits what policies let through; connections from the gateway are
 * marked 0x20.
 */
export function conntrackCommit(): readonly string[] {
  return [
    'table=105,priority=200,ct_state=+new+trk,ip,reg0=0x1/0xffff actions=ct(commit,table=110,' +
      'zone=65520,exec(load:0x20->NXM_NX_CT_MARK[]))',
    'table=105,priority=190,ct_state=+new+trk,ip actions=ct(commit,table=110,zone=65520)',
    'table=105,priority=0 actions=goto_table:110',
  ];
}
