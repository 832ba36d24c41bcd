// Goal: connections are translated as netfilter's nat table does it, and packets keep right checksums.
// Method: rules as kube-proxy and a node have them; tuples one by one, with the time in hand; then a host that forwards, frame by frame.
import t from 'tap';
import { encodeEthernet, decodeEthernet, etherTypes } from '../packet/ethernet.js';
import { decodeIcmp, encodeIcmp, icmpTypes } from '../packet/icmp.js';
import { decodeIpv4, encodeIpv4, ipProtocols } from '../packet/ipv4.js';
import { decodeSctp, encodeSctp } from '../packet/sctp.js';
import { decodeTcp, encodeTcp, tcpFlags } from '../packet/tcp.js';
import { decodeUdp, encodeUdp } from '../packet/udp.js';
import type { HostPlan } from '../nouns/plan.js';
import type { TranslationPlan } from '../nouns/translation.js';
import { createHost, type Draws, type Effect } from './host.js';
import { receive, begin } from './stack.js';
import { beforeRouting, behindRouting, noTranslations, type Translations } from './translation.js';
import { opensConnection, reversed, tupleOf, withTuple, type Tuple } from './tuple.js';

const endpoints = [{ ip: '10.10.1.3', port: 80 }, { ip: '10.10.2.2', port: 8080 }, { ip: '10.10.2.3', port: 80 }];
const plan: TranslationPlan = {
  destinations: [
    { match: { ip: '10.96.0.10', protocol: 'TCP', port: 80 }, to: endpoints, keepsSenders: ['10.10.0.0/16'] },
    { match: { ip: '10.96.0.20', protocol: 'TCP', port: 80 }, to: endpoints, keepsSenders: ['10.10.0.0/16'], affinityS: 100 },
    { match: { ip: '10.96.0.30', protocol: 'TCP', port: 80 }, to: [], keepsSenders: [] },
  ],
  sources: [{ from: ['10.10.1.0/24'], except: ['10.10.0.0/16'] }],
};
const second = 1_000_000;

const tcp = (src: string, srcPort: number, dst: string, dstPort = 80): Tuple => ({ protocol: ipProtocols.tcp, src: { ip: src, port: srcPort }, dst: { ip: dst, port: dstPort } });
const text = ({ src, dst }: Tuple) => `${src.ip}:${src.port} > ${dst.ip}:${dst.port}`;

/** Both steps at once; `refused` where nobody is there. */
function through(state: Translations, tuple: Tuple, nowUs = 0, outgoing = '10.10.1.1', draw = 1): Tuple | 'refused' | 'no port' {
  const inbound = beforeRouting(state, tuple, { nowUs, draw });
  return inbound.kind === 'refused' ? 'refused' : (behindRouting(state, inbound, outgoing, { nowUs, draw }) ?? 'no port');
}

function must(result: Tuple | 'refused' | 'no port' | undefined): Tuple {
  if (result === undefined || typeof result === 'string') throw new Error(result);
  return result;
}

void t.test('destinations', async (t) => {
  const state = noTranslations(plan);
  const seen = new Map<string, number>();
  for (let port = 2000; port < 2300; port++) {
    const request = tcp('10.10.1.2', port, '10.96.0.10');
    const translated = must(through(state, request));
    t.same(translated.src, request.src, 'the sender stays');
    t.same(through(state, request), translated, 'and so it is for the packets behind the first');
    t.same(through(state, reversed(translated)), reversed(request), 'an answer comes from where the sender sent to');
    seen.set(`${translated.dst.ip}:${translated.dst.port}`, (seen.get(`${translated.dst.ip}:${translated.dst.port}`) ?? 0) + 1);
  }
  // Three in 300: fewer than 60 of one would happen once in 10^6 fair draws.
  t.same([...seen.keys()].sort(), ['10.10.1.3:80', '10.10.2.2:8080', '10.10.2.3:80']);
  t.ok([...seen.values()].every((count) => count > 60), [...seen.values()].join());
  t.equal(through(state, tcp('10.10.1.2', 5000, '10.96.0.30')), 'refused', 'without an endpoint');
  t.equal(must(through(state, tcp('10.10.1.2', 5000, '10.96.0.10', 81))).dst.ip, '10.96.0.10', 'another port');
  t.equal(must(through(state, { ...tcp('10.10.1.2', 5000, '10.96.0.10'), protocol: ipProtocols.udp })).dst.ip, '10.96.0.10', 'another protocol');
  const again = noTranslations(plan);
  t.same(Array.from({ length: 9 }, (_, port) => through(again, tcp('10.10.1.2', 2000 + port, '10.96.0.10'))), Array.from({ length: 9 }, (_, port) => through(state, tcp('10.10.1.2', 2000 + port, '10.96.0.10'))), 'the same for the same draw');
});

