/**
 * Goal: which packets can belong to connections, and to which, of every protocol and of each
 * version where they differ. Method: packets built, damaged and quoted one by one;
 * tracker.live.test.ts holds thousands of others to switches.
 */
import t from 'tap';
import { encodeIcmp } from '../../../packet/protocols/ip/icmp.js';
import { encodeIcmp6 } from '../../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../../packet/protocols/ip/ipv6.js';
import { encodeSctp } from '../../../packet/protocols/transport/sctp.js';
import { encodeTcp, tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import type { Version } from '../../behaviour.js';
import { describeTracked as describe } from '../../testkit/describe-tracked.js';

const old: Version = [3, 1];
const ends = { src: '10.0.0.1', dst: '10.0.0.2' };
const ends6 = { src: 'fd00::1', dst: 'fd00::2' };
const back = { src: ends.dst, dst: ends.src };
const back6 = { src: ends6.dst, dst: ends6.src };
const ports = { srcPort: 4000, dstPort: 53 };

const ipv4 = (protocol: number, payload: Uint8Array, addresses = ends) =>
  encodeIpv4({ ...addresses, ttl: 64, protocol }, payload);
const ipv6 = (nextHeader: number, payload: Uint8Array, addresses = ends6) =>
  encodeIpv6({ ...addresses, hopLimit: 64, nextHeader }, payload);
const udp = encodeUdp(ports, new Uint8Array(4), ends);
const udp6 = encodeUdp(ports, new Uint8Array(4), ends6);
const tcp = encodeTcp(
  {
    ...ports,
    sequence: 1,
    acknowledgement: 0,
    flags: tcpFlags.SYN,
    window: 1,
    urgentPointer: 0,
    options: new Uint8Array(),
  },
  new Uint8Array(),
  ends,
);
const flipped = (bytes: Uint8Array, at: number) =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));

const there = 'src=10.0.0.1,dst=10.0.0.2';
const there6 = 'src=fd00::1,dst=fd00::2';

void t.test('protocols', async (t) => {
  t.equal(describe(ipv4(ipProtocols.tcp, tcp)), `tcp ${there},sport=4000,dport=53`);
  t.equal(describe(ipv6(ipProtocols.udp, udp6)), `other ${there6},sport=4000,dport=53`);
  t.equal(
    describe(
      ipv4(
        ipProtocols.icmp,
        encodeIcmp({ type: 8, code: 0, identifier: 9, sequence: 1 }, new Uint8Array()),
      ),
    ),
    `icmp ${there},id=9,type=8,code=0`,
  );
  t.equal(
    describe(
      ipv6(
        ipProtocols.icmp6,
        encodeIcmp6({ type: 129, code: 0, rest: 0x90001 }, new Uint8Array(), ends6),
      ),
    ),
    `icmp ${there6},id=9,type=129,code=0`,
  );
  t.equal(
    describe(
      ipv6(
        ipProtocols.icmp6,
        encodeIcmp6({ type: 135, code: 0, rest: 0 }, new Uint8Array(16), ends6),
      ),
    ),
    'none',
    'neighbours are not tracked',
  );
  t.equal(
    describe(
      ipv4(
        ipProtocols.icmp,
        encodeIcmp({ type: 8, code: 1, identifier: 9, sequence: 1 }, new Uint8Array()),
      ),
    ),
    'none',
    'a code that requests do not have',
  );
  t.equal(
    describe(ipv4(89, new Uint8Array(3))),
    `other ${there},sport=0,dport=0`,
    'others have addresses only',
  );
  t.equal(
    describe(ipv6(ipProtocols.icmp, Uint8Array.of(8))),
    `icmp ${there6},id=0,type=0,code=0`,
    'and so has ICMP over IPv6',
  );
  t.throws(() => describe(ipv6(ipProtocols.icmp, new Uint8Array())), {
    name: 'Unsupported',
    message: /protocol 1 that has no bytes/,
  });
});

