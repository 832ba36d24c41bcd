/**
 * For tests: two nodes with tunnels between them, of any options, and flows that send through them.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { Random } from '../../../base/random.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan, UnderlayPlan } from '../../../domain/plan/bridge-plan.js';
import type { TunnelOptions, PortPlan, TunnelType } from '../../../domain/plan/port-plan.js';
import { pick } from '../arbitrary-frame.js';
import { buildNode } from '../../build-node.js';

type Number = 1 | 2;

const macs = { 1: '02:00:00:00:01:01', 2: '02:00:00:00:02:01' } as const;
const gateway = { mac: '02:00:00:00:99:01', ipv4: '172.30.0.254', ipv6: 'fd00:30::fe' } as const;

const chance = (random: Random, percent: number): boolean => random.integer(1, 100) <= percent;

/** An underlay of both families, with a gateway, and networks that only marked packets reach. */
export function underlayOf(own: Number): UnderlayPlan {
  const other = own === 1 ? 2 : 1;
  return {
    ip: `172.30.0.${own}`,
    prefixLength: 24,
    ipv6: { ip: `fd00:30::${own}`, prefixLength: 64 },
    neighbours: [
      { ip: `172.30.0.${other}`, mac: macs[other] },
      { ip: `fd00:30::${other}`, mac: macs[other] },
      { ip: gateway.ipv4, mac: gateway.mac },
      { ip: gateway.ipv6, mac: gateway.mac },
    ],
    routes: [
      { destination: '10.9.0.0/16', gateway: gateway.ipv4 },
      { destination: 'fd09::/64', gateway: gateway.ipv6 },
      { destination: '10.9.9.0/24', gateway: '172.30.0.2' },
      { destination: '172.30.0.0/24', mark: 7 },
      { destination: 'fd00:30::/64', mark: 7 },
    ],
  };
}

/** Flows of an underlay that do more than forward. */
const underlays: readonly (readonly string[])[] = [
  ['actions=NORMAL'],
  ['actions=NORMAL'],
  [
    'in_port=LOCAL,udp,tp_src=0 actions=set_field:5->reg1,resubmit(,1)',
    'table=1,reg1=5,reg0=0,tun_id=0,metadata=0,tun_dst=0.0.0.0,ct_state=-trk actions=output:1',
    'priority=1 actions=NORMAL',
  ],
  [
    'priority=2,ip actions=dec_ttl,NORMAL',
    'priority=2,ipv6 actions=dec_ttl,NORMAL',
    'priority=1 actions=NORMAL',
  ],
  [
    'priority=2,in_port=LOCAL,ip actions=ct(zone=3,commit,table=1)',
    'priority=1 actions=NORMAL',
    'table=1,priority=3,udp,tp_src=0 actions=drop',
    'table=1,priority=2,ct_state=+trk,ip actions=NORMAL',
  ],
  [
    'priority=2,in_port=LOCAL actions=push_vlan:0x8100,set_field:4196->vlan_vid,output:1',
    'priority=2,in_port=1,dl_vlan=100,ip actions=pop_vlan,set_field:3->nw_ecn,NORMAL',
    'priority=1 actions=NORMAL',
  ],
  [
    'priority=3,in_port=1,ip actions=set_field:3->nw_ecn,NORMAL',
    'priority=3,in_port=1,ipv6 actions=set_field:3->nw_ecn,NORMAL',
    'priority=1 actions=NORMAL',
  ],
  [
    'priority=2,in_port=LOCAL,ip ' +
      'actions=clone(set_field:2->nw_ttl,output:1),set_field:33->nw_ttl,output:1',
    'priority=1 actions=NORMAL',
  ],
  [
    'priority=2,in_port=LOCAL,ipv6 actions=set_field:184->nw_tos,output:1',
    'priority=2,in_port=LOCAL,ip,nw_tos=184 actions=set_field:172.30.0.77->nw_src,output:1',
    'priority=1 actions=NORMAL',
  ],
  [
    'in_port=LOCAL,ip,nw_proto=47 actions=output(port=1,max_len=60),resubmit(,1)',
    'table=1 actions=output:1,output:LOCAL',
    'priority=1 actions=NORMAL',
  ],
];

function someOptions(random: Random, own: Number, type: TunnelType): TunnelOptions {
  const remotes = [
    `172.30.0.${3 - own}`,
    `fd00:30::${3 - own}`,
    '10.9.0.7',
    'fd09::7',
    '10.9.9.7',
    '192.0.2.1',
  ];
  const remote = chance(random, 40)
    ? 'flow'
    : pick(random, [...remotes.slice(0, 2), ...remotes.slice(0, 2), ...remotes]);
  const locals =
    remote === 'flow'
      ? ['flow', `172.30.0.${own}`, `fd00:30::${own}`]
      : remote.includes(':')
        ? [`fd00:30::${own}`]
        : [`172.30.0.${own}`, '172.30.0.9'];
  const maybe = <Name extends keyof TunnelOptions>(
    percent: number,
    name: Name,
    values: readonly string[],
  ) => (chance(random, percent) ? { [name]: pick(random, values) } : {});
  return {
    remote_ip: remote,
    ...maybe(25, 'local_ip', locals),
    ...maybe(75, 'key', ['flow', 'flow', '5', '0x1000005', '0']),
    ...maybe(15, 'in_key', ['5', 'flow']),
    ...maybe(15, 'out_key', ['flow', '9', '0xffffffff']),
    ...maybe(30, 'tos', ['inherit', '184', '0x20']),
    ...maybe(30, 'ttl', ['inherit', '1', '200', '0']),
    ...maybe(20, 'df_default', ['false', 'true']),
    ...maybe(40, 'csum', ['true', 'false']),
    ...maybe(15, 'egress_pkt_mark', ['7', '0', '9']),
    ...(type === 'gre' ? {} : maybe(15, 'dst_port', ['6082', '8472'])),
    ...(type === 'vxlan' ? maybe(30, 'exts', ['gpe', 'gbp']) : {}),
  };
}

