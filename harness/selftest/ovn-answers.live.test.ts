// Goal: what ovn-controller answers by itself is what the model says it answers: neighbours and
// routers of IPv6, DHCPv6, names, errors about IPv6, and who it asks for a next hop. Method: frames
// by hand on the cluster of scenarios/ovn/answers; each has to conform, and to be answered by
// exactly one frame, read here.
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { answeringCluster } from '../../topologies/ovn/answering-cluster.js';
import { ipv6Of } from '../../topologies/ovn/ovn-topology.js';
import { ovn } from '../control/ovn/index.js';
import { defineScenario } from '../domain/scenario.js';
import type { Stimulus, TestVector } from '../domain/test-vector.js';
import { decodeArp } from '../packet/protocols/link/arp.js';
import { decodeEthernet } from '../packet/protocols/link/ethernet.js';
import { decodeIcmp6, encodeIcmp6, icmp6Types } from '../packet/protocols/ip/icmp6.js';
import { decodeIpv4, encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { decodeIpv6, encodeIpv6 } from '../packet/protocols/ip/ipv6.js';
import { addressOption, encodeNeighbour } from '../packet/protocols/ip/neighbour.js';
import { decodeUdp, encodeUdp } from '../packet/protocols/transport/udp.js';
import {
  decodeDhcpv6,
  dhcpv6Options,
  dhcpv6Ports,
  dhcpv6Types,
  encodeDhcpv6,
} from '../packet/protocols/transport/dhcpv6.js';
import { concatBytes } from '../packet/bytes/header-layout.js';
import { runScenario } from '../run/run-scenario.js';
import { openSim } from '../testbeds/sim/sim.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Switches } from '../testbeds/testbed.js';
import { openingSegment } from './testkit/opening-segment.js';

const image = await openImage('trixie', (line) => t.comment(line));
const cluster = answeringCluster();
const [n1] = cluster.nodes;
const [p1, p2] = n1?.pods ?? [];
if (n1 === undefined || p1 === undefined || p2 === undefined) throw new Error('two pods on n1');
const self = ipv6Of(p1.ip);
const gateway = ipv6Of(n1.gateway.ip);
const linkLocal = 'fe80::800:aff:fe0a:102';

/** What comes behind the Ethernet header, to this MAC address. */
function frame(what: string, dst: string, etherType: number, packet: Uint8Array): TestVector {
  return {
    id: what.replaceAll(' ', '-'),
    stimulus: {
      kind: 'frame',
      from: p1?.name ?? '',
      what,
      frame: {
        src: p1?.mac ?? '',
        dst,
        payload: { kind: 'other', etherType, hex: Buffer.from(packet).toString('hex') },
      },
    },
  };
}

function icmp6(
  what: string,
  mac: string,
  addresses: { src: string; dst: string },
  type: number,
  body: Uint8Array,
  hopLimit = 255,
): TestVector {
  const icmp = encodeIcmp6({ type, code: 0, rest: 0 }, body, addresses);
  const header = { ...addresses, nextHeader: ipProtocols.icmp6, hopLimit };
  return frame(what, mac, 0x86dd, encodeIpv6(header, icmp));
}

function udp6(what: string, mac: string, dst: string, ports: object, data: Uint8Array, src = self) {
  const addresses = { src, dst };
  const udp = encodeUdp(ports as { srcPort: number; dstPort: number }, data, addresses);
  const header = { ...addresses, nextHeader: ipProtocols.udp, hopLimit: 64 };
  return frame(what, mac, 0x86dd, encodeIpv6(header, udp));
}

function solicits(what: string, target: string): TestVector {
  const low = target.split('::').at(-1)?.padStart(4, '0') ?? '';
  const mac = `33:33:ff:00:${low.slice(0, 2)}:${low.slice(2)}`;
  const body = encodeNeighbour(target, [addressOption('source', p1?.mac ?? '')]);
  const addresses = { src: self, dst: `ff02::1:ff00:${low}` };
  return icmp6(what, mac, addresses, icmp6Types.neighbourSolicitation, body);
}

const clientId = { code: dhcpv6Options.clientId, value: Uint8Array.of(0, 3, 0, 1, 1, 2, 3, 4) };
const association = { code: dhcpv6Options.iaNa, value: Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 0) };

function asksDhcp(message: keyof typeof dhcpv6Types, options = [clientId, association]) {
  const data = encodeDhcpv6({ type: dhcpv6Types[message], transaction: 0x123456, options });
  const ports = { srcPort: dhcpv6Ports.client, dstPort: dhcpv6Ports.server };
  return udp6(`DHCPv6 ${message}`, '33:33:00:01:00:02', 'ff02::1:2', ports, data, linkLocal);
}

