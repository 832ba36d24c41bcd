/**
 * One node whose flows translate what p1 sends, as the address says that it sends to. Promised is
 * what ovs-actions(7) says of `ct(nat)`, the same for each datapath; which ports are chosen, what
 * ct_state says meanwhile and how long frames are, model and switch are held to.
 */
import {
  antrea,
  defineScenario,
  intentOf,
  podsOf,
  staticFlows,
  type Intent,
  type Stimulus,
  type TestVector,
} from '../../harness/index.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';

/**
 * Whether flows leave a choice of ports. The datapath in userspace takes one by a number that it
 * draws when it starts, so that traces differ from run to run; a kernel in a guest takes the same.
 */
const portsOf = ['given', 'chosen'] as const;

const cluster = antreaCluster({ nodes: 1, podsPerNode: 6, tunnel: 'geneve' });

interface Translation {
  readonly name: string;
  readonly to: string;
  readonly nat: string;
  readonly by: readonly ('ping' | 'udp' | 'tcp')[];
  readonly port?: number;
  /** Whom it reaches, and as whose. */
  readonly reaches: { readonly pod: string; readonly source: string };
}

const all = ['ping', 'udp', 'tcp'] as const;
const withPorts = ['udp', 'tcp'] as const;
const client = { pod: 'p1', ip: '10.10.1.2' };

const translations: readonly Translation[] = [
  {
    name: 'range',
    to: '10.10.1.3',
    nat: 'src=10.10.1.193:5000-5003',
    by: all,
    reaches: { pod: 'p2', source: '10.10.1.193' },
  },
  {
    name: 'kept',
    to: '10.10.1.4',
    nat: 'src=10.10.1.194',
    by: all,
    reaches: { pod: 'p3', source: '10.10.1.194' },
  },
  {
    name: 'clash',
    to: '10.10.1.5',
    nat: 'src=10.10.1.195',
    by: withPorts,
    reaches: { pod: 'p4', source: '10.10.1.195' },
  },
  {
    name: 'one-port',
    to: '10.10.1.6',
    nat: 'src=10.10.1.196:6000',
    by: withPorts,
    reaches: { pod: 'p5', source: '10.10.1.196' },
  },
  {
    name: 'destination',
    to: '10.10.1.209',
    nat: 'dst=10.10.1.7',
    by: all,
    reaches: { pod: 'p6', source: client.ip },
  },
  {
    name: 'destination-port',
    to: '10.10.1.210',
    nat: 'dst=10.10.1.7:7',
    by: withPorts,
    port: 80,
    reaches: { pod: 'p6', source: client.ip },
  },
];

/** Nobody is there: the time to live of what is sent there is over at the node. */
const beyond = { to: '192.0.2.9', nat: 'src=10.10.1.197:7000' };

/** Who asks for an address that is translated is sent here. */
const translatorMac = 'aa:bb:cc:dd:ee:ff';

const commit = (nat: string) => `ct(commit,zone=1,nat(${nat}),table=1)`;

/** Another client with the same port was there before it. */
const afterOther = (nat: string) =>
  `clone(set_field:10.10.1.99->ip_src,ct(commit,zone=1,nat(${nat}))),${commit(nat)}`;

const flows = [
  'table=0,priority=200,arp,arp_op=1,arp_tpa=10.10.1.192/27 actions=' +
    `move:eth_src->eth_dst,set_field:${translatorMac}->eth_src,set_field:2->arp_op,` +
    `move:arp_sha->arp_tha,set_field:${translatorMac}->arp_sha,` +
    'move:arp_tpa->reg0,move:arp_spa->arp_tpa,move:reg0->arp_spa,in_port',
  // Answers, and errors that quote what was translated.
  'table=0,priority=100,ip,nw_dst=10.10.1.192/28 actions=ct(zone=1,nat,table=1)',
  'table=0,priority=100,ip,nw_src=10.10.1.7 actions=ct(zone=1,nat,table=1)',
  ...translations.map(
    ({ to, nat }) => `table=0,priority=50,ip,nw_dst=${to} actions=${commit(nat)}`,
  ),
  ...translations
    .filter(({ name }) => name === 'clash')
    .flatMap(({ to, nat }) =>
      withPorts.map(
        (protocol) => `table=0,priority=60,${protocol},nw_dst=${to} actions=${afterOther(nat)}`,
      ),
    ),
  `table=0,priority=50,ip,nw_dst=${beyond.to} actions=${commit(beyond.nat)}`,
  'table=0,priority=0 actions=NORMAL',
  // Each counts what ct_state says.
  'table=1,priority=100,ip,ct_state=+trk+inv actions=drop',
  'table=1,priority=90,ip,ct_state=+trk+rel actions=goto_table:2',
  ...['-snat-dnat', '+snat-dnat', '-snat+dnat', '+snat+dnat'].map(
    (bits) => `table=1,priority=50,ip,ct_state=+trk${bits} actions=goto_table:2`,
  ),
  // By number: a switch that has not learned the MAC address yet sends NORMAL to everybody.
  ...podsOf(cluster).map(
    ({ pod: { ip, mac } }, index) =>
      `table=2,ip,nw_dst=${ip} actions=set_field:${mac}->eth_dst,output:${index + 3}`,
  ),
  ...cluster.nodes.map(
    ({ gateway }) =>
      `table=2,ip,nw_dst=${beyond.to} actions=set_field:${gateway.mac}->eth_dst,output:2`,
  ),
];

