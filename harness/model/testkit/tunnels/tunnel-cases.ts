/**
 * What goes into a node with tunnels, step by step, and what comes out: at p1 and p2 what is sent
 * to two neighbours that nobody has announced, at `up` what comes from the network. Whatever came
 * through a tunnel leaves at a port named after it. Real switches say the same
 * (tunnel-cases.live.test.ts).
 */
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { TunnelOptions, PortPlan, TunnelType } from '../../../domain/plan/port-plan.js';
import { arpOperations } from '../../../packet/protocols/link/arp.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../../packet/bytes/header-layout.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { vxlanPort } from '../../../packet/protocols/tunnel/vxlan.js';
import {
  advertisement,
  arp,
  changed,
  geneve,
  genevePayload,
  gre,
  inner,
  neighbour,
  outer,
  overUdp,
  own,
  teb,
  vxlan,
} from './tunnel-case-frames.js';

export type TunnelCaseStep =
  | {
      readonly kind: 'frame';
      readonly into: 'p1' | 'p2' | 'up';
      readonly frame: Uint8Array /** Ports, and what comes out of them in a line. */;
      readonly gives: readonly string[];
    }
  | { readonly kind: 'time'; readonly seconds: number };

export interface TunnelCase {
  readonly what: string;
  readonly steps: readonly TunnelCaseStep[];
}

const tunnels: readonly (readonly [string, TunnelType, TunnelOptions])[] = [
  ['any', 'geneve', { remote_ip: 'flow', key: 'flow' }],
  ['key', 'geneve', { remote_ip: 'flow', key: '5' }],
  ['remote', 'geneve', { remote_ip: '172.30.0.2', key: 'flow' }],
  ['both', 'geneve', { remote_ip: '172.30.0.2', key: '5' }],
  ['local', 'geneve', { remote_ip: '172.30.0.2', local_ip: own.ipv4, key: '6' }],
  ['nolocal', 'geneve', { remote_ip: '172.30.0.2', key: '6' }],
  ['vxlan', 'vxlan', { remote_ip: 'flow', key: 'flow' }],
  ['gpe', 'vxlan', { remote_ip: 'flow', key: 'flow', dst_port: '4790', exts: 'gpe' }],
  ['gre', 'gre', { remote_ip: 'flow' }],
  ['grekey', 'gre', { remote_ip: 'flow', key: '7' }],
];
const firstTunnel = 10;
const firstEnd = 30;

const endpoint = (name: string, ofport: number): PortPlan => ({ kind: 'endpoint', name, ofport });

export const caseNode: NodePlan = {
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br-int',
      mac: '02:00:00:00:01:fe',
      ports: [
        endpoint('p1', 1),
        endpoint('p2', 2),
        ...tunnels.flatMap(([name, tunnel, options], index): readonly PortPlan[] => [
          { kind: 'tunnel', name, ofport: firstTunnel + index, tunnel, options },
          endpoint(`from-${name}`, firstEnd + index),
        ]),
      ],
      flows: [
        `in_port=1 actions=set_field:172.30.0.9->tun_dst,output:${firstTunnel}`,
        `in_port=2 actions=set_field:fd00:30::9->tun_ipv6_dst,output:${firstTunnel}`,
        ...tunnels.map(
          (_, index) => `in_port=${firstTunnel + index} actions=output:${firstEnd + index}`,
        ),
      ],
    },
    {
      name: 'br-phys',
      mac: own.mac,
      ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: own.mac }],
      flows: ['in_port=1 actions=output:LOCAL', 'in_port=LOCAL actions=output:1'],
      underlay: {
        ip: own.ipv4,
        prefixLength: 24,
        ipv6: { ip: own.ipv6, prefixLength: 64 },
        neighbours: [{ ip: '172.30.0.2', mac: '02:00:00:00:02:01' }],
      },
    },
  ],
};

const frameInto = (
  port: 'p1' | 'p2' | 'up',
  frame: Uint8Array,
  ...gives: readonly string[]
): TunnelCaseStep => ({
  kind: 'frame',
  into: port,
  frame,
  gives,
});
const wait = (seconds: number): TunnelCaseStep => ({ kind: 'time', seconds });

