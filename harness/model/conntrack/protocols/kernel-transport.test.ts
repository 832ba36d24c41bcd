/**
 * Goal: which packets Linux takes for parts of connections that Open vSwitch does not, and the
 * other way round. Method: packets built, damaged and quoted one by one, as the tracker of the
 * kernel reads them; frozen cases of the fuzzer hold it to a kernel.
 */
import t from 'tap';
import { extract } from '../../../packet/flow-key/extract/extract.js';
import { keyWords } from '../../../packet/flow-key/flow-key.js';
import { encodeIcmp } from '../../../packet/protocols/ip/icmp.js';
import { encodeIcmp6 } from '../../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../../packet/protocols/ip/ipv6.js';
import { extensionHeaders } from '../../../packet/protocols/ip/ipv6-extension.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { describeTracked as describe } from '../../testkit/describe-tracked.js';
import { hasBrokenHopByHop } from './kernel-transport.js';

const ends = { src: '10.0.0.1', dst: '10.0.0.2' };
const ends6 = { src: 'fd00::1', dst: 'fd00::2' };
const back6 = { src: ends6.dst, dst: ends6.src };
const there = 'src=10.0.0.1,dst=10.0.0.2';
const there6 = 'src=fd00::1,dst=fd00::2';

const ipv4 = (protocol: number, payload: Uint8Array) =>
  encodeIpv4({ ...ends, ttl: 64, protocol }, payload);
const ipv6 = (nextHeader: number, payload: Uint8Array, addresses = ends6) =>
  encodeIpv6({ ...addresses, hopLimit: 64, nextHeader }, payload);
const udp = encodeUdp({ srcPort: 4000, dstPort: 53 }, new Uint8Array(4), ends);
const udp6 = encodeUdp({ srcPort: 4000, dstPort: 53 }, new Uint8Array(4), ends6);
const flipped = (bytes: Uint8Array, at: number) =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
const describeIn = (packet: Uint8Array) => describe(packet, [3, 5, 'in the kernel']);

void t.test('what Linux makes of them', async (t) => {
  const request = (type: number, code = 0) =>
    ipv4(
      ipProtocols.icmp,
      encodeIcmp({ type, code, identifier: 9, sequence: 1 }, new Uint8Array()),
    );
  const request6 = (type: number, code = 0) =>
    ipv6(ipProtocols.icmp6, encodeIcmp6({ type, code, rest: 0x90001 }, new Uint8Array(), ends6));
  t.equal(describeIn(request(13, 1)), `icmp ${there},id=9,type=13,code=1`, 'any code');
  t.equal(describeIn(request6(128, 2)), `icmp ${there6},id=9,type=128,code=2`);
  t.equal(describeIn(request(17)), `icmp ${there},id=9,type=17,code=0`, 'for a network mask');
  t.equal(describeIn(request6(139)), `icmp ${there6},id=9,type=139,code=0`, 'about a node');
  t.equal(describe(request(17)), 'none');
  t.equal(describeIn(ipv4(ipProtocols.icmp6, Uint8Array.of(128))), 'none', 'ICMPv6 over IPv4');
  t.equal(describeIn(ipv6(ipProtocols.icmp, Uint8Array.of(8))), 'none', 'ICMP over IPv6');
  const toPort0 = encodeUdp({ srcPort: 0, dstPort: 0 }, new Uint8Array(4), ends);
  t.equal(describeIn(ipv4(ipProtocols.udp, toPort0)), `other ${there},sport=0,dport=0`, 'port 0');
  const wrong = (protocol: number, payload: Uint8Array, by = 1) =>
    ipv4(protocol, payload).map((byte, index) => (index === 11 ? byte + by : byte));
  const lacking = udp.map((byte, index) => (index === 6 || index === 7 ? 0 : byte));
  const ofUdp = `other ${there},sport=4000,dport=53`;
  t.equal(describeIn(wrong(ipProtocols.udp, udp)), 'none', 'a checksum of IPv4');
  t.equal(describeIn(wrong(ipProtocols.icmp, request(8).subarray(20))), 'none');
  t.equal(describeIn(wrong(ipProtocols.udp, lacking)), ofUdp, 'which nothing is summed up with');
  t.equal(describeIn(wrong(89, new Uint8Array(4))), `other ${there},sport=0,dport=0`);
  const less = udp.map((byte, index) => (index === 7 ? byte - 1 : byte));
  t.equal(describeIn(wrong(ipProtocols.udp, less)), ofUdp, 'which one of UDP makes up for');
  t.equal(describeIn(ipv4(ipProtocols.udp, flipped(udp, 6))), 'none', 'one of UDP');
  const about = (type: number, quoted: Uint8Array) =>
    ipv6(ipProtocols.icmp6, encodeIcmp6({ type, code: 0, rest: 0 }, quoted, back6), back6);
  const answer = 'error src=fd00::2,dst=fd00::1,sport=53,dport=4000';
  const quoted = ipv6(ipProtocols.udp, udp6);
  t.equal(describeIn(about(1, quoted.subarray(0, 44))), answer, 'ports alone are quoted');
  t.equal(describeIn(about(1, quoted.subarray(0, 43))), 'none');
  t.equal(describeIn(about(100, quoted)), answer, 'whatever the error');
  t.equal(describe(about(100, quoted)), 'none');
});

