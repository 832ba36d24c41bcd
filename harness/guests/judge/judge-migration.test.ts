// Goal: of a migration of real guests everything is found that L0 forbids, and what it allows is
// not. Method: a record of echo requests, one of which falls into the gap, and a connection; then
// the same with one thing wrong in each.
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { PortAt, SeenFrame } from '../live-network.js';
import type { MigrationRecord } from '../migration-record.js';
import { judgeMigration } from './judge-migration.js';

const gateway = { ip: '169.254.1.1', mac: '0a:58:00:00:00:01' };
const [client, machine] = [hostAt('p3', '10.10.2.2', '02'), hostAt('vm1', '10.10.1.9', '09')];
const clientPort = { node: 'n2', port: 'if-p3' };
const [source, target] = [
  { node: 'n1', port: 'a' },
  { node: 'n2', port: 'b' },
];

function hostAt(name: string, ip: string, end: string): HostPlan {
  const mac = `0a:58:00:00:00:${end}`;
  return {
    name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port: name, mac, ip, prefixLength: 24 }],
    routes: [{ destination: '0.0.0.0/0', via: gateway.ip, interface: 'eth0', onlink: true }],
    neighbours: [gateway],
  };
}

type Way = 'to the machine' | 'to the client';

function packet(way: Way, protocol: number, payload: Uint8Array): Uint8Array {
  const [from, to] = way === 'to the machine' ? [client, machine] : [machine, client];
  const [src, dst, mac] = [ipOf(from), ipOf(to), from.interfaces[0]?.mac ?? ''];
  const toMac = way === 'to the machine' ? (machine.interfaces[0]?.mac ?? '') : gateway.mac;
  return encodeEthernet(
    { dst: toMac, src: mac, etherType: etherTypes.ipv4 },
    encodeIpv4({ ttl: 64, protocol, src, dst }, payload),
  );
}

const ipOf = ({ interfaces }: HostPlan) => interfaces[0]?.ip ?? '';

function echo(way: Way, sequence: number): Uint8Array {
  const type = way === 'to the machine' ? 8 : 0;
  const header = { type, code: 0, identifier: 1, sequence };
  return packet(way, ipProtocols.icmp, encodeIcmp(header, Uint8Array.of(1)));
}

function segment(way: Way, sequence: number, text: string, flags: number): Uint8Array {
  const [src, dst] = [ipOf(client), ipOf(machine)];
  const [srcPort, dstPort] = way === 'to the machine' ? [4000, 7] : [7, 4000];
  const header = {
    ...{ srcPort, dstPort, sequence, acknowledgement: 0, flags, window: 100 },
    ...{ urgentPointer: 0, options: new Uint8Array() },
  };
  return packet(way, ipProtocols.tcp, encodeTcp(header, Buffer.from(text), { src, dst }));
}

function at(
  { node, port }: PortAt,
  direction: SeenFrame['direction'],
  atMs: number,
  frame: Uint8Array,
): SeenFrame {
  return { node, port, direction, atMs, frame };
}

/** A request, where it came to, and its answer, each a millisecond later. */
function ping(sequence: number, atMs: number, to: readonly PortAt[], answers = 1): SeenFrame[] {
  return [
    at(clientPort, 'to the switch', atMs, echo('to the machine', sequence)),
    ...to.map((place) => at(place, 'from the switch', atMs + 1, echo('to the machine', sequence))),
    ...Array.from({ length: answers }, () => [
      at(to[0] ?? source, 'to the switch', atMs + 2, echo('to the client', sequence)),
      at(clientPort, 'from the switch', atMs + 3, echo('to the client', sequence)),
    ]).flat(),
  ];
}

function line(sequence: number, atMs: number, text: string, back = text): SeenFrame[] {
  return [
    at(clientPort, 'to the switch', atMs, segment('to the machine', sequence, text, tcpFlags.ACK)),
    at(
      clientPort,
      'from the switch',
      atMs + 1,
      segment('to the client', sequence, back, tcpFlags.ACK),
    ),
  ];
}

const begun = [
  at(clientPort, 'to the switch', 1, segment('to the machine', 9, '', tcpFlags.SYN)),
  at(clientPort, 'from the switch', 2, segment('to the client', 9, '', tcpFlags.SYN)),
];