void t.test('senders', async (t) => {
  const state = noTranslations(plan);
  t.equal(text(must(through(state, tcp('172.30.0.1', 4000, '10.96.0.10')))).split(' > ')[0], '10.10.1.1:4000', 'from elsewhere');
  t.equal(text(must(through(state, tcp('172.30.0.2', 4000, '10.96.0.10', 80), 0, '10.10.1.1', 1))).split(' > ')[0]?.split(':')[0], '10.10.1.1', 'and from a second with the same port');
  const hairpins = Array.from({ length: 60 }, (_, index) => tcp('10.10.1.3', 3000 + index, '10.96.0.10')).map((tuple) => [tuple, must(through(state, tuple))] as const);
  for (const [, { src, dst }] of hairpins) t.equal(src.ip, dst.ip === '10.10.1.3' ? '10.10.1.1' : '10.10.1.3', 'an endpoint that gets itself');
  t.ok(hairpins.some(([, { dst }]) => dst.ip === '10.10.1.3'));
  t.equal(text(must(through(state, tcp('10.10.1.2', 4000, '192.0.2.1'), 0, '172.30.0.1'))), '172.30.0.1:4000 > 192.0.2.1:80', 'by a rule');
  t.equal(text(must(through(state, tcp('10.10.1.9', 4000, '192.0.2.1'), 0, '172.30.0.1'))), '172.30.0.1:4001 > 192.0.2.1:80', 'with a port that is free');
  t.equal(text(must(through(state, tcp('192.0.2.1', 80, '172.30.0.1', 4001)))), '192.0.2.1:80 > 10.10.1.9:4000', 'whose answers find back');
  t.equal(text(must(through(state, tcp('10.10.1.2', 65_535, '192.0.2.2'), 0, '172.30.0.1'))), '172.30.0.1:65535 > 192.0.2.2:80');
  t.equal(text(must(through(state, tcp('10.10.1.9', 65_535, '192.0.2.2'), 0, '172.30.0.1'))), '172.30.0.1:1024 > 192.0.2.2:80', 'behind the last port comes the first');
  t.equal(text(must(through(state, tcp('10.10.1.2', 4000, '10.10.2.9')))), '10.10.1.2:4000 > 10.10.2.9:80', 'the exception');
  t.equal(text(must(through(state, tcp('10.10.2.2', 4000, '192.0.2.1'), 0, '172.30.0.1'))), '10.10.2.2:4000 > 192.0.2.1:80', 'not from there');
  const here = beforeRouting(state, tcp('192.0.2.9', 4000, '172.30.0.1'), { nowUs: 0, draw: 1 });
  t.ok(here.kind === 'new' && text(must(behindRouting(state, here, undefined, { nowUs: 0, draw: 1 }))) === '192.0.2.9:4000 > 172.30.0.1:80', 'what ends here is not translated');
});

