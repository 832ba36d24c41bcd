// Goal: tags, labels and IPv6 with its extensions get their names field by field, and what is cut
// short or not known is payload. Method: frames put together from the RFCs, with checksums computed
// by another program; golden text.
import t from 'tap';
import { dissect } from './dissect.js';
import { encodeIpv6 } from '../protocols/ip/ipv6.js';
import { encodeExtension, encodeFragment } from '../protocols/ip/ipv6-extension.js';
import { pseudoHeaderSum } from '../protocols/ip/pseudo-header.js';

interface Known {
  readonly what: string;
  /** From the Ethernet type on. */
  readonly hex: string;
  /** A header a line, its fields in order. */
  readonly fields: readonly string[];
}

const known: readonly Known[] = [
  {
    what: 'RARP behind two tags (IEEE 802.1Q)',
    hex: '88a8906481000005803500010800060400030a000a0a0002000000000a000a0a000200000000',
    fields: [
      'vlan: pcp 4; dei 1; vid 100; type 0x8100',
      'vlan2: pcp 0; dei 0; vid 5; type 0x8035',
      'arp: hardware_type 1; protocol_type 0x0800; hardware_length 6; protocol_length 4; op ' +
        '3; sha 0a:00:0a:0a:00:02; spa 0.0.0.0; tha 0a:00:0a:0a:00:02; tpa 0.0.0.0',
    ],
  },
  {
    what: 'a tag that is cut short',
    hex: '8100000508',
    fields: [': payload 000508'],
  },
  {
    what: 'two labels (RFC 3032)',
    hex: '8847000106400001113fa0a1a2a3a4a5a6a7',
    fields: [
      'mpls: label 16; tc 3; bos 0; ttl 64',
      'mpls2: label 17; tc 0; bos 1; ttl 63',
      ': payload a0a1a2a3a4a5a6a7',
    ],
  },
  {
    what: 'a label that is cut short',
    hex: '884800010040aabb',
    fields: ['mpls: label 16; tc 0; bos 0; ttl 64', ': payload aabb'],
  },
  {
    what: 'IPv6 with extensions (RFC 8200)',
    hex: '86dd6b91234500320040fd000000000000000000000000000001fd0000000000000000000000000000023c000104000000002b000104000000003c000000000000001101010400000000000000000000000000010002000a9d696869',
    fields: [
      'ip6: version 6; traffic_class 0xb9; flow_label 0x12345; length 50; next_header 0; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'ip6.hop_by_hop: next_header 60; length 0; content 010400000000',
      'ip6.destination: next_header 43; length 0; content 010400000000',
      'ip6.routing: next_header 60; length 0; content 000000000000',
      'ip6.destination2: next_header 17; length 1; content 0104000000000000000000000000',
      'udp: src 1; dst 2; length 10; checksum 0x9d69',
      ': payload 6869',
    ],
  },
  {
    what: 'an authentication header, which counts by fours (RFC 4302)',
    hex: '86dd6000000000223340fd000000000000000000000000000001fd0000000000000000000000000000023a040000000000050000000600000000000000000000000080001cff004d00016869',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 34; next_header 51; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'ip6.authentication: next_header 58; length 4; content ' +
        '00000000000500000006000000000000000000000000',
      'icmp6: type 128; code 0; checksum 0x1cff; identifier 77; sequence 1',
      ': payload 6869',
    ],
  },
  {
    what: 'a first fragment (RFC 8200)',
    hex: '86dd6000000000122c40fd000000000000000000000000000001fd000000000000000000000000000002110000010000000700010002000a9d696869',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 18; next_header 44; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'ip6.fragment: next_header 17; reserved 0x00; offset 0; flags 0x1; identification 0x00000007',
      'udp: src 1; dst 2; length 10; checksum 0x9d69 (unverifiable)',
      ': payload 6869',
    ],
  },
  {
    what: 'a later fragment: what is behind it is not looked into',
    hex: '86dd60000000001a2c40fd000000000000000000000000000001fd0000000000000000000000000000023c00000800000007110001040000000000010002000a9d696869',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 26; next_header 44; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'ip6.fragment: next_header 60; reserved 0x00; offset 8; flags 0x0; identification 0x00000007',
      ': payload 110001040000000000010002000a9d696869',
    ],
  },
  {
    what: 'a fragment that is all there is (RFC 6946)',
    hex: '86dd6000000000122c40fd000000000000000000000000000001fd000000000000000000000000000002110500060000000700010002000a9d696869',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 18; next_header 44; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'ip6.fragment: next_header 17; reserved 0x05; offset 0; flags 0x6; identification 0x00000007',
      'udp: src 1; dst 2; length 10; checksum 0x9d69',
      ': payload 6869',
    ],
  },
  {
    what: 'an extension that is cut short',
    hex: '86dd6000000000083c40fd000000000000000000000000000001fd0000000000000000000000000000021101010400000000',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 8; next_header 60; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      ': payload 1101010400000000',
    ],
  },
  {
    what: 'two bytes of an extension',
    hex: '86dd6000000000023c40fd000000000000000000000000000001fd0000000000000000000000000000021100',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 2; next_header 60; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      ': payload 1100',
    ],
  },
  {
    what: 'one byte of a second extension',
    hex: '86dd6000000000093c40fd000000000000000000000000000001fd0000000000000000000000000000023c0001040000000011',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 9; next_header 60; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'ip6.destination: next_header 60; length 0; content 010400000000',
      ': payload 11',
    ],
  },
  {
    what: 'nothing of an extension',
    hex: '86dd6000000000003c40fd000000000000000000000000000001fd000000000000000000000000000002',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 0; next_header 60; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
    ],
  },
  {
    what: 'ICMPv6 with a wrong checksum',
    hex: '86dd6000000000083a40fd000000000000000000000000000001fd0000000000000000000000000000028100846b004d0001',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 8; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 129; code 0; checksum 0x846b (invalid); identifier 77; sequence 1',
    ],
  },
  {
    what: 'ICMPv6 echo reply',
    hex: '86dd6050001200083a40fd000000000000000000000000000001fd0000000000000000000000000000028100846a004d0001',
    fields: [
      'ip6: version 6; traffic_class 0x05; flow_label 0x00012; length 8; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 129; code 0; checksum 0x846a; identifier 77; sequence 1',
    ],
  },
  {
    what: 'a router advertisement, whose body is not looked into',
    hex: '86dd6000000000203a40fd000000000000000000000000000001fd0000000000000000000000000000028600b40740000708000102030405060708090a0b0c0d0e0f1011121314151617',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 32; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 134; code 0; checksum 0xb407; rest 0x40000708',
      ': payload 000102030405060708090a0b0c0d0e0f1011121314151617',
    ],
  },
  {
    what: 'a neighbour solicitation with options (RFC 4861)',
    hex: '86dd6000000000433a40fd000000000000000000000000000001fd0000000000000000000000000000028700111e00000000fd00000000000000000000000000000201010a000a0a00020e010102030405060102000102030405060708090a0b0c0d01010a000a0a0002010203',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 67; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 135; code 0; checksum 0x111e; rest 0x00000000',
      'nd: target fd00::2; sll 0a:00:0a:0a:00:02; option type 14, 010203040506; option2 type ' +
        '1, 000102030405060708090a0b0c0d; sll2 0a:00:0a:0a:00:02; rest 010203',
    ],
  },
  {
    what: 'a neighbour solicitation with an option that has no length',
    hex: '86dd6000000000203a40fd000000000000000000000000000001fd0000000000000000000000000000028700809d00000000fd0000000000000000000000000000020100000000000000',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 32; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 135; code 0; checksum 0x809d; rest 0x00000000',
      'nd: target fd00::2; rest 0100000000000000',
    ],
  },
  {
    what: 'a neighbour solicitation with an option that is cut short',
    hex: '86dd6000000000213a40fd000000000000000000000000000001fd0000000000000000000000000000028700809a00000000fd000000000000000000000000000002010200000000000000',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 33; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 135; code 0; checksum 0x809a; rest 0x00000000',
      'nd: target fd00::2; rest 010200000000000000',
    ],
  },
  {
    what: 'a neighbour advertisement',
    hex: '86dd6000000000203a40fd000000000000000000000000000001fd00000000000000000000000000000288000a8f60000000fd00000000000000000000000000000202010a000a0a0003',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 32; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 136; code 0; checksum 0x0a8f; rest 0x60000000',
      'nd: target fd00::2; tll 0a:00:0a:0a:00:03',
    ],
  },
  {
    what: 'a neighbour solicitation with another code',
    hex: '86dd6000000000183a40fd000000000000000000000000000001fd000000000000000000000000000002870181a400000000fd000000000000000000000000000002',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 24; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 135; code 1; checksum 0x81a4; rest 0x00000000',
      ': payload fd000000000000000000000000000002',
    ],
  },
  {
    what: 'a neighbour solicitation that is cut short',
    hex: '86dd6000000000103a40fd000000000000000000000000000001fd000000000000000000000000000002870081af00000000fd00000000000000',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 16; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      'icmp6: type 135; code 0; checksum 0x81af; rest 0x00000000',
      ': payload fd00000000000000',
    ],
  },
  {
    what: 'ICMPv6 without a whole header',
    hex: '86dd6000000000033a40fd000000000000000000000000000001fd000000000000000000000000000002800000',
    fields: [
      'ip6: version 6; traffic_class 0x00; flow_label 0x00000; length 3; next_header 58; ' +
        'hop_limit 64; src fd00::1; dst fd00::2',
      ': payload 800000',
    ],
  },
  {
    what: 'SCTP (RFC 9260)',
    hex: '080045000024000040004084253f0a0a00020a0a0102000500061122334477eb66330b000004',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 36; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 132; checksum 0x253f; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'sctp: src 5; dst 6; verification_tag 0x11223344; checksum 0x77eb6633',
      ': payload 0b000004',
    ],
  },
  {
    what: 'SCTP without a whole header',
    hex: '08004500001f00004000408425440a0a00020a0a01020000000000000000000000',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 31; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 132; checksum 0x2544; src 10.10.0.2; dst ' +
        '10.10.1.2',
      ': payload 0000000000000000000000',
    ],
  },
  {
    what: 'another version by the type of IPv6',
    hex: '86dd5000000000003b40fd000000000000000000000000000001fd000000000000000000000000000002',
    fields: [
      ': payload 5000000000003b40fd000000000000000000000000000001fd000000000000000000000000000002',
    ],
  },
  {
    what: 'IPv6 without a whole header',
    hex: '86dd6000000000',
    fields: [': payload 6000000000'],
  },
  {
    what: 'IPv6 that is longer than its frame',
    hex: '86dd6000000000023b40fd000000000000000000000000000001fd00000000000000000000000000000261',
    fields: [
      ': payload ' +
        '6000000000023b40fd000000000000000000000000000001fd00000000000000000000000000000261',
    ],
  },
  {
    what: 'IPv6 by another type',
    hex: '12346000000000003b40fd000000000000000000000000000001fd000000000000000000000000000002',
    fields: [
      ': payload 6000000000003b40fd000000000000000000000000000001fd000000000000000000000000000002',
    ],
  },
];