const parts = {
  begun,
  first: line(10, 10, 'one'),
  atHome: [...ping(1, 20, [source]), ...ping(2, 120, [source])],
  inTheGap: ping(3, 220, [source], 0),
  moved: [...ping(4, 320, [target]), ...ping(5, 420, [target])],
  last: line(13, 430, 'two'),
  underWay: [6, 7, 8].flatMap((sequence) => ping(sequence, 500 + sequence, [target], 0)),
};

function recordOf(changed: Partial<typeof parts>, lease = '3500'): MigrationRecord {
  return {
    moments: {
      'the guests talk': 5,
      'the target is there': 110,
      'the migration is asked for': 150,
      'the guest stops on the source': 200,
      'the guest runs on the target': 250,
      'KubeVirt says so, and OVN has programmed it': 300,
      'the source is gone': 500,
      'the end': 600,
    },
    promises: [
      { fromMs: 5, isPromised: true },
      { fromMs: 200, isPromised: false },
      { fromMs: 300, isPromised: true },
    ],
    seen: Object.values({ ...parts, ...changed })
      .flat()
      .sort((a, b) => a.atMs - b.atMs),
    ...{ client, clientPort, machine, source, target },
    promisedLease: {
      ...{ ip: '10.10.1.9', netmask: '255.255.255.0', router: gateway.ip, server: gateway.ip },
      ...{ dnsServer: '10.96.0.10', hostname: 'vm1', seconds: 3500 },
    },
    lease: [
      ...['ip=10.10.1.9', 'router=169.254.1.1', 'serverid=169.254.1.1', `lease=${lease}`],
      ...['dns=10.96.0.10', 'hostname=vm1'],
    ],
  };
}

const differencesOf = (changed: Partial<typeof parts>, lease?: string) =>
  judgeMigration(recordOf(changed, lease)).differences;

void t.test('as it is promised', (t) => {
  const { verdict, differences, pings, connection, model } = judgeMigration(recordOf({}));
  t.same(differences, []);
  t.equal(verdict, 'conforms');
  t.match(pings, { sent: 8, answered: 4, silenceMs: 200 });
  t.same(
    pings.lost.map(({ key, atSource }) => [key, atSource]),
    [
      ['1 3', 1],
      ['1 6', 0],
      ['1 7', 0],
      ['1 8', 0],
    ],
  );
  t.match(connection, { sentBytes: 6, echoedBytes: 6, again: 0, resets: 0, opened: 1 });
  t.equal(model.alike, 4, 'the echo replies of both places');
  t.end();
});

void t.test('what L0 forbids', (t) => {
  const wrong: readonly [RegExp, Partial<typeof parts>][] = [
    [/120 ms.*|80 ms.*no answer/, { atHome: [...ping(1, 20, [source]), ...ping(2, 120, [], 0)] }],
    [
      /no answer, which is promised/,
      { moved: [...ping(4, 320, [], 0), ...ping(5, 420, [target])] },
    ],
    [/answered 2 times/, { moved: [...ping(4, 320, [target], 2), ...ping(5, 420, [target])] }],
    [
      /source 1 times, to the target 1 times/,
      { moved: [...ping(4, 320, [target, source]), ...ping(5, 420, [target])] },
    ],
    [
      /came out of if-p4 of n2/,
      {
        inTheGap: [
          at({ node: 'n2', port: 'if-p4' }, 'from the switch', 260, echo('to the machine', 3)),
        ],
      },
    ],
    [/since KubeVirt has said so/, { last: [] }],
    [/byte 4 came back as another/, { last: line(13, 430, 'two', 'too') }],
    [
      /reset 1 times/,
      {
        last: [
          at(clientPort, 'from the switch', 430, segment('to the client', 13, '', tcpFlags.RST)),
        ],
      },
    ],
    [/opened 0 connections/, { begun: [] }],
  ];
  for (const [words, changed] of wrong) t.match(differencesOf(changed).join('\n'), words);
  t.match(differencesOf({}, '3600'), ['of its lease lease is 3600, and 3500 is promised']);
  t.end();
});

void t.test('the fabric’s guest answers what the real one does not', (t) => {
  const silent = ping(4, 320, [target]).filter(({ port }) => port !== 'b');
  const asked = at(target, 'from the switch', 321, echo('to the machine', 4));
  const differences = differencesOf({ moved: [...silent, asked, ...ping(5, 420, [target])] });
  t.match(differences.join('\n'), /the model's guest answers ICMP: echo requests with/);
  t.end();
});