void t.test('time', async (t) => {
  const state = noTranslations(plan);
  const udp = (tuple: Tuple): Tuple => ({ ...tuple, protocol: ipProtocols.udp });
  const open = (tuple: Tuple, nowUs: number) => beforeRouting(state, tuple, { nowUs, draw: 1 }).kind;
  const request = udp(tcp('10.10.1.2', 4000, '192.0.2.1'));
  const answer = reversed(must(through(state, request, 0, '172.30.0.1')));
  t.equal(open(answer, 30 * second - 1), 'known');
  t.equal(open(udp(tcp('10.10.1.2', 4001, '192.0.2.1')), 0), 'new');
  t.equal(open(request, 60 * second), 'new', 'thirty seconds behind the answer');
  const stream = must(through(state, udp(tcp('10.10.1.2', 5000, '192.0.2.1')), 0, '172.30.0.1'));
  for (const nowUs of [1, 3, 120].map((s) => s * second)) t.equal(open(reversed(stream), nowUs), 'known', 'a stream lasts for two minutes');
  t.equal(open(reversed(stream), 240 * second), 'new');
  const one = must(through(state, tcp('10.10.1.2', 6000, '10.96.0.20'), 0)).dst;
  for (let index = 1; index < 30; index++) t.same(must(through(state, tcp('10.10.1.2', 6000 + index, '10.96.0.20'), index * 99 * second)).dst, one, 'affinity, counted from the last connection');
  const later = Array.from({ length: 30 }, (_, index) => must(through(state, tcp('10.10.1.2', 7000 + index, '10.96.0.20'), (29 * 99 + 100 * (index + 1)) * second)).dst.ip);
  t.ok(new Set(later).size > 1, 'and over after it');
  const others = Array.from({ length: 30 }, (_, index) => must(through(state, tcp(`10.10.1.${100 + index}`, 6000, '10.96.0.20'))).dst.ip);
  t.ok(new Set(others).size > 1, 'each client for itself');
});

void t.test('packets', async (t) => {
  const before = { src: '10.10.1.2', dst: '10.96.0.10' };
  const after = { src: '172.30.0.1', dst: '10.10.2.2' };
  const payload = Uint8Array.of(1, 2, 3, 4, 5);
  const packet = (protocol: number, bytes: Uint8Array) => encodeIpv4({ ...before, protocol, ttl: 9 }, bytes);
  const moved = (protocol: number, bytes: Uint8Array) => {
    const result = withTuple(packet(protocol, bytes), { protocol, src: { ip: after.src, port: 1111 }, dst: { ip: after.dst, port: 8080 } });
    const ip = decodeIpv4(result);
    t.match(ip, { checksum: 'valid', header: { ...after, ttl: 9 } });
    return ip?.payload ?? new Uint8Array();
  };
  const ports = { srcPort: 4000, dstPort: 80 };
  const movedPorts = { srcPort: 1111, dstPort: 8080 };
  t.match(decodeUdp(moved(ipProtocols.udp, encodeUdp(ports, payload, before)), after), { header: movedPorts, checksum: 'valid' });
  t.match(decodeUdp(moved(ipProtocols.udp, encodeUdp(ports, payload, 'no-checksum')), after), { header: movedPorts, checksum: 'absent' });
  const segment = { ...ports, sequence: 1, acknowledgement: 2, flags: tcpFlags.SYN, window: 3, urgentPointer: 0, options: new Uint8Array() };
  t.match(decodeTcp(moved(ipProtocols.tcp, encodeTcp(segment, payload, before)), after), { header: movedPorts, checksum: 'valid' });
  t.match(decodeTcp(moved(ipProtocols.tcp, encodeTcp(segment, payload, after)), after), { checksum: 'invalid' }, 'a wrong checksum stays wrong');
  t.match(decodeSctp(moved(ipProtocols.sctp, encodeSctp({ ...ports, verificationTag: 7 }, payload))), { header: movedPorts, checksum: 'valid' });
  const echo = { type: icmpTypes.echoRequest, code: 0, identifier: 5, sequence: 6 };
  t.match(decodeIcmp(moved(ipProtocols.icmp, encodeIcmp(echo, payload))), { header: { identifier: 1111, sequence: 6 }, checksum: 'valid' });
  for (const data of Array.from({ length: 0x10000 / 257 }, (_, index) => Uint8Array.of(index, index + 1))) {
    t.match(decodeUdp(moved(ipProtocols.udp, encodeUdp(ports, data, before)), after)?.checksum, 'valid', 'also where it comes out as zero');
  }
  t.equal(tupleOf(packet(ipProtocols.tcp, payload)), undefined, 'cut off');
  t.equal(tupleOf(packet(ipProtocols.sctp, new Uint8Array(11))), undefined);
  t.equal(tupleOf(packet(47, new Uint8Array(20))), undefined, 'without ports');
  t.same(tupleOf(packet(ipProtocols.icmp, encodeIcmp(echo, payload))), { protocol: 1, src: { ip: before.src, port: 5 }, dst: { ip: before.dst, port: 5 } });
  t.equal(tupleOf(packet(ipProtocols.icmp, encodeIcmp({ ...echo, type: icmpTypes.timeExceeded }, payload))), undefined, 'an error');
  const opens = (flags: number) => opensConnection(packet(ipProtocols.tcp, encodeTcp({ ...segment, flags }, payload, before)));
  t.same([tcpFlags.SYN, tcpFlags.ACK, tcpFlags.SYN | tcpFlags.ACK, tcpFlags.RST].map(opens), [true, true, false, false]);
  t.same([icmpTypes.echoRequest, icmpTypes.echoReply].map((type) => opensConnection(packet(ipProtocols.icmp, encodeIcmp({ ...echo, type }, payload)))), [true, false]);
});

