// Goal: a header is decoded as soon as it is whole and says what can be, not a byte earlier, and
// the numbers are those that are assigned. Method: for each protocol bytes that are just enough,
// and bytes that are just not; the numbers as IANA and IEEE list them.
import t from 'tap';
import { arpOperations, decodeArp } from './protocols/link/arp.js';
import { finishChecksum, internetChecksum, sumWords, updateChecksum } from './bytes/checksum.js';
import { decodeEthernet, etherTypes } from './protocols/link/ethernet.js';
import { decodeGeneve, encodeGeneve, genevePort } from './protocols/tunnel/geneve.js';
import { decodeGre, encodeGre } from './protocols/tunnel/gre.js';
import { decodeIcmp, icmpTypes } from './protocols/ip/icmp.js';
import { icmp6Types } from './protocols/ip/icmp6.js';
import { decodeIpv4, encodeIpv4, ipProtocols, ipv4Flags, isFragment } from './protocols/ip/ipv4.js';
import { decodeTcp, tcpFlags } from './protocols/transport/tcp.js';
import { decodeUdp } from './protocols/transport/udp.js';
import { decodeVxlan, encodeVxlan, vxlanPort } from './protocols/tunnel/vxlan.js';

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const zeros = (bytes: number): string => '00'.repeat(bytes);
const addresses = { src: '10.10.0.2', dst: '10.10.1.2' };

void t.test('just enough, and just not', (t) => {
  const arp = `0001080006040001${zeros(20)}`;
  const ipv4 = (version: string, length: string, rest = 12): string =>
    `${version}00${length}00000000${zeros(rest)}`;
  const protocols: readonly (readonly [
    name: string,
    decode: (bytes: Uint8Array) => unknown,
    enough: readonly string[],
    not: readonly string[],
  ])[] = [
    ['Ethernet', decodeEthernet, [zeros(14)], [zeros(13)]],
    [
      'ARP',
      decodeArp,
      [arp, `${arp}00`],
      [
        arp.slice(2),
        `0002${arp.slice(4)}`,
        `00010806${arp.slice(8)}`,
        `0001080005${arp.slice(10)}`,
        `000108000605${arp.slice(12)}`,
      ],
    ],
    [
      'IPv4',
      decodeIpv4,
      [ipv4('45', '0014'), ipv4('45', '0014', 13), ipv4('46', '0018', 16)],
      [
        ipv4('45', '0014', 11),
        ipv4('65', '0014'),
        ipv4('44', '0014'),
        ipv4('45', '0013'),
        ipv4('46', '0014'),
        ipv4('46', '0018'),
        ipv4('45', '0015'),
      ],
    ],
    ['ICMP', decodeIcmp, [zeros(8)], [zeros(7)]],
    [
      'TCP',
      (bytes) => decodeTcp(bytes, addresses),
      [`${zeros(12)}50${zeros(7)}`, `${zeros(12)}60${zeros(11)}`],
      [`${zeros(12)}50${zeros(6)}`, `${zeros(12)}40${zeros(7)}`, `${zeros(12)}60${zeros(10)}`],
    ],
    [
      'UDP',
      (bytes) => decodeUdp(bytes, addresses),
      ['0000000000080000', '0000000000090000'],
      ['00000000000800', '0000000000070000'],
    ],
    [
      'Geneve',
      decodeGeneve,
      [zeros(8), `01${zeros(11)}`],
      [zeros(7), `01${zeros(10)}`, `40${zeros(7)}`],
    ],
    [
      'GRE',
      decodeGre,
      [zeros(4), `2000${zeros(6)}`, `1000${zeros(6)}`, `8000${zeros(6)}`, `b000${zeros(14)}`],
      [
        zeros(3),
        `2000${zeros(5)}`,
        `8000${zeros(5)}`,
        `b000${zeros(13)}`,
        `4000${zeros(6)}`,
        `0001${zeros(6)}`,
      ],
    ],
    ['VXLAN', decodeVxlan, [`08${zeros(7)}`, `ff${zeros(7)}`], [`08${zeros(6)}`, `f7${zeros(7)}`]],
  ];
  for (const [name, decode, enough, not] of protocols) {
    for (const hex of enough) t.ok(decode(bytesOf(hex)), `${name}: ${hex}`);
    for (const hex of ['', ...not]) t.notOk(decode(bytesOf(hex)), `no ${name}: ${hex}`);
  }
  t.end();
});

