/**
 * Goal: what a real Open vSwitch was seen to say of segments holds without one: states and timeouts
 * of a connection from handshake to close, what opens one, what is invalid in one, where windows
 * end, and who is asked twice. Method: short conversations written segment by segment through a
 * pipeline that shows ct_state; tcp.live.test.ts holds thousands of others to a switch.
 */
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { ModelNode } from '../model-node.js';
import { buildNode } from '../build-node.js';
import { stateOf } from '../state-of-node.js';
import { flowCounts, receiveFrame } from '../receive-frame.js';

const [client, server] = ['10.0.0.1', '10.0.0.2'];
const { SYN, ACK, FIN, RST, PSH } = tcpFlags;

const verdicts = {
  new: '+new+trk',
  est: '-new+est-rpl+trk',
  rpl: '-new+est+rpl+trk',
  inv: '+inv+trk',
} as const;

/** Commits what is new and marks it; counts what each packet was taken for. */
function tracking(): ModelNode {
  const flows = [
    'table=0,ip actions=ct(table=1)',
    ...Object.values(verdicts).map((state) => `table=1,ip,ct_state=${state} actions=goto_table:2`),
    'table=2,ip,ct_state=+new actions=ct(commit,exec(load:7->NXM_NX_CT_MARK[]))',
  ];
  return buildNode({
    node: 'n',
    hosts: [],
    bridges: [
      {
        name: 'br',
        mac: '02:00:00:00:00:fe',
        ports: [{ kind: 'endpoint', name: 'p1', ofport: 1 }],
        flows,
      },
    ],
  });
}

