/**
 * For tests: a node that reports what its tracker says. Of each packet into p1, copies come out of
 * p2 to p5, in whose Ethernet addresses stand ct_state, mark, zone, and label, and the fields of
 * the original direction; then what is new is committed. The source address names the zone.
 */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';

const valid = 'ct_state=+trk-inv';
const reportActions = {
  state:
    'clone(move:NXM_NX_CT_STATE[0..15]->NXM_OF_ETH_DST[0..15],' +
    'move:NXM_NX_CT_MARK[]->NXM_OF_ETH_DST[16..47],' +
    'move:NXM_NX_CT_ZONE[]->NXM_OF_ETH_SRC[0..15],' +
    'move:NXM_NX_CT_LABEL[96..127]->NXM_OF_ETH_SRC[16..47],output:2)',
  ipv4:
    'clone(move:NXM_NX_CT_NW_SRC[]->NXM_OF_ETH_SRC[0..31],' +
    'move:NXM_NX_CT_NW_DST[]->NXM_OF_ETH_DST[0..31],' +
    'move:NXM_NX_CT_NW_PROTO[]->NXM_OF_ETH_DST[32..39],output:3)',
  ipv6:
    'clone(move:NXM_NX_CT_IPV6_SRC[0..47]->NXM_OF_ETH_SRC[],' +
    'move:NXM_NX_CT_IPV6_DST[0..47]->NXM_OF_ETH_DST[],output:3),' +
    'clone(move:NXM_NX_CT_IPV6_SRC[80..127]->NXM_OF_ETH_SRC[],' +
    'move:NXM_NX_CT_IPV6_DST[80..127]->NXM_OF_ETH_DST[],output:4)',
  ports:
    'clone(move:NXM_NX_CT_TP_SRC[]->NXM_OF_ETH_SRC[0..15],' +
    'move:NXM_NX_CT_TP_DST[]->NXM_OF_ETH_DST[0..15],output:5)',
};
const flows = [
  ...['ip', 'ipv6'].flatMap((family) => [
    `table=0,priority=10,${family},dl_src=02:00:00:00:00:01 actions=ct(table=1,zone=5)`,
    `table=0,priority=9,${family} actions=ct(table=1,zone=0)`,
    ...[1, 6, 17, 58, 132].map(
      (protocol) =>
        `table=1,priority=20,${family},${valid},ct_nw_proto=${protocol} ` +
        `actions=${reportActions.state},` +
        `${family === 'ip' ? reportActions.ipv4 : reportActions.ipv6},` +
        `${reportActions.ports},goto_table:2`,
    ),
    `table=1,priority=10,${family},${valid} ` +
      `actions=${reportActions.state},` +
      `${family === 'ip' ? reportActions.ipv4 : reportActions.ipv6},goto_table:2`,
    `table=1,priority=5,${family} actions=${reportActions.state}`,
    `table=2,priority=20,${family},ct_state=+new,dl_src=02:00:00:00:00:81 actions=ct(commit,` +
      'zone=0,exec(set_field:0x123456789abcdef00000000000000007->ct_label))',
    `table=2,priority=10,${family},ct_state=+new,ct_zone=5 actions=ct(commit,zone=5,` +
      'exec(move:NXM_OF_ETH_SRC[0..15]->NXM_NX_CT_MARK[0..15]))',
    `table=2,priority=10,${family},ct_state=+new,ct_zone=0 actions=ct(commit)`,
  ]),
];
export const ctReportPlan: NodePlan = {
  node: 'n',
  hosts: [],
  bridges: [
    {
      name: 'br',
      mac: '02:00:00:00:00:fe',
      ports: [1, 2, 3, 4, 5].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
      flows,
    },
  ],
};