export const tunnelCases: readonly TunnelCase[] = [
  {
    what: 'who is not known is asked for, and reached once the answer has come',
    steps: [
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > ff:ff:ff:ff:ff:ff ARP who has 172.30.0.9? tell 172.30.0.1 at ' +
          '02:00:00:00:01:01',
      ),
      frameInto(
        'up',
        arp(arpOperations.reply, neighbour.ipv4, own.ipv4),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 ARP 172.30.0.9 is at 02:00:00:00:09:01',
      ),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:09:01 IPv4 172.30.0.1 > 172.30.0.9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } ttl 64',
      ),
    ],
  },
  {
    what: 'the same over IPv6',
    steps: [
      frameInto(
        'p2',
        inner(),
        'up 02:00:00:00:01:01 > 33:33:ff:00:00:09 IPv6 fd00:30::1 > ff02::1:ff00:9 ICMPv6 who ' +
          'has fd00:30::9? tell 02:00:00:00:01:01 hop limit 255',
      ),
      frameInto(
        'up',
        advertisement(own.ipv6),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 IPv6 fd00:30::9 > fd00:30::1 ICMPv6 ' +
          'fd00:30::9 is at 02:00:00:00:09:01 hop limit 255',
      ),
      frameInto(
        'p2',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:09:01 IPv6 fd00:30::1 > fd00:30::9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } hop limit 64',
      ),
    ],
  },
  {
    what: 'who announces where it is, is believed',
    steps: [
      frameInto(
        'up',
        arp(arpOperations.request, neighbour.ipv4, neighbour.ipv4),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 ARP who has 172.30.0.9? tell ' +
          '172.30.0.9 at 02:00:00:00:09:01',
      ),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:09:01 IPv4 172.30.0.1 > 172.30.0.9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } ttl 64',
      ),
    ],
  },
  {
    what: 'who says something else is not',
    steps: [
      frameInto(
        'up',
        arp(3, neighbour.ipv4, own.ipv4),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 ARP operation 3',
      ),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > ff:ff:ff:ff:ff:ff ARP who has 172.30.0.9? tell 172.30.0.1 at ' +
          '02:00:00:00:01:01',
      ),
    ],
  },
  {
    what: 'nor who answers somebody else',
    steps: [
      frameInto(
        'up',
        arp(arpOperations.reply, neighbour.ipv4, '172.30.0.3'),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 ARP 172.30.0.9 is at 02:00:00:00:09:01',
      ),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > ff:ff:ff:ff:ff:ff ARP who has 172.30.0.9? tell 172.30.0.1 at ' +
          '02:00:00:00:01:01',
      ),
    ],
  },
  {
    what: 'nor who has no address',
    steps: [
      frameInto(
        'up',
        arp(arpOperations.reply, neighbour.ipv4, own.ipv4, '00:00:00:00:00:00'),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 ARP 172.30.0.9 is at 00:00:00:00:00:00',
      ),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > ff:ff:ff:ff:ff:ff ARP who has 172.30.0.9? tell 172.30.0.1 at ' +
          '02:00:00:00:01:01',
      ),
    ],
  },
  {
    what: 'advertisements to those who listen to the address are answers',
    steps: [
      frameInto(
        'up',
        advertisement('ff02::1:ff00:1'),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 IPv6 fd00:30::9 > ff02::1:ff00:1 ' +
          'ICMPv6 fd00:30::9 is at 02:00:00:00:09:01 hop limit 255',
      ),
      frameInto(
        'p2',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:09:01 IPv6 fd00:30::1 > fd00:30::9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } hop limit 64',
      ),
    ],
  },
  {
    what: 'advertisements to all are not',
    steps: [
      frameInto(
        'up',
        advertisement('ff02::1'),
        'br-phys 02:00:00:00:09:01 > 02:00:00:00:01:01 IPv6 fd00:30::9 > ff02::1 ICMPv6 ' +
          'fd00:30::9 is at 02:00:00:00:09:01 hop limit 255',
      ),
      frameInto(
        'p2',
        inner(),
        'up 02:00:00:00:01:01 > 33:33:ff:00:00:09 IPv6 fd00:30::1 > ff02::1:ff00:9 ICMPv6 who ' +
          'has fd00:30::9? tell 02:00:00:00:01:01 hop limit 255',
      ),
    ],
  },
  {
    what: 'who sends through a tunnel is known',
    steps: [
      frameInto('up', geneve(neighbour.ipv4, 9), 'from-any inner'),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } ttl 64',
      ),
    ],
  },
  {
    what: 'a quarter of an hour after the last packet it is forgotten',
    steps: [
      frameInto('up', geneve(neighbour.ipv4, 9), 'from-any inner'),
      wait(899),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } ttl 64',
      ),
      wait(899),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.9 UDP 49363 > ' +
          '6081 Geneve vni 0 { inner } ttl 64',
      ),
      wait(900),
      frameInto(
        'p1',
        inner(),
        'up 02:00:00:00:01:01 > ff:ff:ff:ff:ff:ff ARP who has 172.30.0.9? tell 172.30.0.1 at ' +
          '02:00:00:00:01:01',
      ),
    ],
  },
  {
    what: 'key before remote address before local address before anything',
    steps: [
      frameInto('up', geneve('172.30.0.2', 5), 'from-both inner'),
      frameInto('up', geneve('172.30.0.3', 5), 'from-key inner'),
      frameInto('up', geneve('172.30.0.2', 4), 'from-remote inner'),
      frameInto('up', geneve('172.30.0.3', 4), 'from-any inner'),
      frameInto('up', geneve('172.30.0.2', 6), 'from-local inner'),
      frameInto('up', geneve('172.30.0.3', 6), 'from-any inner'),
    ],
  },
  {
    what: 'congestion on the way is marked inside',
    steps: [
      frameInto('up', geneve('172.30.0.3', 9, { tos: 3 }, inner(0xb9)), 'from-any inner tos 0xbb'),
      frameInto('up', geneve('172.30.0.3', 9, { tos: 3 }, inner(2)), 'from-any inner tos 0x03'),
      frameInto('up', geneve('172.30.0.3', 9, { tos: 1 }, inner(2)), 'from-any inner tos 0x02'),
      frameInto('up', geneve('172.30.0.3', 9, { tos: 1 }, inner(0)), 'from-any inner'),
    ],
  },
  {
    what: 'who would not understand it is dropped',
    steps: [frameInto('up', geneve('172.30.0.3', 9, { tos: 3 }, inner(0)))],
  },
  {
    what: 'outer headers that are broken',
    steps: [
      frameInto('up', changed(geneve('172.30.0.3', 9), 24)),
      frameInto('up', geneve('172.30.0.3', 9, { options: Uint8Array.of(1, 1, 1, 1) })),
      frameInto(
        'up',
        geneve('172.30.0.3', 9, { flags: 1 }),
        'br-phys 02:00:00:00:02:01 > 02:00:00:00:01:01 IPv4 172.30.0.3 > 172.30.0.1 UDP 50000 ' +
          '> 6081 Geneve vni 9 { inner } fragment moreFragments offset 0 ttl 64',
      ),
      frameInto('up', changed(geneve('172.30.0.3', 9), 40)),
      frameInto(
        'up',
        concatBytes(geneve('172.30.0.3', 9), new Uint8Array(3).fill(7)),
        'from-any inner',
      ),
    ],
  },
  {
    what: 'headers of Geneve that are not',
    steps: [
      frameInto('up', geneve('172.30.0.3', 9).with(42, 0x40)),
      frameInto(
        'up',
        outer(
          '172.30.0.3',
          ipProtocols.udp,
          genevePayload(9, inner().subarray(14), etherTypes.ipv4),
        ),
      ),
      frameInto('up', geneve('172.30.0.3', 9, {}, inner().subarray(0, 13))),
      frameInto(
        'up',
        geneve('172.30.0.3', 9, {}, inner().subarray(0, 14)),
        'from-any 0a:00:00:00:00:01 > 0a:00:00:00:00:02 type 0x0800 length 0',
      ),
    ],
  },
  {
    what: 'headers of VXLAN',
    steps: [
      frameInto('up', vxlan([8]), 'from-vxlan inner'),
      frameInto('up', vxlan([8, 0x80])),
      frameInto('up', vxlan([0x88])),
      frameInto('up', vxlan([8], vxlanPort, 1)),
      frameInto('up', vxlan([0x0c, 0, 0, 3]), 'from-vxlan inner'),
      frameInto('up', vxlan([0x0c, 0, 0, 1])),
      frameInto('up', vxlan([0x0c, 0, 0, 3], 4790), 'from-gpe inner'),
      frameInto('up', vxlan([8], 4790), 'from-gpe inner'),
      frameInto('up', vxlan([0x0d, 0, 0, 3], 4790)),
    ],
  },
  {
    what: 'headers of GRE',
    steps: [
      frameInto('up', gre(teb), 'from-gre inner'),
      frameInto('up', gre({ ...teb, key: 7 }), 'from-grekey inner'),
      frameInto('up', gre({ ...teb, key: 8 })),
      frameInto(
        'up',
        gre({ ...teb, key: 7, checksum: 'computed', sequence: 1 }),
        'from-grekey inner',
      ),
      frameInto('up', changed(gre({ ...teb, checksum: 'computed' }), 60)),
      frameInto('up', gre(teb).with(34, 0x40)),
      frameInto('up', gre({ protocolType: etherTypes.ipv4 })),
    ],
  },
  {
    what: 'what is for somebody else is forwarded',
    steps: [
      frameInto(
        'up',
        geneve('172.30.0.3', 9).with(5, 2),
        'br-phys 02:00:00:00:02:01 > 02:00:00:00:01:02 IPv4 172.30.0.3 > 172.30.0.1 UDP 50000 ' +
          '> 6081 Geneve vni 9 { inner } ttl 64',
      ),
      frameInto(
        'up',
        geneve('172.30.0.3', 9, { dst: '172.30.0.5' }),
        'br-phys 02:00:00:00:02:01 > 02:00:00:00:01:01 IPv4 172.30.0.3 > 172.30.0.5 UDP 50000 ' +
          '> 6081 Geneve vni 9 { inner } ttl 64',
      ),
      frameInto(
        'up',
        outer('172.30.0.3', ipProtocols.udp, overUdp(4788, inner())),
        'br-phys 02:00:00:00:02:01 > 02:00:00:00:01:01 IPv4 172.30.0.3 > 172.30.0.1 UDP 50000 ' +
          '> 4788 length 44 ttl 64',
      ),
    ],
  },
];
