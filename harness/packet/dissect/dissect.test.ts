// Goal: each byte of a frame gets the name and the reading that the RFCs give it, and one line says
// what the frame is. Method: frames written down byte by byte from the RFCs, checksums computed by
// hand (not by the code under test); golden text.
import t from 'tap';
import { dissect } from './dissect.js';
import { encodeEthernet, etherTypes } from '../protocols/link/ethernet.js';
import { describeFrame, differingFields } from './describe-frame.js';
import { encodeGre } from '../protocols/tunnel/gre.js';
import { encodeIcmp } from '../protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../protocols/ip/ipv4.js';
import { encodeUdp } from '../protocols/transport/udp.js';
import { encodeVxlan, vxlanPort } from '../protocols/tunnel/vxlan.js';

interface Known {
  readonly what: string;
  readonly hex: string;
  /** As `describeFrame` has it. */
  readonly line: string;
  /**
   * A header a line, its fields in order; the Ethernet header, which is always the same, left out.
   */
  readonly fields: readonly string[];
}

const known: readonly Known[] = [
  {
    what: 'VXLAN (RFC 7348)',
    hex:
      '02000000020102000000010108004500004e000040004011e25fac1e0001ac1e0002c35112b5003a00000800000000010200ffffffffffff0a000a0a' +
      '0002080600010800060400010a000a0a00020a0a00020000000000000a0a0003',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.2 UDP 50001 > 4789 ' +
      'VXLAN vni 258 { 0a:00:0a:0a:00:02 > ff:ff:ff:ff:ff:ff ARP who has 10.10.0.3? tell ' +
      '10.10.0.2 at 0a:00:0a:0a:00:02 } ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 78; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 17; checksum 0xe25f; src 172.30.0.1; dst ' +
        '172.30.0.2',
      'udp: src 50001; dst 4789; length 58; checksum 0x0000 (absent)',
      'vxlan: flags 0x08000000; vni 258; reserved 0x00',
      'inner.eth: dst ff:ff:ff:ff:ff:ff; src 0a:00:0a:0a:00:02; type 0x0806',
      'inner.arp: hardware_type 1; protocol_type 0x0800; hardware_length 6; protocol_length ' +
        '4; op 1; sha 0a:00:0a:0a:00:02; spa 10.10.0.2; tha 00:00:00:00:00:00; tpa 10.10.0.3',
    ],
  },
  {
    what: 'GRE with a key (RFC 2890)',
    hex:
      '02000000020102000000010108004500004600004000402fe249ac1e0001ac1e00022000655800000007ffffffffffff0a000a0a0002080600010800' +
      '060400010a000a0a00020a0a00020000000000000a0a0003',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.2 GRE key 7 { ' +
      '0a:00:0a:0a:00:02 > ff:ff:ff:ff:ff:ff ARP who has 10.10.0.3? tell 10.10.0.2 at ' +
      '0a:00:0a:0a:00:02 } ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 70; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 47; checksum 0xe249; src 172.30.0.1; dst ' +
        '172.30.0.2',
      'gre: flags 0x2000; type 0x6558; key 7',
      'inner.eth: dst ff:ff:ff:ff:ff:ff; src 0a:00:0a:0a:00:02; type 0x0806',
      'inner.arp: hardware_type 1; protocol_type 0x0800; hardware_length 6; protocol_length ' +
        '4; op 1; sha 0a:00:0a:0a:00:02; spa 10.10.0.2; tha 00:00:00:00:00:00; tpa 10.10.0.3',
    ],
  },
  {
    what: 'GRE without a key, with IPv4 right behind it (RFC 2784)',
    hex:
      '02000000020102000000010108004500003600004000402fe259ac1e0001ac1e0002000008004500001e00014000400125c70a0a00020a0a01020000' +
      '9748004d00016869',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.2 GRE { IPv4 ' +
      '10.10.0.2 > 10.10.1.2 ICMP echo reply id 77 seq 1 ttl 64 } ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 54; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 47; checksum 0xe259; src 172.30.0.1; dst ' +
        '172.30.0.2',
      'gre: flags 0x0000; type 0x0800',
      'inner.ip: version 4, header length 20; tos 0x00; length 30; identification 1; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 1; checksum 0x25c7; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'inner.icmp: type 0; code 0; checksum 0x9748; identifier 77; sequence 1',
      'inner: payload 6869',
    ],
  },
  {
    what: 'TCP with options, behind a router alert, with padding',
    hex:
      '020000000201020000000101080046b90039123440003f067eb60a0a00020a0a010294040000c0001f90010203040a0b0c0d71b2fde831d900090204' +
      '05b40103030768656c6c6f0001',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 TCP 49152 > 8080 ' +
      'SYN,ACK,URG,CWR seq 16909060 ack 168496141 length 5 ttl 63',
    fields: [
      'ip: version 4, header length 24; tos 0xb9; length 57; identification 4660; fragment ' +
        'dontFragment offset 0; ttl 63; protocol 6; checksum 0x7eb6; src 10.10.0.2; dst ' +
        '10.10.1.2; options 94040000',
      'tcp: src 49152; dst 8080; sequence 16909060; acknowledgement 168496141; header_length ' +
        '28, reserved 1; flags SYN,ACK,URG,CWR; window 65000; checksum 0x31d9; urgent_pointer ' +
        '9; options 020405b401030307',
      ': payload 68656c6c6f; padding 0001',
    ],
  },
  {
    what: 'UDP that is shorter than its packet',
    hex: '02000000020102000000010108004500002000004000401125b60a0a00020a0a010204d20007000a7d806869aabb',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 UDP 1234 > 7 length 2 ' +
      'ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 32; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 17; checksum 0x25b6; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'udp: src 1234; dst 7; length 10; checksum 0x7d80; padding aabb',
      ': payload 6869',
    ],
  },
  {
    what: 'UDP that is cut short',
    hex: '02000000020102000000010108004500001d00004000401125b90a0a00020a0a010204d20007000a7d8068',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 UDP 1234 > 7 length 1 ' +
      'ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 29; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 17; checksum 0x25b9; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'udp: src 1234; dst 7; length 10; checksum 0x7d80 (unverifiable)',
      ': payload 68',
    ],
  },
  {
    what: 'TCP with a wrong checksum',
    hex: '02000000020102000000010108004500002800004000400625b90a0a00020a0a010200010002000000030000000450020005ffff0000',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 TCP 1 > 2 SYN seq 3 ' +
      'ack 4 length 0 ttl 64 [wrong tcp.checksum]',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 40; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 6; checksum 0x25b9; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'tcp: src 1; dst 2; sequence 3; acknowledgement 4; header_length 20, reserved 0; flags ' +
        'SYN; window 5; checksum 0xffff (invalid); urgent_pointer 0',
    ],
  },
  {
    what: 'ICMP without a whole header',
    hex: '02000000020102000000010108004500001700004000400125cf0a0a00020a0a0102080000',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 protocol 1 length 3 ' +
      'ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 23; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 1; checksum 0x25cf; src 10.10.0.2; dst ' +
        '10.10.1.2',
      ': payload 080000',
    ],
  },
  {
    what: 'TCP without a whole header',
    hex: '02000000020102000000010108004500002700004000400625ba0a0a00020a0a010200000000000000000000000000000000000000',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 protocol 6 length 19 ' +
      'ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 39; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 6; checksum 0x25ba; src 10.10.0.2; dst ' +
        '10.10.1.2',
      ': payload 00000000000000000000000000000000000000',
    ],
  },
  {
    what: 'an ARP reply, padded to the shortest frame',
    hex: '0a000a0a0001aabbccddeeff08060001080006040002aabbccddeeff0a0a01010a000a0a00010a0a0001000000000000000000000000000000000000',
    line: 'aa:bb:cc:dd:ee:ff > 0a:00:0a:0a:00:01 ARP 10.10.1.1 is at aa:bb:cc:dd:ee:ff',
    fields: [
      'arp: hardware_type 1; protocol_type 0x0800; hardware_length 6; protocol_length 4; op ' +
        '2; sha aa:bb:cc:dd:ee:ff; spa 10.10.1.1; tha 0a:00:0a:0a:00:01; tpa 10.10.0.1',
      ': padding 000000000000000000000000000000000000',
    ],
  },
  {
    what: 'a fragment from the middle',
    hex: '02000000020102000000010108004500001800052003401145b60a0a00020a0a010201020304',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 protocol 17 length 4 ' +
      'fragment moreFragments offset 24 ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 24; identification 5; fragment ' +
        'moreFragments offset 24; ttl 64; protocol 17; checksum 0x45b6; src 10.10.0.2; dst ' +
        '10.10.1.2',
      ': payload 01020304',
    ],
  },
  {
    what: 'a first fragment: its checksum covers what is not there',
    hex: '02000000020102000000010108004500002000052000400145c10a0a00020a0a0102080066670001000261626364',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 10.10.0.2 > 10.10.1.2 ICMP echo request id ' +
      '1 seq 2 fragment moreFragments offset 0 ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 32; identification 5; fragment ' +
        'moreFragments offset 0; ttl 64; protocol 1; checksum 0x45c1; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'icmp: type 8; code 0; checksum 0x6667 (unverifiable); identifier 1; sequence 2',
      ': payload 61626364',
    ],
  },
  {
    what: 'Geneve with an option, critical, with IPv4 right behind it (RFC 8926)',
    hex:
      '020000000201020000000101080045000041000040004011e26cac1e0001ac1e0002c35017c1002d00000240080000002a0001028001deadbeef4500' +
      '00150000400040fd24d50a0a00020a0a010278',
    line:
      '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.2 UDP 50000 > 6081 ' +
      'Geneve vni 42 { IPv4 10.10.0.2 > 10.10.1.2 protocol 253 length 1 ttl 64 } ttl 64',
    fields: [
      'ip: version 4, header length 20; tos 0x00; length 65; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 17; checksum 0xe26c; src 172.30.0.1; dst ' +
        '172.30.0.2',
      'udp: src 50000; dst 6081; length 45; checksum 0x0000 (absent)',
      'geneve: version 0, options length 8; flags 0x40; type 0x0800; vni 42; reserved 0x00; ' +
        'options 01028001deadbeef',
      'inner.ip: version 4, header length 20; tos 0x00; length 21; identification 0; fragment ' +
        'dontFragment offset 0; ttl 64; protocol 253; checksum 0x24d5; src 10.10.0.2; dst ' +
        '10.10.1.2',
      'inner: payload 78',
    ],
  },
];