/** What the tracker takes a packet for. */
function send(node: ModelNode, packet: Uint8Array): string {
  const before = new Map(flowCounts(node).map(({ flow, packets }) => [flow.match, packets]));
  receiveFrame(
    node,
    'p1',
    encodeEthernet(
      { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
      packet,
    ),
  );
  const taken = flowCounts(node).find(
    ({ flow, packets }) => flow.table === 1 && packets > (before.get(flow.match) ?? 0),
  );
  return (
    Object.entries(verdicts).find(
      ([, state]) => taken?.flow.match === `ct_state=${state},ip`,
    )?.[0] ?? 'nothing'
  );
}

interface Segment {
  readonly from?: 'client' | 'server';
  readonly at?: number;
  readonly ack?: number;
  readonly length?: number;
  readonly window?: number;
  readonly options?: readonly number[];
}

/**
 * Sequence numbers count from 100 at the client and from 200 at the server, whose SYNs take the
 * first.
 */
function tcp(
  flags: number,
  { from = 'client', at, ack, length = 0, window = 1000, options = [] }: Segment = {},
): Uint8Array {
  const [own, other] = from === 'client' ? [100, 200] : [200, 100];
  const addresses = from === 'client' ? { src: client, dst: server } : { src: server, dst: client };
  const ports = from === 'client' ? { srcPort: 5000, dstPort: 80 } : { srcPort: 80, dstPort: 5000 };
  const header = {
    ...ports,
    sequence: (own + (at ?? 1)) >>> 0,
    acknowledgement: (flags & ACK) === 0 ? 0 : (other + (ack ?? 1)) >>> 0,
    flags,
    window,
    urgentPointer: 0,
    options: Uint8Array.from(options),
  };
  return encodeIpv4(
    { ...addresses, ttl: 64, protocol: ipProtocols.tcp },
    encodeTcp(header, new Uint8Array(length), addresses),
  );
}

const syn = tcp(SYN, { at: 0 });
const synAck = tcp(SYN | ACK, { from: 'server', at: 0 });
const remembered = (node: ModelNode) =>
  stateOf(node).connections.map(
    ({ progress, mark, timeoutS }) =>
      `${progress.replace(/state_\w+=/g, '').replace(/,flags.*/, '')} mark ${mark} ${timeoutS} s`,
  );

/** A connection that stands: its node. */
function established(): ModelNode {
  const node = tracking();
  for (const packet of [syn, synAck, tcp(ACK)]) send(node, packet);
  return node;
}

void t.test('a connection from handshake to close', async (t) => {
  const node = tracking();
  const stateAfter = (packet: Uint8Array) => `${send(node, packet)}: ${remembered(node).join()}`;
  t.equal(stateAfter(syn), 'new: SYN_SENT,CLOSED mark 7 30 s');
  t.equal(stateAfter(syn), 'new: SYN_SENT,CLOSED mark 7 30 s', 'a SYN sent again is as new');
  t.equal(stateAfter(synAck), 'rpl: ESTABLISHED,SYN_SENT mark 7 30 s');
  t.equal(stateAfter(tcp(ACK)), 'est: ESTABLISHED,ESTABLISHED mark 7 86400 s');
  t.equal(
    stateAfter(tcp(PSH | ACK, { length: 10 })),
    'est: ESTABLISHED,ESTABLISHED mark 7 86400 s',
  );
  t.equal(
    stateAfter(tcp(PSH | ACK, { from: 'server', length: 10, ack: 11 })),
    'rpl: ESTABLISHED,ESTABLISHED mark 7 86400 s',
  );
  t.equal(stateAfter(tcp(FIN | ACK, { at: 11, ack: 11 })), 'est: CLOSING,ESTABLISHED mark 7 900 s');
  t.equal(
    stateAfter(tcp(FIN | ACK, { from: 'server', at: 11, ack: 12 })),
    'rpl: FIN_WAIT_2,CLOSING mark 7 45 s',
  );
  t.equal(stateAfter(tcp(ACK, { at: 12, ack: 12 })), 'est: FIN_WAIT_2,FIN_WAIT_2 mark 7 30 s');
  t.equal(
    stateAfter(syn),
    'new: SYN_SENT,CLOSED mark 7 30 s',
    'a SYN begins another one in its place',
  );
  node.nowMs += 30_000;
  t.strictSame(remembered(node), [], 'forgotten after its timeout');
  t.equal(send(node, synAck), 'inv');
});

void t.test('what opens a connection', async (t) => {
  const alone = (packet: Uint8Array) => send(tracking(), packet);
  t.equal(alone(tcp(ACK)), 'new', 'one that was there before the switch: picked up');
  t.equal(alone(tcp(RST)), 'new');
  t.equal(alone(synAck), 'inv', 'half of a handshake');
  for (const [flags, name] of [
    [SYN | FIN, 'SYN+FIN'],
    [SYN | RST, 'SYN+RST'],
    [FIN, 'FIN'],
    [PSH, 'PSH'],
    [0, 'none'],
  ] as const)
    t.equal(alone(tcp(flags)), 'inv', name);
  t.equal(alone(syn.with(20 + 17, (syn[20 + 17] ?? 0) ^ 1)), 'inv', 'a wrong checksum');
  t.equal(
    send(established(), syn.with(20 + 17, (syn[20 + 17] ?? 0) ^ 1)),
    'inv',
    'also in a connection',
  );
});

void t.test('what is invalid in a connection', async (t) => {
  const within = (flags: number, segment?: Segment) => send(established(), tcp(flags, segment));
  t.equal(within(SYN | FIN), 'inv');
  t.equal(within(ACK, { at: 1001, length: 1 }), 'inv', 'past the window that the server offered');
  t.equal(within(ACK, { at: 1000, length: 1 }), 'est', 'its last byte');
  t.equal(within(ACK, { at: -1001, length: 1 }), 'inv', 'more than a window back');
  t.equal(
    within(ACK, { at: -1000, length: 1 }),
    'est',
    'counted from its SYN, as nothing was sent since',
  );
  t.equal(
    within(ACK, { ack: 1 + 67_035 }),
    'est',
    'an acknowledgement a window and a packet ahead',
  );
  t.equal(within(ACK, { ack: 1 + 67_036 }), 'inv');
  t.equal(within(RST, { at: 1 }), 'est', 'a reset one off');
  t.equal(within(RST, { at: 2 }), 'inv');
  t.equal(
    within(SYN, { at: 50, length: 2000 }),
    'inv',
    'a SYN in a connection that stands is judged as any segment',
  );
});

void t.test('windows are scaled where both ends do', async (t) => {
  const scaled = (mine: readonly number[], theirs: readonly number[]) => {
    const node = tracking();
    send(node, tcp(SYN, { at: 0, options: mine }));
    send(node, tcp(SYN | ACK, { from: 'server', at: 0, options: theirs }));
    for (const from of ['client', 'server'] as const) send(node, tcp(ACK, { from, window: 100 }));
    return (
      `${stateOf(node).connections[0]?.progress.match(/wscale.*/)?.[0] ?? 'none'} ` +
      send(node, tcp(ACK, { at: 1100, length: 1 }))
    );
  };
  const by7 = [1, 3, 3, 7];
  t.equal(
    scaled(by7, by7),
    'wscale_orig=7,wscale_reply=7,flags_orig=WINDOW_SCALE,flags_reply=WINDOW_SCALE est',
  );
  t.match(scaled(by7, []), / inv$/);
  t.match(scaled([], by7), / inv$/);
  t.match(scaled([1, 3, 3, 200], by7), /wscale_orig=14,wscale_reply=7/, 'at most 14');
});

void t.test(
  'a packet that is tracked again is read again, where it has changed or the zone is another',
  async (t) => {
    const datagram = encodeIpv4(
      { src: client, dst: server, ttl: 64, protocol: ipProtocols.udp },
      encodeUdp({ srcPort: 5, dstPort: 6 }, new Uint8Array(3), { src: client, dst: server }),
    );
    const tracked = (...flows: readonly string[]) => {
      const node = buildNode({
        node: 'n',
        hosts: [],
        bridges: [
          {
            name: 'br',
            mac: '02:00:00:00:00:fe',
            ports: [{ kind: 'endpoint', name: 'p1', ofport: 1 }],
            flows,
          },
        ],
      });
      // The second time as a megaflow has it.
      for (const _ of ['translated', 'replayed'])
        receiveFrame(
          node,
          'p1',
          encodeEthernet(
            { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
            datagram,
          ),
        );
      return stateOf(node).connections.map(({ zone, original }) => `${zone} ${original}`);
    };
    t.strictSame(
      tracked('table=0,ip actions=ct(zone=1,table=1)', 'table=1,ip actions=ct(zone=1,commit)'),
      ['1 src=10.0.0.1,dst=10.0.0.2,sport=5,dport=6'],
    );
    t.strictSame(
      tracked('table=0,ip actions=ct(zone=1,table=1)', 'table=1,ip actions=ct(zone=2,commit)'),
      ['2 src=10.0.0.1,dst=10.0.0.2,sport=5,dport=6'],
    );
    t.strictSame(
      tracked(
        'table=0,ip actions=ct(zone=1,table=1)',
        'table=1,ip actions=set_field:10.0.0.9->ip_dst,ct(zone=1,commit)',
      ),
      ['1 src=10.0.0.1,dst=10.0.0.9,sport=5,dport=6'],
    );
    t.strictSame(
      tracked(
        'table=0,udp actions=ct(zone=1,table=1)',
        'table=1,udp actions=set_field:7->udp_dst,ct(zone=1,commit)',
      ),
      ['1 src=10.0.0.1,dst=10.0.0.2,sport=5,dport=7'],
    );
  },
);

void t.test('UDP and ICMP are new until they are answered', async (t) => {
  const node = tracking();
  const udp = (there: boolean) => {
    const addresses = there ? { src: client, dst: server } : { src: server, dst: client };
    return encodeIpv4(
      { ...addresses, ttl: 64, protocol: ipProtocols.udp },
      encodeUdp(
        there ? { srcPort: 5, dstPort: 6 } : { srcPort: 6, dstPort: 5 },
        new Uint8Array(3),
        addresses,
      ),
    );
  };
  const icmp = (type: number) =>
    encodeIpv4(
      {
        ...(type === 8 ? { src: client, dst: server } : { src: server, dst: client }),
        ttl: 64,
        protocol: ipProtocols.icmp,
      },
      encodeIcmp({ type, code: 0, identifier: 9, sequence: 1 }, new Uint8Array(4)),
    );
  t.strictSame(
    [udp(true), udp(true), udp(false), udp(true)].map((packet) => send(node, packet)),
    ['new', 'new', 'rpl', 'est'],
  );
  t.strictSame(
    [icmp(0), icmp(8), icmp(8), icmp(0), icmp(8)].map((packet) => send(node, packet)),
    ['inv', 'new', 'new', 'rpl', 'est'],
  );
  t.strictSame(
    stateOf(node).connections.map(
      ({ protocol, original, timeoutS }) => `${protocol} ${original} ${timeoutS}`,
    ),
    [
      'udp src=10.0.0.1,dst=10.0.0.2,sport=5,dport=6 30',
      'icmp src=10.0.0.1,dst=10.0.0.2,id=9,type=8,code=0 30',
    ],
  );
});
