/** Flows of the bridges on which kinds of work can be seen by themselves. */
import type { HostPlan } from '../domain/plan/host-plan.js';

export const mac = (node: number, number: number) => `02:00:00:00:0${node}:${hex(number)}`;
const hex = (number: number) => number.toString(16).padStart(2, '0');

/**
 * From one port to another. It matches a field: a flow of a port alone is found without a lookup
 * ("simple match" of dpif-netdev), and no pipeline that people use has only those.
 */
export const through = (from: number, to: number) =>
  `in_port=${from},dl_src=00:00:00:00:00:00/01:00:00:00:00:00 actions=output:${to}`;

/** What pipelines usually ask for: the more a mask has of a packet, the longer its hash takes. */
const usual =
  'ct_state=-trk,ct_mark=0,ct_label=0,nw_src=192.0.0.0/8,nw_dst=192.0.0.0/8,' + 'pkt_mark=0';

/** Of all packets that a switch carries here. */
const everywhere = [
  'nw_tos=0',
  'nw_ttl=64',
  'dl_src=00:00:00:00:00:00/01:00:00:00:00:00',
  'dl_dst=00:00:00:00:00:00/01:00:00:00:00:00',
];

/** Ports of a client that lead to each of many masks: bits 1 to 4 of them choose. */
export const portsOfMasks: readonly number[] = Array.from(
  { length: 2 ** everywhere.length },
  (_, index) => 20_000 + 2 * index,
);

/**
 * Four bits of the client's port choose a table, and each of the sixteen asks for others of these
 * fields. So a switch caches flows of as many masks, one of which a packet has; it asks half of
 * them for it. The lowest bit is left out: Linux prefers ports of one parity.
 */
function manyMasks(from: number, to: number): readonly string[] {
  const port = from === 1 ? 'tp_src' : 'tp_dst';
  return [
    `table=0,in_port=${from},arp actions=output:${to}`,
    ...portsOfMasks.flatMap((one, index) => {
      const asked = everywhere.filter((_field, bit) => ((index >> bit) & 1) === 1);
      const chosen = `${port}=${one & 0x1e}/0x1e actions=resubmit(,${index + 1})`;
      return [
        `table=0,in_port=${from},tcp,${chosen}`,
        `table=0,in_port=${from},udp,${chosen}`,
        `table=${index + 1},${[`in_port=${from},ip,${usual}`, ...asked].join(',')} ` +
          `actions=output:${to}`,
      ];
    }),
  ];
}

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
  'many-masks': manyMasks,
} as const;

/**
 * Neighbours are known, and everything else is on the link: what crosses the bridge is what is
 * measured, and ARP is no part of it.
 */
export function podAt(
  name: string,
  port: string,
  ip: string,
  ownMac: string,
  peer: Peer,
): HostPlan {
  return {
    name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port, mac: ownMac, ip, prefixLength: 24 }],
    routes: [{ destination: '0.0.0.0/0', via: peer.ip, interface: 'eth0', onlink: true }],
    neighbours: [peer],
  };
}
interface Peer {
  readonly ip: string;
  readonly mac: string;
}