/** The fields by header: `ip: version 4, header length 20; tos 0x00; …`. */
function headersOf(frame: Uint8Array): readonly string[] {
  const headers = new Map<string, string[]>();
  for (const { name, value } of dissect(frame)) {
    const header = name.slice(0, Math.max(name.lastIndexOf('.'), 0));
    headers.set(header, [
      ...(headers.get(header) ?? []),
      `${name.slice(name.lastIndexOf('.') + 1)} ${value}`,
    ]);
  }
  return [...headers].map(([header, fields]) => `${header}: ${fields.join('; ')}`);
}

void t.test('frames from the RFCs', (t) => {
  for (const { what, hex, line, fields } of known) {
    const frame = Uint8Array.from(Buffer.from(hex, 'hex'));
    const [ethernet, ...headers] = headersOf(frame);
    t.match(ethernet, /^eth: dst [0-9a-f:]{17}; src [0-9a-f:]{17}; type 0x[0-9a-f]{4}$/, what);
    t.same(headers, fields, what);
    t.equal(describeFrame(frame), line, what);
  }
  t.end();
});

void t.test('a frame is read wherever it stands in memory', (t) => {
  for (const { what, hex } of known)
    t.same(
      dissect(Uint8Array.from(Buffer.from(`abcd${hex}`, 'hex')).subarray(2)),
      dissect(Uint8Array.from(Buffer.from(hex, 'hex'))),
      what,
    );
  t.end();
});