/** UDP of 2 bytes from port 40000 to port 9 of p3, and 16 bytes behind the end of IP. */
const padded = '4500001e00010000401164b50a0a01020a0a01049c400009000ae50d6869' + 'ee'.repeat(16);

const chosen: readonly TestVector[] = [
  ...vectorsTo(translations.filter(leavesAChoice)),
  {
    id: 'calls/range',
    stimulus: {
      kind: 'calls',
      protocol: 'UDP',
      from: client.pod,
      to: '10.10.1.3',
      port: 7,
      count: 4,
      everyMs: 1,
    },
  },
];

const given: readonly TestVector[] = [
  ...vectorsTo(translations.filter((one) => !leavesAChoice(one))),
  {
    id: 'padded/kept',
    stimulus: {
      kind: 'frame',
      from: client.pod,
      what: 'UDP with bytes behind the end of IP',
      frame: {
        src: '0a:00:0a:0a:01:02',
        dst: '0a:00:0a:0a:01:04',
        payload: { kind: 'other', etherType: 0x0800, hex: padded },
      },
    },
  },
  ...all.map((kind): TestVector => {
    const sent = { from: client.pod, to: beyond.to, ttl: 1 };
    return {
      id: `error/${kind}`,
      stimulus: kind === 'ping' ? { kind, ...sent } : { kind, ...sent, port: 7 },
    };
  }),
];

function leavesAChoice({ name }: Translation): boolean {
  return name === 'range';
}

function vectorsTo(translated: readonly Translation[]): readonly TestVector[] {
  return translated.flatMap(({ name, to, by, port = 7 }) =>
    by.map(
      (kind): TestVector => ({
        id: `${kind}/${name}`,
        stimulus:
          kind === 'ping' ? { kind, from: client.pod, to } : { kind, from: client.pod, to, port },
      }),
    ),
  );
}

/** The only one that sends is p1, by its stack or past it. */
function promised(stimulus: Stimulus): Intent | undefined {
  if (stimulus.kind === 'frame')
    return stimulus.frame.payload.kind === 'other' && stimulus.frame.payload.etherType === 0x0800
      ? { kind: 'delivered', to: 'p3', source: '10.10.1.194', why: 'nobody is on port 9' }
      : { kind: 'denied', why: 'it is no IP' };
  if (!('to' in stimulus)) return undefined;
  if (stimulus.to === beyond.to)
    return 'ttl' in stimulus && stimulus.ttl === 1
      ? { kind: 'rejected', why: 'its time to live is over at the node' }
      : { kind: 'denied', why: 'there is no router behind the node' };
  const { reaches } = translations.find(({ to }) => to === stimulus.to) ?? {};
  if (reaches === undefined) return undefined;
  const { pod: to, source } = reaches;
  return stimulus.kind === 'calls'
    ? {
        kind: 'balanced',
        answerers: [{ to, sources: [source] }],
        spread: 'the same',
        why: 'as many ports are asked for as connections',
      }
    : { kind: 'round-trip', to, source };
}

export default defineScenario({
  name: 'openflow/nat',
  title: 'What flows translate by ct(nat): sources, ports and destinations, and errors about them',
  axes: { ports: { values: portsOf, default: ['given'] } },
  topology: ({ ports }) => ({ ...cluster, ports }),
  controlPlane: staticFlows(antrea('0.8'), [
    { bridge: 'br-int', text: flows.join('\n'), file: 'openflow/nat' },
  ]),
  vectors: ({ ports }) => (ports === 'given' ? given : chosen),
  intent: (topology, stimulus, promises) =>
    promised(stimulus) ?? intentOf(topology, stimulus, promises),
});