void t.test('what is broken', async (t) => {
  t.equal(describe(ipv4(ipProtocols.tcp, flipped(tcp, 16))), 'none', 'a checksum');
  t.equal(
    describe(ipv4(ipProtocols.udp, encodeUdp(ports, new Uint8Array(4), 'no-checksum'))),
    `other ${there},sport=4000,dport=53`,
    'UDP may do without one',
  );
  t.equal(
    describe(ipv6(ipProtocols.udp, encodeUdp(ports, new Uint8Array(4), 'no-checksum'))),
    'none',
    'but not over IPv6',
  );
  t.equal(describe(ipv4(ipProtocols.udp, udp.subarray(0, 7))), 'none', 'a header that is cut off');
  t.equal(
    describe(
      ipv4(ipProtocols.udp, encodeUdp({ srcPort: 0, dstPort: 53 }, new Uint8Array(4), ends)),
    ),
    'none',
    'port 0',
  );
  const wrong = flipped(ipv4(ipProtocols.udp, udp), 10);
  t.equal(describe(wrong), 'none');
  t.equal(describe(wrong, old), 'none');
  t.equal(
    describe(wrong, [3, 5]),
    `other ${there},sport=4000,dport=53`,
    'the checksum of IPv4 was not verified for a while',
  );
});

void t.test('SCTP', async (t) => {
  const sctp = (chunks: readonly number[]) =>
    ipv4(ipProtocols.sctp, encodeSctp({ ...ports, verificationTag: 1 }, Uint8Array.from(chunks)));
  t.equal(describe(sctp([1, 0, 0, 6, 1, 2, 0, 0])), `other ${there},sport=4000,dport=53`);
  t.equal(describe(sctp([1, 0, 0, 6, 1, 2])), 'none', 'a chunk is padded');
  t.equal(describe(sctp([1, 0, 0, 3])), 'none', 'and at least as long as its header');
  t.equal(describe(sctp([1, 0, 0, 8])), 'none');
  t.equal(describe(flipped(sctp([1, 0, 0, 4]), 28)), 'none', 'a checksum');
  t.equal(
    describe(sctp([1, 0, 0, 3]), old),
    `other ${there},sport=0,dport=0`,
    'once only the addresses counted',
  );
});

void t.test('errors', async (t) => {
  const about = (quoted: Uint8Array, addresses = back, type = 3) =>
    ipv4(
      ipProtocols.icmp,
      encodeIcmp({ type, code: 1, identifier: 0, sequence: 0 }, quoted),
      addresses,
    );
  const about6 = (quoted: Uint8Array, addresses = back6) =>
    ipv6(
      ipProtocols.icmp6,
      encodeIcmp6({ type: 1, code: 0, rest: 0 }, quoted, addresses),
      addresses,
    );
  const packet = ipv4(ipProtocols.tcp, tcp);
  const answer = 'error src=10.0.0.2,dst=10.0.0.1,sport=53,dport=4000';
  t.equal(describe(about(packet)), answer);
  t.equal(
    describe(about(packet.subarray(0, 28), { src: '10.0.0.9', dst: ends.src })),
    answer,
    'from a router, with as little as may be',
  );
  t.equal(describe(about(packet.subarray(0, 27))), 'none');
  t.equal(
    describe(about(packet, { src: ends.src, dst: '10.0.0.9' })),
    'none',
    'to someone who did not send it',
  );
  t.equal(describe(about(packet, back, 6)), 'none', 'a type that is no error');
  t.equal(describe(about(about(packet, ends), back)), 'none', 'about an error');
  t.equal(
    describe(about(encodeIpv4({ ...ends, ttl: 64, protocol: ipProtocols.tcp, flags: 1 }, tcp))),
    answer,
    'about the first fragment',
  );
  t.equal(
    describe(
      about(encodeIpv4({ ...ends, ttl: 64, protocol: ipProtocols.tcp, flags: 1 }, tcp)),
      old,
    ),
    'none',
  );
  t.equal(
    describe(
      about(encodeIpv4({ ...ends, ttl: 64, protocol: ipProtocols.tcp, fragmentOffset: 1 }, tcp)),
    ),
    'none',
    'about another',
  );
  t.equal(
    describe(about6(ipv6(ipProtocols.udp, udp6))),
    'error src=fd00::2,dst=fd00::1,sport=53,dport=4000',
  );
  t.equal(
    describe(about6(ipv6(ipProtocols.udp, udp6).subarray(0, 47))),
    'none',
    'ICMPv6 quotes whole headers',
  );
});