void t.test('tunnels as they stand in RFC 8926, RFC 2890 and RFC 7348', (t) => {
  const inner = bytesOf('abcd');
  const geneve = {
    vni: 0xfffefd,
    protocolType: 0x6558,
    options: bytesOf(''),
    critical: false,
    oam: false,
  };
  for (const [oam, critical, flags] of [
    [false, false, '00'],
    [true, false, '80'],
    [false, true, '40'],
    [true, true, 'c0'],
  ] as const) {
    t.same(
      encodeGeneve({ ...geneve, oam, critical }, inner),
      bytesOf(`00${flags}6558fffefd00abcd`),
      `flags ${flags}`,
    );
    t.match(
      decodeGeneve(bytesOf(`00${flags}6558fffefd00abcd`)),
      { header: { oam, critical }, payload: inner },
      `flags ${flags}`,
    );
  }
  t.match(
    decodeGeneve(bytesOf('003f6558fffefdffabcd')),
    { header: { oam: false, critical: false, vni: 0xfffefd }, payload: inner },
    'reserved bits say nothing',
  );
  t.same(
    encodeGre({ protocolType: 0x6558, key: 0xfffffffe }, inner),
    bytesOf('20006558fffffffeabcd'),
  );
  t.same(decodeGre(bytesOf('20006558fffffffeabcd')), {
    header: { protocolType: 0x6558, key: 0xfffffffe },
    payload: inner,
    checksum: 'absent',
  });
  t.same(encodeGre({ protocolType: 0x0800 }, inner), bytesOf('00000800abcd'));
  t.same(decodeGre(bytesOf('00000800abcd')), {
    header: { protocolType: 0x0800 },
    payload: inner,
    checksum: 'absent',
  });
  const whole = bytesOf('b0000800' + '9c250000' + '00000005' + '00000007' + 'abcd');
  t.same(
    encodeGre({ protocolType: 0x0800, key: 5, sequence: 7, checksum: 'computed' }, inner),
    whole,
  );
  t.same(decodeGre(whole), {
    header: { protocolType: 0x0800, key: 5, sequence: 7 },
    payload: inner,
    checksum: 'valid',
  });
  t.match(decodeGre(whole.with(15, 8)), { header: { sequence: 8 }, checksum: 'invalid' });
  t.same(encodeVxlan({ vni: 0xfffefd }, inner), bytesOf('08000000fffefd00abcd'));
  t.same(decodeVxlan(bytesOf('08000000fffefd00abcd')), {
    header: { vni: 0xfffefd },
    payload: inner,
  });
  t.end();
});

void t.test('IPv4 of which little is given', (t) => {
  t.same(
    encodeIpv4({ ...addresses, protocol: 1, ttl: 2 }, bytesOf('')),
    bytesOf('45000014000000000201a3d20a0a00020a0a0102'),
  );
  const header = decodeIpv4(encodeIpv4({ ...addresses, protocol: 1, ttl: 2 }, bytesOf('')))?.header;
  if (header === undefined) return t.fail('it cannot be read');
  const fragments = [
    [0, 0, false],
    [ipv4Flags.moreFragments, 0, true],
    [ipv4Flags.dontFragment, 0, false],
    [ipv4Flags.reserved, 0, false],
    [0, 1, true],
  ] as const;
  for (const [flags, fragmentOffset, expected] of fragments)
    t.equal(
      isFragment({ ...header, flags, fragmentOffset }),
      expected,
      `flags ${flags}, offset ${fragmentOffset}`,
    );
  t.end();
  return undefined;
});

void t.test('checksums', (t) => {
  const example = bytesOf('0001f203f4f5f6f7');
  t.equal(sumWords(example), 0x2ddf0, 'RFC 1071, section 3');
  t.equal(internetChecksum(example), 0x220d);
  t.equal(sumWords(example.subarray(0, 3)), 0xf201, 'an odd last byte');
  // Sums that carry twice, once and not at all (RFC 1071, section 1).
  t.same(
    [0x1ffff, 0xffff, 0x10000, 0xfffe, 0, 0xffffffff].map(finishChecksum),
    [0xfffe, 0, 0xfffe, 1, 0xffff, 0],
  );
  t.equal(updateChecksum(0xdd2f, 0x5555, 0x3285), 0x0000, 'RFC 1624, section 4');
  t.end();
});

void t.test('assigned numbers', (t) => {
  t.same(etherTypes, {
    ipv4: 0x0800,
    arp: 0x0806,
    transparentEthernetBridging: 0x6558,
    rarp: 0x8035,
    vlan: 0x8100,
    ipv6: 0x86dd,
    mpls: 0x8847,
    mplsMulticast: 0x8848,
    serviceVlan: 0x88a8,
  });
  t.match(ipProtocols, { icmp: 1, igmp: 2, tcp: 6, udp: 17, gre: 47, sctp: 132 });
  t.same(ipv4Flags, { moreFragments: 1, dontFragment: 2, reserved: 4 });
  t.match(icmp6Types, {
    destinationUnreachable: 1,
    packetTooBig: 2,
    timeExceeded: 3,
    echoRequest: 128,
    echoReply: 129,
    neighbourSolicitation: 135,
    neighbourAdvertisement: 136,
  });
  t.match(icmpTypes, { echoReply: 0, destinationUnreachable: 3, echoRequest: 8, timeExceeded: 11 });
  t.same(tcpFlags, { FIN: 1, SYN: 2, RST: 4, PSH: 8, ACK: 16, URG: 32, ECE: 64, CWR: 128 });
  t.match(arpOperations, { request: 1, reply: 2 });
  t.same([genevePort, vxlanPort], [6081, 4789]);
  t.end();
});
