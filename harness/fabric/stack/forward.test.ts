// Goal: a host that forwards does as a Linux router with netfilter's nat table: what it sends on,
// what it translates, what it takes itself, whom it notifies. Method: rules as kube-proxy and a
// node have them; packets delivered to it one by one, what it does in words, and bytes where
// words are too short.
import t from 'tap';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { NatPlan } from '../../domain/plan/nat-plan.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
} from '../../packet/protocols/link/ethernet.js';
import { decodeIcmp, encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { decodeIpv4, encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { createHost, type VectorRandomness, type Effect, type Host } from './host.js';
import { receive, fireTimer } from './host-stack.js';
import { startStimulus } from './start-stimulus.js';

const pods = ['10.10.0.0/16'];
const plan: NatPlan = {
  destinations: [
    {
      match: { ip: '10.96.0.10', protocol: 'TCP', port: 80 },
      to: [{ ip: '10.10.1.3', port: 8080 }],
      keepsSenders: pods,
    },
    { match: { ip: '10.96.0.30', protocol: 'TCP', port: 80 }, to: [], keepsSenders: [] },
    {
      match: { ip: '10.96.0.60', protocol: 'TCP', port: 80 },
      to: [],
      nobody: 'lost',
      keepsSenders: [],
    },
    {
      match: { ip: '10.96.0.40', protocol: 'TCP', port: 80 },
      to: [{ ip: '10.10.1.1', port: 7 }],
      keepsSenders: pods,
    },
    {
      match: { ip: '10.96.0.50', protocol: 'TCP', port: 80 },
      to: [{ ip: '10.20.0.1', port: 80 }],
      keepsSenders: pods,
    },
  ],
  sources: [{ from: ['10.10.1.0/24'], except: pods }],
};
const router: HostPlan = {
  name: 'n1',
  kind: 'linux-node',
  routes: [],
  interfaces: [
    { name: 'gw', port: 'gw', mac: '0a:00:00:00:00:01', ip: '10.10.1.1', prefixLength: 24 },
    { name: 'eth0', port: 'eth0', mac: '0a:00:00:00:00:02', ip: '172.30.0.1', prefixLength: 24 },
  ],
  forwarding: plan,
};
const draws: VectorRandomness = {
  identifier: 7,
  srcPort: 50_000,
  payload: Uint8Array.of(1, 2),
  sequences: { opener: 1, answerer: 2 },
};
const outwards = { destination: '0.0.0.0/0', via: '172.30.0.2', interface: 'eth0', onlink: false };

/** Neighbours are known, so that packets go out at once. */
function createRouter(changed: Partial<HostPlan> = {}): Host {
  const host = createHost({ ...router, ...changed }, draws);
  for (const ip of ['10.10.1.2', '10.10.1.3', '10.10.1.4', '172.30.0.2'])
    host.neighbours.set(ip, { kind: 'known', mac: '0a:00:00:00:00:99' });
  return host;
}

const [gw, eth0] = router.interfaces;
if (gw === undefined || eth0 === undefined) throw new Error('two interfaces');

const { SYN, ACK, RST } = tcpFlags;
const segment = (
  src: string,
  srcPort: number,
  dst: string,
  dstPort: number,
  flags: number = SYN,
): Uint8Array =>
  encodeIpv4(
    { src, dst, ttl: 9, protocol: ipProtocols.tcp },
    encodeTcp(
      {
        srcPort,
        dstPort,
        sequence: 1,
        acknowledgement: 2,
        flags,
        window: 1,
        urgentPointer: 0,
        options: new Uint8Array(),
      },
      new Uint8Array(),
      { src, dst },
    ),
  );
const datagram = (dst: string, ttl: number, { src = '10.10.1.2', bytes = 1 } = {}) =>
  encodeIpv4(
    { src, dst, ttl, protocol: ipProtocols.udp },
    encodeUdp({ srcPort: 4000, dstPort: 9 }, new Uint8Array(bytes).fill(5), { src, dst }),
  );
const framed = (packet: Uint8Array, mac: string) =>
  encodeEthernet({ dst: mac, src: '0a:00:00:00:00:99', etherType: etherTypes.ipv4 }, packet);

/** What happens to a packet: `via: src > dst, TTL, protocol` of what is sent, and what is noted. */
function outcome(host: Host, packet: Uint8Array, via = gw): readonly string[] {
  return via === undefined ? [] : receive(host, via, framed(packet, via.mac)).map(inWords);
}

function inWords(effect: Effect): string {
  if (effect.kind === 'note')
    return 'why' in effect.note ? `${effect.note.kind}: ${effect.note.why}` : effect.note.kind;
  if (effect.kind === 'wake') return 'wake';
  const ip = decodeIpv4(packetOf(effect));
  const icmp = ip?.header.protocol === ipProtocols.icmp ? decodeIcmp(ip.payload) : undefined;
  return ip === undefined
    ? `${effect.via.name}: ARP`
    : `${effect.via.name}: ${ip.header.src} > ${ip.header.dst}, TTL ${ip.header.ttl}, ` +
        (icmp === undefined
          ? `protocol ${ip.header.protocol}`
          : `ICMP ${icmp.header.type}/${icmp.header.code}`) +
        ', ' +
        ip.checksum;
}

function packetOf(effect: Effect | undefined): Uint8Array {
  return effect?.kind === 'send'
    ? (decodeEthernet(effect.frame)?.payload ?? new Uint8Array())
    : new Uint8Array();
}

void t.test('what is for others is forwarded', async (t) => {
  const host = createRouter();
  t.same(
    outcome(host, datagram('10.10.1.3', 9)),
    ['gw: 10.10.1.2 > 10.10.1.3, TTL 8, protocol 17, valid'],
    'out of where it came in',
  );
  t.same(outcome(host, datagram('172.30.0.2', 2)), [
    'eth0: 172.30.0.1 > 172.30.0.2, TTL 1, protocol 17, valid',
  ]);
  t.same(outcome(host, datagram('10.10.1.1', 1)), ['received'], 'but what is for itself');
  t.same(
    outcome(
      createHost(
        { name: router.name, kind: router.kind, routes: [], interfaces: router.interfaces },
        draws,
      ),
      datagram('172.30.0.2', 9),
    ),
    ['dropped: no route to 172.30.0.2'],
    'one that does not forward',
  );
  const halves = createRouter({ forwardsFrom: ['gw'] });
  t.same(outcome(halves, datagram('10.10.1.3', 9, { src: '172.30.0.2' }), eth0), [
    'dropped: eth0 does not forward',
  ]);
  t.same(outcome(halves, segment('10.10.1.2', 4000, '172.30.0.2', 80)), [
    'eth0: 172.30.0.1 > 172.30.0.2, TTL 8, protocol 6, valid',
  ]);
  t.same(
    outcome(halves, segment('172.30.0.2', 80, '172.30.0.1', 4000, SYN | ACK), eth0),
    ['gw: 172.30.0.2 > 10.10.1.2, TTL 8, protocol 6, valid'],
    'answers to what was translated',
  );
  const whole = encodeIpv4(
    {
      src: '10.10.1.2',
      dst: '10.10.1.3',
      ttl: 9,
      protocol: 47,
      options: Uint8Array.of(1, 1, 1, 1),
    },
    Uint8Array.of(1, 2, 3),
  );
  const [sent] = receive(createRouter(), gw, framed(Uint8Array.of(...whole, 0, 0, 0), gw.mac));
  t.same(
    packetOf(sent),
    encodeIpv4(
      {
        src: '10.10.1.2',
        dst: '10.10.1.3',
        ttl: 8,
        protocol: 47,
        options: Uint8Array.of(1, 1, 1, 1),
      },
      Uint8Array.of(1, 2, 3),
    ),
    'with its options and to its last byte, without what only filled the frame',
  );
});

void t.test('what is translated', async (t) => {
  const host = createRouter();
  t.same(
    outcome(host, segment('10.10.1.2', 4000, '10.96.0.10', 80)),
    ['gw: 10.10.1.2 > 10.10.1.3, TTL 8, protocol 6, valid'],
    'it goes where the endpoint is',
  );
  t.same(
    outcome(host, segment('10.10.1.3', 8080, '10.10.1.2', 4000, SYN | ACK)),
    ['gw: 10.96.0.10 > 10.10.1.2, TTL 8, protocol 6, valid'],
    'and its answer comes from there',
  );
  t.same(
    outcome(host, segment('10.10.1.2', 4001, '10.96.0.40', 80)),
    ['gw: 10.96.0.40 > 10.10.1.2, TTL 64, protocol 6, valid', 'wake'],
    'where that is the host, it answers itself',
  );
  for (const flags of [SYN | ACK, RST]) {
    t.same(
      outcome(createRouter(), segment('10.10.1.2', 80, '172.30.0.2', 4000, flags)),
      ['eth0: 10.10.1.2 > 172.30.0.2, TTL 8, protocol 6, valid'],
      'not what cannot be the first of a connection',
    );
    t.same(outcome(createRouter(), segment('10.10.1.2', 80, '10.96.0.10', 80, flags)), [
      'dropped: no route to 10.96.0.10',
      'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 3/0, valid',
    ]);
  }
  const narrow = createRouter({
    forwarding: {
      ...plan,
      sources: [{ from: ['10.10.1.0/24'], except: pods, ports: { first: 50_000, last: 50_000 } }],
    },
  });
  t.same(
    ['10.10.1.2', '10.10.1.4'].map((src) => outcome(narrow, segment(src, 4000, '172.30.0.2', 80))),
    [
      ['eth0: 172.30.0.1 > 172.30.0.2, TTL 8, protocol 6, valid'],
      ['dropped: no port is left to translate it to'],
    ],
  );
});

void t.test('who is notified that it goes no further', async (t) => {
  const host = createRouter();
  t.same(outcome(host, datagram('172.30.0.2', 1)), [
    'dropped: its time to live is over',
    'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 11/0, valid',
  ]);
  t.same(outcome(host, datagram('192.0.2.1', 9)), [
    'dropped: no route to 192.0.2.1',
    'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 3/0, valid',
  ]);
  t.same(outcome(host, segment('10.10.1.2', 1, '10.96.0.30', 80)), [
    'dropped: nobody is there to answer for that address',
    'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 3/3, valid',
  ]);
  t.same(
    outcome(host, segment('10.10.1.2', 1, '10.96.0.60', 80)),
    ['dropped: nobody is there to answer for that address'],
    'of which nobody is notified',
  );
  const icmp = (type: number) =>
    encodeIpv4(
      { src: '10.10.1.2', dst: '172.30.0.2', ttl: 1, protocol: ipProtocols.icmp },
      encodeIcmp({ type, code: 0, identifier: 0, sequence: 0 }, new Uint8Array(28)),
    );
  t.same(
    outcome(host, icmp(icmpTypes.timeExceeded)),
    ['dropped: its time to live is over'],
    'no error about an error',
  );
  t.equal(outcome(host, icmp(icmpTypes.echoRequest)).length, 2, 'but about an echo');
  t.equal(
    outcome(
      host,
      encodeIpv4({ src: '10.10.1.2', dst: '172.30.0.2', ttl: 1, protocol: 47 }, new Uint8Array(20)),
    ).length,
    2,
    'and about what belongs to no connection',
  );
  const long = datagram('172.30.0.2', 1, { bytes: 700 });
  const [, error] = receive(host, gw, framed(long, gw.mac));
  const message = encodeIcmp(
    { type: icmpTypes.timeExceeded, code: 0, identifier: 0, sequence: 0 },
    long.subarray(0, 548),
  );
  t.same(
    packetOf(error),
    encodeIpv4(
      {
        src: '10.10.1.1',
        dst: '10.10.1.2',
        ttl: 64,
        protocol: ipProtocols.icmp,
        tos: 0xc0,
        identification: 7,
        flags: 2,
      },
      message,
    ),
    'with as much of it as fits into 576 bytes',
  );
});

void t.test('what a host that translates sends itself', async (t) => {
  const host = createRouter({ routes: [outwards] });
  const opened = startStimulus(host, { kind: 'tcp', from: 'n1', to: '10.96.0.10', port: 80 });
  t.same(
    opened.map(inWords),
    ['gw: 10.10.1.1 > 10.10.1.3, TTL 64, protocol 6, valid', 'wake'],
    'goes where the endpoint is, with the address that it leaves by',
  );
  t.match(
    outcome(host, segment('10.10.1.3', 8080, '10.10.1.1', 50_000, SYN | ACK)),
    ['connected', /^gw: 10\.10\.1\.1 > 10\.10\.1\.3, TTL 64/, /^gw/, 'wake'],
    'and what answers is taken for the one that was asked',
  );
  const hopeless = createRouter({ routes: [outwards] });
  t.same(
    startStimulus(hopeless, { kind: 'tcp', from: 'n1', to: '10.96.0.30', port: 80 }).map(inWords),
    ['unreachable: port unreachable', 'wake'],
  );
  t.equal(hopeless.connections.size, 0);
  t.same(
    startStimulus(createRouter({ routes: [outwards] }), {
      kind: 'tcp',
      from: 'n1',
      to: '10.96.0.60',
      port: 80,
    }).map(inWords),
    ['dropped: nobody is there to answer for that address', 'wake'],
    'and is not notified where nobody else would be',
  );
  t.match(
    startStimulus(createRouter({ routes: [{ ...outwards, destination: '10.96.0.0/16' }] }), {
      kind: 'tcp',
      from: 'n1',
      to: '10.96.0.50',
      port: 80,
    }).map(inWords),
    ['dropped: no route to 10.20.0.1', 'wake'],
    'where no way leads to the endpoint',
  );
  const narrow = createRouter({
    routes: [outwards],
    forwarding: {
      ...plan,
      sources: [{ from: ['172.30.0.0/24'], except: [], ports: { first: 50_000, last: 50_000 } }],
    },
  });
  const first = startStimulus(narrow, {
    kind: 'calls',
    protocol: 'TCP',
    from: 'n1',
    to: '10.96.0.10',
    port: 80,
    count: 2,
    everyMs: 1,
  });
  t.same(first.map(inWords), [
    'gw: 10.10.1.1 > 10.10.1.3, TTL 64, protocol 6, valid',
    'wake',
    'wake',
  ]);
  const next = first.at(-1);
  t.match(next?.kind === 'wake' && fireTimer(narrow, next.timer).map(inWords), [
    'dropped: no port is left to translate it to',
    'wake',
  ]);
  const [plain] = startStimulus(createRouter(), { kind: 'ping', from: 'n1', to: '10.10.1.2' });
  t.match(decodeIpv4(packetOf(plain)), { header: { tos: 0, ttl: 64 } });
});