function asksName(name: string, type: number, version: 4 | 6 = 4): TestVector {
  const labels = name.split('.').map((label) => {
    const bytes = Buffer.from(label);
    return concatBytes(Uint8Array.of(bytes.length), bytes);
  });
  const query = concatBytes(
    Uint8Array.of(0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0),
    ...labels,
    Uint8Array.of(0, 0, type, 0, 1),
  );
  const ports = { srcPort: 5353, dstPort: 53 };
  const what = `name ${name} type ${type} over ${version}`;
  const mac = n1?.gateway.mac ?? '';
  if (version === 6) return udp6(what, mac, 'fd00::53', ports, query);
  const addresses = { src: p1?.ip ?? '', dst: '10.10.1.53' };
  const udp = encodeUdp(ports, query, addresses);
  return frame(
    what,
    mac,
    0x800,
    encodeIpv4({ ...addresses, ttl: 64, protocol: ipProtocols.udp }, udp),
  );
}

const other = ipv6Of('10.10.2.2');
const opening = openingSegment(4000, 9, { src: self, dst: ipv6Of(p2.ip) });

const answered: readonly TestVector[] = [
  solicits('neighbour on the switch', ipv6Of(p2.ip)),
  solicits('the router', gateway),
  icmp6(
    'router solicitation',
    '33:33:00:00:00:02',
    { src: linkLocal, dst: 'ff02::2' },
    133,
    concatBytes(Uint8Array.of(1, 1), Uint8Array.of(8, 0, 10, 10, 1, 2)),
  ),
  asksDhcp('solicit'),
  asksDhcp('request'),
  asksDhcp('informationRequest', [clientId]),
  asksDhcp('release'),
  asksName('p3.flowbed.test', 1),
  asksName('P3.Flowbed.Test', 28),
  asksName('p3.flowbed.test', 255),
  asksName('2.1.10.10.in-addr.arpa', 12),
  asksName('p4.flowbed.test', 28, 6),
  icmp6(
    'hop limit 1',
    n1.gateway.mac,
    { src: self, dst: other },
    icmp6Types.echoRequest,
    new Uint8Array(8),
    1,
  ),
  udp6('rejected port', p2.mac, ipv6Of(p2.ip), { srcPort: 4000, dstPort: 9 }, new Uint8Array(4)),
  frame(
    'rejected connection',
    p2.mac,
    0x86dd,
    encodeIpv6(
      { src: self, dst: ipv6Of(p2.ip), nextHeader: ipProtocols.tcp, hopLimit: 64 },
      opening,
    ),
  ),
];
/** For addresses that nobody has, on the other node's switch: the router asks for them there. */
const unknown: readonly TestVector[] = [
  frame(
    'next hop over 4',
    n1.gateway.mac,
    0x800,
    encodeIpv4(
      { src: p1.ip, dst: '10.10.2.99', protocol: ipProtocols.udp, ttl: 64 },
      encodeUdp({ srcPort: 4000, dstPort: 4001 }, Buffer.from('wait'), {
        src: p1.ip,
        dst: '10.10.2.99',
      }),
    ),
  ),
  udp6(
    'next hop over 6',
    n1.gateway.mac,
    'fd00:10:10:2::99',
    { srcPort: 4000, dstPort: 4001 },
    Buffer.from('wait'),
  ),
];
/** Nothing comes back. */
const ignored: readonly TestVector[] = [asksDhcp('solicit', [association])];

const scenario = defineScenario({
  name: 'ovn/answers',
  title: 'What ovn-controller answers by itself',
  axes: {},
  topology: () => cluster,
  controlPlane: ovn(),
  vectors: () => [
    ...answered,
    ...unknown,
    ...ignored.map((vector) => ({ ...vector, id: `ignored/${vector.id}` })),
  ],
  intent: (_, stimulus) =>
    stimulus.kind === 'frame' && /^name .* over 4$/.test(stimulus.what)
      ? { kind: 'delivered', to: p1.name, source: '10.10.1.53', why: 'OVN knows the name' }
      : {
          kind: 'denied',
          why: 'no host takes part in it',
          ...(isOneOf(answered, stimulus) ? { ignoredBy: [p1.name] } : {}),
          ...(isOneOf(ignored, stimulus) ? { ignoredBy: [p2.name] } : {}),
        },
});

function isOneOf(vectors: readonly TestVector[], stimulus: Stimulus): boolean {
  return vectors.some((vector) => isDeepStrictEqual(vector.stimulus, stimulus));
}