const router: HostPlan = {
  name: 'n1', kind: 'linux-node', routes: [],
  interfaces: [{ name: 'gw', port: 'gw', mac: '0a:00:00:00:00:01', ip: '10.10.1.1', prefixLength: 24 }, { name: 'eth0', port: 'eth0', mac: '0a:00:00:00:00:02', ip: '172.30.0.1', prefixLength: 24 }],
  forwarding: plan,
};
const draws: Draws = { identifier: 7, srcPort: 50_000, payload: Uint8Array.of(1, 2), sequences: { opener: 1, answerer: 2 } };

/** Neighbours are known, so that packets go out at once. */
function createRouter() {
  const host = createHost(router, draws);
  for (const ip of ['10.10.1.2', '10.10.1.3', '172.30.0.2', '10.10.2.2', '10.10.2.3']) host.neighbours.set(ip, { kind: 'known', mac: '0a:00:00:00:00:99' });
  return host;
}

const datagram = (dst: string, ttl: number, port = 9, src = '10.10.1.2') => encodeIpv4({ src, dst, ttl, protocol: ipProtocols.udp }, encodeUdp({ srcPort: 4000, dstPort: port }, Uint8Array.of(1), { src, dst }));

/** What becomes of a packet that comes in at the first interface: `via: src > dst, TTL, protocol` of what is sent, and what is noted. */
function outcome(host: ReturnType<typeof createRouter>, packet: Uint8Array): readonly string[] {
  const [gw] = host.plan.interfaces;
  if (gw === undefined) throw new Error('no interface');
  return receive(host, gw, encodeEthernet({ dst: gw.mac, src: '0a:00:00:00:00:99', etherType: etherTypes.ipv4 }, packet)).map(told);
}

function told(effect: Effect): string {
  if (effect.kind === 'note') return 'why' in effect.note ? `${effect.note.kind}: ${effect.note.why}` : effect.note.kind;
  if (effect.kind === 'wake') return 'wake';
  const ip = decodeIpv4(decodeEthernet(effect.frame)?.payload ?? new Uint8Array());
  const icmp = ip?.header.protocol === ipProtocols.icmp ? decodeIcmp(ip.payload) : undefined;
  return ip === undefined ? `${effect.via.name}: ARP` : `${effect.via.name}: ${ip.header.src} > ${ip.header.dst}, TTL ${ip.header.ttl}, ${icmp === undefined ? `protocol ${ip.header.protocol}` : `ICMP ${icmp.header.type}/${icmp.header.code}`}, ${ip.checksum}`;
}

