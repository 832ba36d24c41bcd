/** Flows of the bridges on which kinds of work can be seen by themselves. */

export const mac = (node: number, number: number) => `02:00:00:00:0${node}:${hex(number)}`;
const hex = (number: number) => number.toString(16).padStart(2, '0');

/**
 * From one port to another. It matches a field: a flow of a port alone is found without a lookup
 * ("simple match" of dpif-netdev), and no pipeline that people use has only those.
 */
export const through = (from: number, to: number) =>
  `in_port=${from},dl_src=00:00:00:00:00:00/01:00:00:00:00:00 actions=output:${to}`;

/** How the flows of a bridge with two hosts lead from one port to the other. */
export const singles = {
  plain: (from: number, to: number) => [through(from, to)],
  rewritten: (from: number, to: number) => [
    `in_port=${from},ip actions=` +
      'set_field:02:00:00:00:0f:0f->eth_src,set_field:02:00:00:00:0f:0e->eth_dst,dec_ttl,' +
      `set_field:${to === 2 ? mac(1, 12) : mac(1, 11)}->eth_dst,output:${to}`,
    `in_port=${from},arp actions=output:${to}`,
  ],
  tracked: (from: number, to: number) => [
    `in_port=${from},arp actions=output:${to}`,
    `table=0,in_port=${from},ip,ct_state=-trk actions=ct(table=1,zone=1)`,
    `table=1,in_port=${from},ip,ct_state=+new actions=ct(commit,zone=1),output:${to}`,
    `table=1,in_port=${from},ip,ct_state=+est actions=output:${to}`,
  ],
  'tracked-thrice': (from: number, to: number) => [
    `in_port=${from},arp actions=output:${to}`,
    `table=0,in_port=${from},ip actions=ct(table=1,zone=2)`,
    `table=1,in_port=${from},ip actions=ct(table=2,zone=3)`,
    `table=2,in_port=${from},ip actions=ct(table=3,zone=4)`,
    `table=3,in_port=${from},ip,ct_state=+new actions=` +
      `ct(commit,zone=2),ct(commit,zone=3),ct(commit,zone=4),output:${to}`,
    `table=3,in_port=${from},ip,ct_state=+est actions=output:${to}`,
  ],
  translated: (from: number, to: number) => [
    `in_port=${from},arp actions=output:${to}`,
    ...(from === 1
      ? [
          'table=0,in_port=1,ip,ct_state=-trk actions=ct(table=1,zone=5,nat)',
          'table=1,in_port=1,ip,ct_state=+new ' +
            'actions=ct(commit,zone=5,nat(src=192.168.9.9)),output:2',
          'table=1,in_port=1,ip,ct_state=+est actions=output:2',
        ]
      : [
          'table=0,in_port=2,ip,ct_state=-trk actions=ct(table=1,zone=5,nat)',
          'table=1,in_port=2,ip actions=output:1',
        ]),
  ],
} as const;
