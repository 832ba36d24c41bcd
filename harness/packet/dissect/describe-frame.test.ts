// Goal: one line says what a frame is, whatever headers it has. Method: frames written down byte by
// byte, one of every kind beside those of dissect.test.ts; golden text. Checksums are left at zero,
// and reported as wrong where one is wanted.
import t from 'tap';
import { dissect } from './dissect.js';
import { describeFrame } from './describe-frame.js';
import { encodeGre } from '../protocols/tunnel/gre.js';

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const link = '0a000a0a0001aabbccddeeff';
const ipv6 = (next: string, body: string): string =>
  `${link}86dd60000000${(body.length / 2).toString(16).padStart(4, '0')}${next}` +
  `40fd${'00'.repeat(14)}01fd${'00'.repeat(14)}02${body}`;
const target = `fe80${'00'.repeat(13)}03`;

void t.test('tags and labels', (t) => {
  for (const [hex, line] of [
    ['88a800058100e00688cc0102', 'VLAN 5 priority 0 VLAN 6 priority 7 type 0x88cc length 2'],
    ['8100000588cc', 'VLAN 5 priority 0 type 0x88cc length 0'],
    ['8847000100400002013f01', 'MPLS 16 ttl 64 MPLS 32 ttl 63 length 1'],
  ] as const)
    t.equal(describeFrame(bytesOf(link + hex)), `aa:bb:cc:dd:ee:ff > 0a:00:0a:0a:00:01 ${line}`);
  t.end();
});

void t.test('what IPv6 carries', (t) => {
  for (const [next, body, line] of [
    [
      '84',
      '0b590b5a000000011234567801',
      'SCTP 2905 > 2906 length 1 hop limit 64 [wrong sctp.checksum]',
    ],
    ['fd', '78', 'protocol 253 length 1 hop limit 64'],
    [
      '3a',
      '80000000000100026869',
      'ICMPv6 echo request id 1 seq 2 hop limit 64 [wrong icmp6.checksum]',
    ],
    ['3a', '8100000000030004', 'ICMPv6 echo reply id 3 seq 4 hop limit 64 [wrong icmp6.checksum]'],
    [
      '3a',
      `8700000000000000${target}`,
      'ICMPv6 who has fe80::3? hop limit 64 [wrong icmp6.checksum]',
    ],
    [
      '3a',
      `8700000000000000${target}01010a0000000009`,
      'ICMPv6 who has fe80::3? tell 0a:00:00:00:00:09 hop limit 64 [wrong icmp6.checksum]',
    ],
    [
      '3a',
      `8800000000000000${target}02010a0000000008`,
      'ICMPv6 fe80::3 is at 0a:00:00:00:00:08 hop limit 64 [wrong icmp6.checksum]',
    ],
    [
      '3a',
      `8800000000000000${target}`,
      'ICMPv6 fe80::3 is at an address it does not name hop limit 64 [wrong icmp6.checksum]',
    ],
    [
      '3a',
      '0102000000000000abcd',
      'ICMPv6 type 1 code 2 length 2 hop limit 64 [wrong icmp6.checksum]',
    ],
    [
      '2c',
      '110000010102030404d2000700080000',
      'UDP 1234 > 7 length 0 fragment offset 0 flags 0x1 hop limit 64',
    ],
    [
      '2c',
      '11000018010203040708',
      'protocol 44 length 2 fragment offset 24 flags 0x0 hop limit 64',
    ],
  ] as const)
    t.equal(
      describeFrame(bytesOf(ipv6(next, body))),
      `aa:bb:cc:dd:ee:ff > 0a:00:0a:0a:00:01 IPv6 fd00::1 > fd00::2 ${line}`,
    );
  t.end();
});

void t.test('GRE with all that it can have', (t) => {
  const gre = encodeGre(
    { protocolType: 0x88cc, key: 5, sequence: 7, checksum: 'computed' },
    bytesOf('abcd'),
  );
  const fields = dissect(
    Uint8Array.from([...bytesOf(`${link}08004500002600000000402f00000a0000010a000002`), ...gre]),
  );
  // 0xb000 + 0x88cc + 5 + 7 + 0xabcd, carried around
  t.same(
    fields
      .filter(({ name }) => /^(gre|inner|payload)/.test(name))
      .map(({ name, value }) => `${name} ${value}`),
    [
      'gre.flags 0xb000',
      'gre.type 0x88cc',
      'gre.checksum 0x1b59',
      'gre.reserved 0x0000',
      'gre.key 5',
      'gre.sequence 7',
      'inner.payload abcd',
    ],
  );
  t.end();
});