void t.test('a host that forwards', async (t) => {
  const host = createRouter();
  t.same(outcome(host, datagram('10.10.1.3', 9)), ['gw: 10.10.1.2 > 10.10.1.3, TTL 8, protocol 17, valid'], 'out of where it came in');
  t.same(outcome(host, datagram('172.30.0.2', 2)), ['eth0: 172.30.0.1 > 172.30.0.2, TTL 1, protocol 17, valid']);
  t.same(outcome(host, datagram('172.30.0.2', 1)), ['dropped: its time to live is over', 'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 11/0, valid']);
  t.same(outcome(host, datagram('192.0.2.1', 9)), ['dropped: no route to 192.0.2.1', 'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 3/0, valid']);
  t.same(outcome(host, datagram('10.10.1.1', 1)), ['received'], 'for itself');
  const refused = encodeIpv4({ src: '10.10.1.2', dst: '10.96.0.30', ttl: 9, protocol: ipProtocols.tcp }, encodeTcp({ srcPort: 1, dstPort: 80, sequence: 1, acknowledgement: 0, flags: tcpFlags.SYN, window: 1, urgentPointer: 0, options: new Uint8Array() }, new Uint8Array(), { src: '10.10.1.2', dst: '10.96.0.30' }));
  t.same(outcome(host, refused), ['dropped: nobody is there to answer for that address', 'gw: 10.10.1.1 > 10.10.1.2, TTL 64, ICMP 3/3, valid']);
  const error = encodeIpv4({ src: '10.10.1.2', dst: '172.30.0.2', ttl: 1, protocol: ipProtocols.icmp }, encodeIcmp({ type: icmpTypes.timeExceeded, code: 0, identifier: 0, sequence: 0 }, new Uint8Array(28)));
  t.same(outcome(host, error), ['dropped: its time to live is over'], 'no error about an error');
  t.same(outcome(createHost({ name: router.name, kind: router.kind, routes: [], interfaces: router.interfaces }, draws), datagram('172.30.0.2', 9)), ['dropped: no route to 172.30.0.2'], 'one that does not');
});

void t.test('a host that opens a connection itself', async (t) => {
  const routed: HostPlan = { ...router, routes: [{ destination: '0.0.0.0/0', via: '172.30.0.2', interface: 'eth0', onlink: false }, { destination: '10.10.2.0/24', via: '10.10.2.2', interface: 'gw', onlink: true }] };
  const host = createHost(routed, draws);
  for (const ip of ['10.10.1.3', '10.10.2.2']) host.neighbours.set(ip, { kind: 'known', mac: '0a:00:00:00:00:99' });
  const effects = begin(host, { kind: 'tcp', from: 'n1', to: '10.96.0.10', port: 80 });
  t.match(effects.map(told), [/^gw: 10\.10\.1\.1 > 10\.10\.[12]\.[23], TTL 64, protocol 6, valid$/, 'wake'], 'it goes where the endpoint is, with the address that it leaves by');
  const hopeless = createHost(routed, draws);
  t.match(begin(hopeless, { kind: 'tcp', from: 'n1', to: '10.96.0.30', port: 80 }).map(told), ['unreachable: port unreachable', 'wake']);
  t.equal(hopeless.connections.size, 0);
});

void t.test('who is told that nobody is there gives up', async (t) => {
  const pod = createHost({ name: 'p1', kind: 'pod', interfaces: [{ name: 'eth0', port: 'p1', mac: '0a:00:00:00:00:05', ip: '10.10.1.2', prefixLength: 24 }], routes: [{ destination: '0.0.0.0/0', via: '10.10.1.1', interface: 'eth0', onlink: false }] }, draws);
  pod.neighbours.set('10.10.1.1', { kind: 'known', mac: '0a:00:00:00:00:01' });
  const [sent] = begin(pod, { kind: 'tcp', from: 'p1', to: '10.96.0.30', port: 80 });
  const packet = sent?.kind === 'send' ? (decodeEthernet(sent.frame)?.payload ?? new Uint8Array()) : new Uint8Array();
  t.equal(pod.connections.size, 1);
  const [eth0] = pod.plan.interfaces;
  const error = encodeIpv4({ src: '10.10.1.1', dst: '10.10.1.2', ttl: 64, protocol: ipProtocols.icmp }, encodeIcmp({ type: icmpTypes.destinationUnreachable, code: 3, identifier: 0, sequence: 0 }, packet));
  t.same(eth0 && receive(pod, eth0, encodeEthernet({ dst: eth0.mac, src: '0a:00:00:00:00:01', etherType: etherTypes.ipv4 }, error)).map(told), ['unreachable: port unreachable']);
  t.equal(pod.connections.size, 0);
});