void t.test('lengths of IP that Linux does not mind', async (t) => {
  const other = ipv4(89, new Uint8Array(4));
  const withLength = (packet: Uint8Array, at: number, length: number) => {
    const changed = packet.slice();
    changed.set([length >>> 8, length & 0xff], at);
    return changed;
  };
  const tooLong = withLength(other, 2, 0x2018);
  t.equal(describeIn(tooLong), `other ${there},sport=0,dport=0`, 'longer than the packet');
  t.equal(describe(tooLong), 'none', 'which Open vSwitch minds');
  const tooLong6 = withLength(ipv6(89, new Uint8Array(4)), 4, 99);
  t.equal(describeIn(tooLong6), `other ${there6},sport=0,dport=0`);
  t.equal(describeIn(withLength(other, 2, 19)), 'none', 'shorter than its header');
  t.equal(describeIn(ipv6(59, new Uint8Array(4))), 'none', 'nothing follows');
  t.equal(describeIn(tooLong.subarray(0, 19)), 'none', 'half of a header');
  t.throws(() => describeIn(tooLong.subarray(0, 3)), { name: 'Unsupported', message: /length/ });
  const fragment = encodeIpv4({ ...ends, ttl: 64, protocol: 89, flags: 1 }, new Uint8Array(4));
  t.throws(() => describeIn(withLength(fragment, 2, 99)), { message: /fragments of wrong length/ });
});

void t.test('options for each hop that Linux drops a packet for', async (t) => {
  const behind = (options: readonly number[]) => {
    const frame = encodeEthernet(
      { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv6 },
      ipv6(extensionHeaders.hopByHop, new Uint8Array(options)),
    );
    const key = new Uint32Array(keyWords);
    return hasBrokenHopByHop(frame, extract(frame, key), key);
  };
  const padN = [1, 4, 0, 0, 0, 0];
  t.notOk(behind([59, 0, ...padN]), 'whole');
  t.notOk(behind([59, 0, 0, 0, 0, 0, 0, 0]), 'bytes of padding alone');
  t.notOk(behind([59, 1, ...padN, 5, 2, 0, 0, 1, 2, 0, 0]), 'an option more');
  t.ok(behind([59, 0, 1, 4]), 'cut off');
  t.ok(behind([59, 1, ...padN]), 'shorter than it says');
  t.ok(behind([59, 0, 1, 5, 0, 0, 0, 0]), 'an option that is longer than all');
  t.ok(behind([59, 0, 1, 3, 0, 0, 0, 5]), 'half an option');
  t.ok(behind([59, 0, 0xc2, 4, 0, 1, 0, 0]), 'a length that the packet does not have');
});