/** The fields by header: `vlan: pcp 5; dei 1; …`. */
function headersOf(frame: Uint8Array): readonly string[] {
  const headers = new Map<string, string[]>();
  for (const { name, value } of dissect(frame)) {
    const end = Math.max(name.lastIndexOf('.'), 0);
    headers.set(name.slice(0, end), [
      ...(headers.get(name.slice(0, end)) ?? []),
      `${name.slice(end).replace('.', '')} ${value}`,
    ]);
  }
  return [...headers].map(([header, fields]) => `${header}: ${fields.join('; ')}`);
}

void t.test('tags, labels and IPv6, field by field', (t) => {
  for (const { what, hex, fields } of known) {
    const frame = Uint8Array.from(Buffer.from(`020000000002020000000001${hex}`, 'hex'));
    const [ethernet, ...headers] = headersOf(frame);
    t.equal(
      ethernet,
      `eth: dst 02:00:00:00:00:02; src 02:00:00:00:00:01; type 0x${hex.slice(0, 4)}`,
      what,
    );
    t.strictSame(headers, fields, what);
    const parts = dissect(frame);
    for (const [index, { name, offset }] of parts.entries()) {
      const before = parts[index - 1] ?? { offset: 0, length: 0 };
      t.ok(
        offset === before.offset || offset === before.offset + before.length,
        `${what}: ${name} stands beside what is before it`,
      );
    }
    const last = parts.at(-1);
    t.equal((last?.offset ?? 0) + (last?.length ?? 0), frame.length, `${what}: to the last byte`);
  }
  t.end();
});

void t.test('headers as they are sent', (t) => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  t.equal(hex(encodeExtension('hopByHop', 17, new Uint8Array(6).fill(1))), '1100010101010101');
  t.equal(
    hex(encodeExtension('destination', 17, new Uint8Array(14).fill(1))),
    '11010101010101010101010101010101',
  );
  t.equal(
    hex(encodeExtension('authentication', 6, new Uint8Array(10).fill(1))),
    '060101010101010101010101',
  );
  t.equal(
    pseudoHeaderSum({ src: '1::', dst: '::2:0' }, 17, 8),
    28,
    'each word of an address counts',
  );
  t.equal(
    hex(encodeIpv6({ src: '::', dst: '::', nextHeader: 59, hopLimit: 64 }, new Uint8Array())).slice(
      0,
      16,
    ),
    '6000000000003b40',
  );
  t.equal(
    hex(encodeFragment({ nextHeader: 17, offset: 2, more: 'last', identification: 5 })),
    '1100001000000005',
  );
  t.equal(
    hex(encodeFragment({ nextHeader: 17, offset: 2, more: 'more', identification: 5 })),
    '1100001100000005',
  );
  t.end();
});