const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
const ipv4 = (protocol: number, payload: Uint8Array): Uint8Array =>
  encodeIpv4({ ...addresses, protocol, ttl: 64 }, payload);
const frame = (etherType: number, payload: Uint8Array): Uint8Array =>
  encodeEthernet({ dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType }, payload);
const arp = Uint8Array.from(Buffer.from('0001080006040001' + '00'.repeat(20), 'hex'));

void t.test(
  'what looks like a header is none in the wrong place, and what is not whole is payload',
  (t) => {
    const vxlan = encodeVxlan({ vni: 1 }, frame(etherTypes.arp, arp));
    const lasts: readonly (readonly [what: string, frame: Uint8Array, last: string])[] = [
      ['ARP by another type', frame(etherTypes.ipv4, arp), 'payload'],
      ['ARP that is cut short', frame(etherTypes.arp, arp.subarray(1)), 'payload'],
      ['IPv4 by another type', frame(etherTypes.ipv6, ipv4(253, new Uint8Array())), 'payload'],
      [
        'UDP that is cut short',
        frame(etherTypes.ipv4, ipv4(ipProtocols.udp, new Uint8Array(7))),
        'payload',
      ],
      [
        'VXLAN behind its port',
        frame(
          etherTypes.ipv4,
          ipv4(
            ipProtocols.udp,
            encodeUdp({ srcPort: 1, dstPort: vxlanPort }, vxlan, 'no-checksum'),
          ),
        ),
        'inner.arp.tpa',
      ],
      [
        'VXLAN behind another port',
        frame(
          etherTypes.ipv4,
          ipv4(
            ipProtocols.udp,
            encodeUdp({ srcPort: 1, dstPort: vxlanPort + 1 }, vxlan, 'no-checksum'),
          ),
        ),
        'payload',
      ],
      [
        'GRE with a sequence number',
        frame(etherTypes.ipv4, ipv4(ipProtocols.gre, Uint8Array.of(0x10, 0, 8, 0, 0, 0, 0, 1))),
        'gre.sequence',
      ],
      [
        'GRE with routing',
        frame(etherTypes.ipv4, ipv4(ipProtocols.gre, Uint8Array.of(0x40, 0, 8, 0, 0, 0, 0, 1))),
        'payload',
      ],
    ];
    for (const [what, bytes, last] of lasts) t.equal(dissect(bytes).at(-1)?.name, last, what);
    t.end();
  },
);