void t.test('NetNat: ports of a range, and lifetimes of its own', async (t) => {
  const lifetimes = { icmpS: 30, udpS: 120, tcpTransientS: 120, tcpEstablishedS: 1800 };
  const netNat: TranslationPlan = { destinations: [], sources: [{ from: ['10.10.1.0/24'], except: ['10.10.1.0/24'], ports: { first: 50_000, last: 50_001 } }], lifetimes };
  const state = noTranslations(netNat);
  const to = (srcPort: number, nowUs = 0) => {
    const result = through(state, tcp('10.10.1.2', srcPort, '192.0.2.9'), nowUs, '172.30.0.1');
    return typeof result === 'string' ? result : text(result);
  };
  t.same([to(4000), to(4001), to(4002), to(4000)], ['172.30.0.1:50000 > 192.0.2.9:80', '172.30.0.1:50001 > 192.0.2.9:80', 'no port', '172.30.0.1:50000 > 192.0.2.9:80'], 'both of the range, and no third');
  t.equal(text(must(through(state, tcp('10.10.1.2', 4002, '192.0.2.8'), 0, '172.30.0.1'))), '172.30.0.1:50000 > 192.0.2.8:80', 'a port serves once for every peer');
  t.equal(text(must(through(state, reversed(tcp('172.30.0.1', 50_001, '192.0.2.9')), 60 * second))), '192.0.2.9:80 > 10.10.1.2:4001', 'an answer finds back');
  t.equal(to(4002, 120 * second), '172.30.0.1:50000 > 192.0.2.9:80', 'what was not answered is forgotten after the transient time');
  t.equal(to(4003, 240 * second - 1), 'no port', 'but not sooner');
  t.same([to(4004, 1860 * second - 1), to(4005, 1860 * second - 1)], ['172.30.0.1:50000 > 192.0.2.9:80', 'no port'], 'what was answered is remembered for longer');
  t.equal(to(4005, 1860 * second), '172.30.0.1:50001 > 192.0.2.9:80', 'and forgotten after the established time');
  const udp = (nowUs: number, protocol: number = ipProtocols.udp) => through(state, { ...tcp('10.10.1.3', 9, '192.0.2.7'), protocol }, nowUs, '172.30.0.1');
  t.equal(text(must(udp(0))), '172.30.0.1:50000 > 192.0.2.7:80');
  t.equal(beforeRouting(state, { protocol: ipProtocols.udp, src: { ip: '192.0.2.7', port: 80 }, dst: { ip: '172.30.0.1', port: 50_000 } }, { nowUs: 119 * second, draw: 1 }).kind, 'known');
  t.equal(beforeRouting(state, { protocol: ipProtocols.udp, src: { ip: '192.0.2.7', port: 80 }, dst: { ip: '172.30.0.1', port: 50_000 } }, { nowUs: 239 * second, draw: 1 }).kind, 'new', '120 seconds after the last packet');
  const echo = must(through(state, { protocol: ipProtocols.icmp, src: { ip: '10.10.1.2', port: 77 }, dst: { ip: '192.0.2.9', port: 77 } }, 0, '172.30.0.1'));
  t.same([echo.src, echo.dst], [{ ip: '172.30.0.1', port: 50_000 }, { ip: '192.0.2.9', port: 50_000 }], 'an echo has one identifier');
  t.equal(beforeRouting(state, reversed(echo), { nowUs: 29 * second, draw: 1 }).kind, 'known');
  t.equal(beforeRouting(state, reversed(echo), { nowUs: 59 * second, draw: 1 }).kind, 'new');
});