/** Without ovn-trace, which does not do what ovn-controller does with what it is asked. */
async function openWithoutOvnTrace(plan: ClusterPlan): Promise<Switches> {
  const { traceLogically: _, ...switches } = await openSim(plan, image);
  return switches;
}

void t.test('each question is answered as the model says', async (t) => {
  const { report, record } = await runScenario(
    scenario,
    {},
    { seed: 1, depth: 'cold', nowMs: () => 0, openReal: openWithoutOvnTrace },
  );
  const wrong = report.vectors.filter(({ verdict }) => verdict !== 'conforms');
  t.equal(report.verdict, 'conforms', JSON.stringify(wrong).slice(0, 4000));
  t.equal(report.vectors.length, answered.length + unknown.length + ignored.length);
  const answers = record.vectors.map(({ vector, real }) => {
    const out = (real?.passes[0]?.frames ?? []).filter(
      ({ direction, port }) => direction === 'out' && port.startsWith('if-'),
    );
    const seen = out.map(({ port, frame }) => `${port} ${described(Buffer.from(frame, 'hex'))}`);
    return `${vector.id}: ${seen.join('; ')}`;
  });
  t.strictSame(answers, [
    'neighbour-on-the-switch: if-p1 from fd00:10:10:1::3: ICMPv6 136',
    'the-router: if-p1 from fd00:10:10:1::1: ICMPv6 136',
    'router-solicitation: if-p1 from fe80::800:aff:fe0a:101: ICMPv6 134',
    'DHCPv6-solicit: if-p1 DHCPv6 2, options 1,3,23,2',
    'DHCPv6-request: if-p1 DHCPv6 7, options 1,3,23,2',
    'DHCPv6-informationRequest: if-p1 DHCPv6 7, options 1,23,2',
    'DHCPv6-release: if-p1 DHCPv6 7, options 1,2,13',
    'name-p3.flowbed.test-type-1-over-4: if-p1 answers 1, ends 0a0a0202',
    'name-P3.Flowbed.Test-type-28-over-4: if-p1 answers 1, ends 00000002',
    'name-p3.flowbed.test-type-255-over-4: if-p1 answers 2, ends 00000002',
    'name-2.1.10.10.in-addr.arpa-type-12-over-4: if-p1 answers 1, ends 65737400',
    'name-p4.flowbed.test-type-28-over-6: if-p1 answers 1, ends 00000003',
    'hop-limit-1: if-p1 from fd00:10:10:1::1: ICMPv6 3',
    'rejected-port: if-p1 from fd00:10:10:1::3: ICMPv6 1',
    'rejected-connection: if-p1 from fd00:10:10:1::3: protocol 6',
    'next-hop-over-4: if-p3 asks for 10.10.2.99; if-p4 asks for 10.10.2.99',
    'next-hop-over-6: if-p3 from fe80::800:aff:fe0a:201: ICMPv6 135; ' +
      'if-p4 from fe80::800:aff:fe0a:201: ICMPv6 135',
    // It is no request that OVN answers, and all neighbours get it.
    'ignored/DHCPv6-solicit: if-p2 DHCPv6 1, options 3',
  ]);
});

/** The kind of an answer, and what is in it. */
function described(bytes: Uint8Array): string {
  const { header, payload = new Uint8Array() } = decodeEthernet(bytes) ?? {};
  const arp = header?.etherType === 0x806 ? decodeArp(payload) : undefined;
  if (arp !== undefined) return `asks for ${arp.tpa}`;
  const ip = header?.etherType === 0x800 ? decodeIpv4(payload) : decodeIpv6(payload);
  if (ip === undefined) return 'no IP';
  const protocol = 'protocol' in ip.header ? ip.header.protocol : ip.header.nextHeader;
  const icmp = protocol === ipProtocols.icmp6 ? decodeIcmp6(ip.payload, ip.header) : undefined;
  if (icmp !== undefined) return `from ${ip.header.src}: ICMPv6 ${icmp.header.type}`;
  const udp = protocol === ipProtocols.udp ? decodeUdp(ip.payload, ip.header) : undefined;
  if (udp === undefined) return `from ${ip.header.src}: protocol ${protocol}`;
  const data = Buffer.from(udp.payload);
  if (udp.header.srcPort === 53)
    return `answers ${data[7]}, ends ${data.toString('hex').slice(-8)}`;
  const options = decodeDhcpv6(udp.payload)?.options.map(({ code }) => code);
  return `DHCPv6 ${data[0]}, options ${options?.join()}`;
}