function someTunnels(random: Random, own: Number): readonly PortPlan[] {
  return Array.from({ length: random.integer(1, 4) }, (_, index): PortPlan => {
    const tunnel = pick(random, ['geneve', 'vxlan', 'gre'] as const);
    return {
      kind: 'tunnel',
      name: `tun${index}`,
      ofport: 10 + index,
      tunnel,
      ...(chance(random, 25) ? {} : { options: someOptions(random, own, tunnel) }),
    };
  });
}

/** What may be set before a packet goes into a tunnel. */
function settings(own: Number): readonly string[] {
  return [
    `set_field:172.30.0.${3 - own}->tun_dst`,
    `set_field:fd00:30::${3 - own}->tun_ipv6_dst`,
    'set_field:10.9.0.9->tun_dst',
    `set_field:172.30.0.${own}->tun_src`,
    'set_field:172.30.0.9->tun_src',
    'set_field:5->tun_id',
    'set_field:0x123456789abcdef->tun_id',
    'set_field:7->pkt_mark',
    'set_field:oam->tun_flags',
    'set_field:77->tun_gbp_id',
    'set_field:1->reg0,set_field:9->metadata',
    'set_field:0x77->tun_metadata0',
    'push_vlan:0x8100,set_field:4101->vlan_vid',
    'set_field:0a:00:00:00:00:77->eth_dst',
    'resubmit(,2)',
  ];
}

function someFlows(random: Random, own: Number, tunnels: readonly PortPlan[]): readonly string[] {
  const out = () => pick(random, tunnels).ofport;
  const before = (most: number) =>
    Array.from({ length: random.integer(0, most) }, () => pick(random, settings(own)));
  const toTunnel = () => [
    ...(chance(random, 80) ? [pick(random, settings(own).slice(0, 2))] : []),
    ...before(3),
    chance(random, 85)
      ? `output:${out()}`
      : `output(port=${out()},max_len=${pick(random, [14, 40, 100])})`,
    ...(chance(random, 30) ? ['output:4'] : []),
  ];
  return [
    ...[1, 2, 3].map(
      (port) =>
        `priority=9,in_port=${port} ` +
        `actions=${[...toTunnel(), ...(chance(random, 40) ? toTunnel() : [])].join(',')}`,
    ),
    ...tunnels.flatMap(({ ofport }) => [
      `priority=9,in_port=${ofport},tun_id=5,tun_src=172.30.0.${3 - own} actions=output:1`,
      `priority=8,in_port=${ofport},tun_ipv6_dst=fd00:30::${own},tun_flags=+oam actions=output:2`,
      `priority=7,in_port=${ofport},ip,nw_ecn=3 ` +
        `actions=resubmit(,1),${pick(random, ['output:4', ...toTunnel()])}`,
      `priority=6,in_port=${ofport} ` +
        `actions=output:3,${chance(random, 40) ? toTunnel().join(',') : 'output:2'}`,
    ]),
    'table=1,ip,nw_ecn=3 actions=output:1',
    'table=1,priority=1 actions=output:2',
    'table=2,ip actions=ct(commit,zone=1)',
  ];
}

function someNode(random: Random, own: Number): NodePlan {
  const tunnels = someTunnels(random, own);
  const integration: BridgePlan = {
    name: 'br-int',
    mac: `02:00:00:00:0${own}:fe`,
    ports: [
      ...[1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport })),
      ...tunnels,
    ],
    flows: someFlows(random, own, tunnels),
    tunnelOptions: ['{class=0x102,type=0,len=4}->tun_metadata0'],
  };
  const physical: BridgePlan = {
    name: 'br-phys',
    mac: macs[own],
    underlay: underlayOf(own),
    ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: macs[own] }],
    flows: pick(random, underlays),
  };
  return { node: `n${own}`, hosts: [], bridges: [integration, physical] };
}

/** Two nodes whose ports can be distinguished. */
export function somePair(random: Random): readonly [NodePlan, NodePlan] {
  return [someKnownNode(random, 1), someKnownNode(random, 2)];
}

function someKnownNode(random: Random, own: Number): NodePlan {
  for (;;) {
    const plan = someNode(random, own);
    try {
      buildNode(plan).tunnels();
      return plan;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
    }
  }
}
