/** Connections, where AntreaProxy translates some of them: those have mark 0x21. */

/**
 * ConntrackTable (30): every IP packet becomes tracked, and packets of connections that are
 * translated are translated.
 */
export function conntrack(): readonly string[] {
  return ['table=30,priority=200,ip actions=ct(table=31,zone=65520,nat)'];
}

/**
 * ConntrackStateTable (31): what belongs to a connection goes past the choice of an endpoint;
 * packets of Services get new MAC addresses.
 */
export function conntrackState(): readonly string[] {
  return [
    `table=31,priority=200,ct_state=-new+trk,ct_mark=0x21,ip actions=${rewriteMac},goto_table:50`,
    'table=31,priority=190,ct_state=+inv+trk,ip actions=drop',
    'table=31,priority=190,ct_state=-new+trk,ip actions=goto_table:50',
    'table=31,priority=0 actions=resubmit(,40),resubmit(,41)',
  ];
}

/**
 * ConntrackCommitTable (105): as in 0.8, and what a Service's connection is of has been committed
 * by table 42.
 */
export function conntrackCommit(): readonly string[] {
  return [
    'table=105,priority=200,ct_state=+new+trk,ip,reg0=0x1/0xffff actions=ct(commit,table=106,' +
      'zone=65520,exec(load:0x20->NXM_NX_CT_MARK[]))',
    'table=105,priority=190,ct_state=+trk,ct_mark=0x21,ip,reg4=0x20000/0x70000 ' +
      'actions=goto_table:106',
    'table=105,priority=190,ct_state=+new+trk,ip actions=ct(commit,table=106,zone=65520)',
    'table=105,priority=0 actions=goto_table:106',
  ];
}

/** RewriteMAC: reg0[19] asks table 70 for new MAC addresses. */
export const rewriteMac = 'load:0x1->NXM_NX_REG0[19]';