void t.test('the fifth tunnel in a row is payload, whichever they are', (t) => {
  const tunnels: Readonly<Record<string, (inner: Uint8Array) => Uint8Array>> = {
    VXLAN: (inner) =>
      frame(
        etherTypes.ipv4,
        ipv4(
          ipProtocols.udp,
          encodeUdp(
            { srcPort: 1, dstPort: vxlanPort },
            encodeVxlan({ vni: 1 }, inner),
            'no-checksum',
          ),
        ),
      ),
    'GRE with Ethernet': (inner) =>
      frame(
        etherTypes.ipv4,
        ipv4(
          ipProtocols.gre,
          encodeGre({ protocolType: etherTypes.transparentEthernetBridging }, inner),
        ),
      ),
    'GRE with IPv4': (inner) =>
      frame(
        etherTypes.ipv4,
        ipv4(ipProtocols.gre, encodeGre({ protocolType: etherTypes.ipv4 }, inner.subarray(14))),
      ),
  };
  for (const [name, tunnel] of Object.entries(tunnels)) {
    const four = tunnel(tunnel(tunnel(tunnel(frame(etherTypes.ipv4, ipv4(253, arp))))));
    t.equal(
      dissect(four).at(-1)?.name,
      'inner.inner.inner.inner.payload',
      `${name}: the payload of the fourth`,
    );
    t.equal(dissect(four).at(-2)?.name, 'inner.inner.inner.inner.ip.dst', name);
    t.equal(
      dissect(tunnel(four)).at(-1)?.name,
      'inner.inner.inner.inner.payload',
      `${name}: the fifth`,
    );
    t.equal(
      dissect(tunnel(four)).at(-2)?.name,
      name === 'VXLAN' ? 'inner.inner.inner.inner.udp.checksum' : 'inner.inner.inner.inner.ip.dst',
      name,
    );
    t.match(
      describeFrame(tunnel(four)),
      name === 'VXLAN' ? / UDP 1 > 4789 length \d+ / : / protocol 47 length \d+ /,
    );
  }
  t.end();
});

void t.test('one line for what has no words of its own', (t) => {
  t.match(describeFrame(frame(etherTypes.arp, arp.with(7, 9))), /ARP operation 9$/);
  const unreachable = encodeIcmp({ type: 3, code: 4, identifier: 0, sequence: 1400 }, arp);
  t.match(
    describeFrame(frame(etherTypes.ipv4, ipv4(ipProtocols.icmp, unreachable))),
    /ICMP type 3 code 4 length 28 ttl 64$/,
  );
  t.end();
});

void t.test(
  'differences: what only one frame has is absent in the other, and only right checksums ' +
    'follow from something else',
  (t) => {
    const differences = (expected: Uint8Array, actual: Uint8Array) =>
      differingFields(expected, actual).map(
        (field) => `${field.name} ${field.expected} ${field.actual}`,
      );
    t.same(differences(frame(0x88b5, Uint8Array.of(1)), frame(0x88b6, Uint8Array.of(1, 2))), [
      'eth.type 0x88b5 0x88b6',
      'payload 01 0102',
      'frame.length 15 16',
    ]);
    t.same(differences(frame(0x88b5, Uint8Array.of(1)), frame(0x88b5, new Uint8Array())), [
      'payload 01 absent',
      'frame.length 15 14',
    ]);
    t.same(differences(frame(0x88b5, new Uint8Array()), frame(0x88b5, Uint8Array.of(1))), [
      'payload absent 01',
      'frame.length 14 15',
    ]);
    const right = ipv4(253, Uint8Array.of(1));
    const wrong = ipv4(253, Uint8Array.of(2)).with(10, 0xab);
    const [between] = differingFields(frame(etherTypes.ipv4, right), frame(etherTypes.ipv4, wrong));
    t.match(
      [
        between,
        ...differingFields(frame(etherTypes.ipv4, wrong), frame(etherTypes.ipv4, right)).slice(
          0,
          1,
        ),
      ],
      [
        { name: 'ip.checksum', actual: / \(invalid\)$/ },
        { name: 'ip.checksum', expected: / \(invalid\)$/ },
      ],
      'a wrong one stays in its place',
    );
    t.end();
  },
);
