/**
 * Goal: what is encoded decodes to the same, every byte of any frame has exactly one name, and
 * differences, descriptions and checksums say what is there. Method: properties over arbitrary
 * headers and hostile bytes; frames that an Open vSwitch 3.5.0 emitted, byte by byte; planted
 * changes that must be named.
 */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatIpv4, formatMac } from '../base/addresses/mac-and-ipv4.js';
import { decodeArp, encodeArp, type ArpPacket } from './protocols/link/arp.js';
import { sumWords } from './bytes/checksum.js';
import { dissect } from './dissect/dissect.js';
import { decodeEthernet, encodeEthernet, etherTypes } from './protocols/link/ethernet.js';
import { describeFrame, differingFields } from './dissect/describe-frame.js';
import {
  decodeGeneve,
  encodeGeneve,
  genevePort,
  type GeneveHeader,
} from './protocols/tunnel/geneve.js';
import { concatBytes } from './bytes/header-layout.js';
import { decodeIcmp, encodeIcmp, icmpTypes } from './protocols/ip/icmp.js';
import {
  decodeIpv4,
  encodeIpv4,
  ipProtocols,
  ipv4Flags,
  type Ipv4Header,
} from './protocols/ip/ipv4.js';
import { decodeTcp, encodeTcp, type TcpHeader } from './protocols/transport/tcp.js';
import { decodeUdp, encodeUdp } from './protocols/transport/udp.js';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

const octet = fc.integer({ min: 0, max: 0xff });
const word = fc.integer({ min: 0, max: 0xffff });
const number32 = fc.integer({ min: 0, max: 0xffffffff });
const mac = fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => formatMac(bytes));
const ip = number32.map(formatIpv4);
const payload = fc.uint8Array({ maxLength: 64 });
const optionsUpTo = (words: number) =>
  fc
    .integer({ min: 0, max: words })
    .chain((count) => fc.uint8Array({ minLength: count * 4, maxLength: count * 4 }));

/** Plain objects, as decoders return them. */
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(fields, { noNullPrototype: true });

const ethernetHeader = record({ dst: mac, src: mac, etherType: word });
const arpPacket: fc.Arbitrary<ArpPacket> = record({
  op: word,
  sha: mac,
  spa: ip,
  tha: mac,
  tpa: ip,
});
const addresses = record({ src: ip, dst: ip });
const ipv4Header: fc.Arbitrary<Ipv4Header> = record({
  src: ip,
  dst: ip,
  protocol: octet,
  ttl: octet,
  tos: octet,
  identification: word,
  flags: fc.integer({ min: 0, max: 7 }),
  fragmentOffset: fc.integer({ min: 0, max: 0x1fff }),
  options: optionsUpTo(10),
});
const icmpHeader = record({ type: octet, code: octet, identifier: word, sequence: word });
const udpHeader = record({ srcPort: word, dstPort: word });
const tcpHeader: fc.Arbitrary<TcpHeader> = record({
  srcPort: word,
  dstPort: word,
  sequence: number32,
  acknowledgement: number32,
  flags: fc.integer({ min: 0, max: 0xfff }),
  window: word,
  urgentPointer: word,
  options: optionsUpTo(10),
});
const geneveHeader: fc.Arbitrary<GeneveHeader> = record({
  vni: fc.integer({ min: 0, max: 0xffffff }),
  protocolType: word,
  options: optionsUpTo(63),
  critical: fc.boolean(),
  oam: fc.boolean(),
});

/** Well-formed frames of every protocol, tunnels in tunnels among them. */
const { wellFormed } = fc.letrec<{ wellFormed: Uint8Array; datagram: Uint8Array }>((tie) => ({
  datagram: fc.oneof(
    { maxDepth: 6 },
    fc.tuple(ipv4Header, payload).map(([header, body]) => encodeIpv4(header, body)),
    fc
      .tuple(ipv4Header, icmpHeader, payload)
      .map(([header, icmp, body]) =>
        encodeIpv4(
          { ...header, protocol: ipProtocols.icmp, flags: 2, fragmentOffset: 0 },
          encodeIcmp(icmp, body),
        ),
      ),
    fc
      .tuple(ipv4Header, udpHeader, payload)
      .map(([header, udp, body]) =>
        encodeIpv4(
          { ...header, protocol: ipProtocols.udp, flags: 0, fragmentOffset: 0 },
          encodeUdp(udp, body, header),
        ),
      ),
    fc
      .tuple(ipv4Header, tcpHeader, payload)
      .map(([header, tcp, body]) =>
        encodeIpv4(
          { ...header, protocol: ipProtocols.tcp, flags: 0, fragmentOffset: 0 },
          encodeTcp(tcp, body, header),
        ),
      ),
    fc.tuple(ipv4Header, geneveHeader, tie('wellFormed')).map(([header, geneve, inner]) => {
      const tunnelled = encodeGeneve(
        { ...geneve, protocolType: etherTypes.transparentEthernetBridging },
        inner,
      );
      return encodeIpv4(
        { ...header, protocol: ipProtocols.udp, flags: 2, fragmentOffset: 0 },
        encodeUdp({ srcPort: 50000, dstPort: genevePort }, tunnelled, 'no-checksum'),
      );
    }),
  ),
  wellFormed: fc.oneof(
    fc
      .tuple(ethernetHeader, arpPacket, payload)
      .map(([header, arp, padding]) =>
        encodeEthernet(
          { ...header, etherType: etherTypes.arp },
          concatBytes(encodeArp(arp), padding),
        ),
      ),
    fc
      .tuple(ethernetHeader, tie('datagram'), payload)
      .map(([header, datagram, padding]) =>
        encodeEthernet({ ...header, etherType: etherTypes.ipv4 }, concatBytes(datagram, padding)),
      ),
  ),
}));

const flip = (frame: Uint8Array, bit: number): Uint8Array =>
  frame.map((byte, index) => (index === bit >>> 3 ? byte ^ (1 << (bit & 7)) : byte));
const mutated = fc
  .tuple(wellFormed, fc.array(fc.nat(), { maxLength: 3 }))
  .map(([frame, bits]) =>
    bits.reduce((bytes, bit) => flip(bytes, bit % (frame.length * 8)), frame),
  );
const truncated = fc
  .tuple(wellFormed, fc.nat())
  .map(([frame, length]) => frame.subarray(0, length % frame.length));
const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 120 }), wellFormed, mutated, truncated);

// Frames that an Open vSwitch 3.5.0 sent: an echo request and a UDP datagram through a Geneve
// tunnel, and two ARP packets.
const geneveEcho = hex(
  '020000000201020000000101080045000053000040004011e25aac1e0001ac1e0002841017c1003f000000006558000000' +
    '00aabbccddeeff0a000a0a0001080045000021000140003f0126c40a0a00020a0a01020800b3df004d000168656c6c6f',
);
const geneveUdp = hex(
  '020000000201020000000101080045000050000040004011e25dac1e0001ac1e0002e4c417c1003c000000006558000000' +
    '00aabbccddeeff0a000a0a000108004500001e000140003f1126b70a0a00020a0a010204d20007000a7d806869',
);
const arpRequest = hex(
  'ffffffffffff0a000a0a0002080600010800060400010a000a0a00020a0a00020000000000000a0a0003',
);
const arpReply = hex(
  '0a000a0a0001aabbccddeeff08060001080006040002aabbccddeeff0a0a01010a000a0a00010a0a0001',
);

const tunnelled = (datagram: Uint8Array, srcPort: number): Uint8Array => {
  const inner = encodeEthernet(
    { dst: 'aa:bb:cc:dd:ee:ff', src: '0a:00:0a:0a:00:01', etherType: etherTypes.ipv4 },
    datagram,
  );
  const geneve = encodeGeneve(
    {
      vni: 0,
      protocolType: etherTypes.transparentEthernetBridging,
      options: hex(''),
      critical: false,
      oam: false,
    },
    inner,
  );
  const outer = {
    src: '172.30.0.1',
    dst: '172.30.0.2',
    protocol: ipProtocols.udp,
    ttl: 64,
    flags: ipv4Flags.dontFragment,
  };
  const link = { dst: '02:00:00:00:02:01', src: '02:00:00:00:01:01', etherType: etherTypes.ipv4 };
  return encodeEthernet(
    link,
    encodeIpv4(outer, encodeUdp({ srcPort, dstPort: genevePort }, geneve, 'no-checksum')),
  );
};

void t.test('decoding undoes encoding', async (t) => {
  await t.test('Ethernet, ARP, Geneve', async () => {
    fc.assert(
      fc.property(ethernetHeader, payload, (header, body) =>
        deepStrictEqual(decodeEthernet(encodeEthernet(header, body)), { header, payload: body }),
      ),
    );
    fc.assert(
      fc.property(arpPacket, payload, (packet, padding) =>
        deepStrictEqual(decodeArp(concatBytes(encodeArp(packet), padding)), packet),
      ),
    );
    fc.assert(
      fc.property(geneveHeader, payload, (header, body) =>
        deepStrictEqual(decodeGeneve(encodeGeneve(header, body)), { header, payload: body }),
      ),
    );
  });
  await t.test('IPv4 with padding behind it, ICMP', async () => {
    fc.assert(
      fc.property(ipv4Header, payload, payload, (header, body, padding) =>
        deepStrictEqual(decodeIpv4(concatBytes(encodeIpv4(header, body), padding)), {
          header,
          payload: body,
          checksum: 'valid',
        }),
      ),
    );
    fc.assert(
      fc.property(icmpHeader, payload, (header, body) =>
        deepStrictEqual(decodeIcmp(encodeIcmp(header, body)), {
          header,
          payload: body,
          checksum: 'valid',
        }),
      ),
    );
  });
  await t.test('UDP with and without checksum, TCP', async () => {
    fc.assert(
      fc.property(udpHeader, payload, addresses, (header, body, ip) => {
        deepStrictEqual(decodeUdp(encodeUdp(header, body, ip), ip), {
          header,
          payload: body,
          checksum: 'valid',
        });
        deepStrictEqual(decodeUdp(encodeUdp(header, body, 'no-checksum'), ip), {
          header,
          payload: body,
          checksum: 'absent',
        });
      }),
    );
    fc.assert(
      fc.property(tcpHeader, payload, addresses, (header, body, ip) =>
        deepStrictEqual(decodeTcp(encodeTcp(header, body, ip), ip), {
          header,
          payload: body,
          checksum: 'valid',
        }),
      ),
    );
  });
});

void t.test('encoding writes the bytes that Open vSwitch wrote', async (t) => {
  const inner = {
    src: '10.10.0.2',
    dst: '10.10.1.2',
    ttl: 63,
    identification: 1,
    flags: ipv4Flags.dontFragment,
  };
  const echo = encodeIcmp(
    { type: icmpTypes.echoRequest, code: 0, identifier: 77, sequence: 1 },
    Buffer.from('hello'),
  );
  t.strictSame(
    tunnelled(encodeIpv4({ ...inner, protocol: ipProtocols.icmp }, echo), 0x8410),
    geneveEcho,
  );
  const udp = encodeUdp({ srcPort: 1234, dstPort: 7 }, Buffer.from('hi'), inner);
  t.strictSame(
    tunnelled(encodeIpv4({ ...inner, protocol: ipProtocols.udp }, udp), 58564),
    geneveUdp,
  );
  const request = encodeArp({
    op: 1,
    sha: '0a:00:0a:0a:00:02',
    spa: '10.10.0.2',
    tha: '00:00:00:00:00:00',
    tpa: '10.10.0.3',
  });
  t.strictSame(
    encodeEthernet(
      { dst: 'ff:ff:ff:ff:ff:ff', src: '0a:00:0a:0a:00:02', etherType: etherTypes.arp },
      request,
    ),
    arpRequest,
  );
});

void t.test(
  'checksums: any one flipped bit behind the lengths is found, zero is sent as all ones',
  async (t) => {
    const flipBehind = (bytes: Uint8Array, length: number, choice: number): Uint8Array =>
      flip(bytes, length * 8 + (choice % ((bytes.length - length) * 8)));
    fc.assert(
      fc.property(addresses, udpHeader, payload, fc.nat(), (ip, header, body, choice) =>
        notStrictEqual(
          decodeUdp(flipBehind(encodeUdp(header, body, ip), 6, choice), ip)?.checksum,
          'valid',
        ),
      ),
    );
    fc.assert(
      fc.property(addresses, tcpHeader, payload, fc.nat(), (ip, header, body, choice) =>
        strictEqual(
          decodeTcp(flipBehind(encodeTcp(header, body, ip), 14, choice), ip)?.checksum,
          'invalid',
        ),
      ),
    );
    fc.assert(
      fc.property(icmpHeader, payload, fc.nat(), (header, body, choice) =>
        strictEqual(
          decodeIcmp(flipBehind(encodeIcmp(header, body), 0, choice))?.checksum,
          'invalid',
        ),
      ),
    );
    fc.assert(
      fc.property(ipv4Header, fc.nat(), (header, choice) =>
        strictEqual(
          decodeIpv4(flipBehind(encodeIpv4(header, hex('')), 4, choice))?.checksum,
          'invalid',
        ),
      ),
    );
    const ip = { src: '10.0.0.1', dst: '10.0.0.2' };
    const ports = { srcPort: 1, dstPort: 2 };
    const complement = encodeUdp(ports, hex('0000'), ip).subarray(6, 8);
    const allOnes = encodeUdp(ports, complement, ip);
    t.equal(Buffer.from(allOnes.subarray(6, 8)).toString('hex'), 'ffff');
    t.equal(decodeUdp(allOnes, ip)?.checksum, 'valid');
    t.equal(
      decodeUdp(encodeUdp(ports, hex('010203'), ip).subarray(0, 10), ip)?.checksum,
      'unverifiable',
      'cut short',
    );
  },
);

void t.test('fields tile any frame, each with its own name; some share their bytes', async () => {
  fc.assert(
    fc.property(anyBytes, (frame) => {
      const fields = dissect(frame);
      const places = fields.filter(
        ({ offset, length }, index) =>
          offset !== fields[index - 1]?.offset || length !== fields[index - 1]?.length,
      );
      const ends = places.map(({ offset, length }) => offset + length);
      deepStrictEqual(
        places.map(({ offset }) => offset),
        [0, ...ends].slice(0, places.length),
      );
      strictEqual(ends.at(-1) ?? 0, frame.length);
      strictEqual(new Set(fields.map(({ name }) => name)).size, fields.length);
      ok(fields.every(({ length, value }) => length > 0 && value !== ''));
    }),
    { numRuns: 1000 },
  );
});

void t.test('nothing of a well-formed frame is left as payload but what is payload', async (t) => {
  t.strictSame(
    dissect(geneveUdp).map(({ name, value }) => `${name} ${value}`),
    [
      'eth.dst 02:00:00:00:02:01',
      'eth.src 02:00:00:00:01:01',
      'eth.type 0x0800',
      'ip.version 4, header length 20',
      'ip.tos 0x00',
      'ip.length 80',
      'ip.identification 0',
      'ip.fragment dontFragment offset 0',
      'ip.ttl 64',
      'ip.protocol 17',
      'ip.checksum 0xe25d',
      'ip.src 172.30.0.1',
      'ip.dst 172.30.0.2',
      'udp.src 58564',
      'udp.dst 6081',
      'udp.length 60',
      'udp.checksum 0x0000 (absent)',
      'geneve.version 0, options length 0',
      'geneve.flags 0x00',
      'geneve.type 0x6558',
      'geneve.vni 0',
      'geneve.reserved 0x00',
      'inner.eth.dst aa:bb:cc:dd:ee:ff',
      'inner.eth.src 0a:00:0a:0a:00:01',
      'inner.eth.type 0x0800',
      'inner.ip.version 4, header length 20',
      'inner.ip.tos 0x00',
      'inner.ip.length 30',
      'inner.ip.identification 1',
      'inner.ip.fragment dontFragment offset 0',
      'inner.ip.ttl 63',
      'inner.ip.protocol 17',
      'inner.ip.checksum 0x26b7',
      'inner.ip.src 10.10.0.2',
      'inner.ip.dst 10.10.1.2',
      'inner.udp.src 1234',
      'inner.udp.dst 7',
      'inner.udp.length 10',
      'inner.udp.checksum 0x7d80',
      'inner.payload 6869',
    ],
  );
});

void t.test('the fifth tunnel in a row is payload', async (t) => {
  const tunnelIn = (frame: Uint8Array): Uint8Array => {
    const geneve = encodeGeneve(
      {
        vni: 1,
        protocolType: etherTypes.transparentEthernetBridging,
        options: hex(''),
        critical: false,
        oam: false,
      },
      frame,
    );
    const datagram = encodeIpv4(
      { src: '172.30.0.1', dst: '172.30.0.2', protocol: ipProtocols.udp, ttl: 64 },
      encodeUdp({ srcPort: 1, dstPort: genevePort }, geneve, 'no-checksum'),
    );
    return encodeEthernet(
      { dst: '02:00:00:00:02:01', src: '02:00:00:00:01:01', etherType: etherTypes.ipv4 },
      datagram,
    );
  };
  const last = (frame: Uint8Array): string | undefined => dissect(frame).at(-1)?.name;
  const four = tunnelIn(tunnelIn(tunnelIn(tunnelIn(arpRequest))));
  t.equal(last(four), 'inner.inner.inner.inner.arp.tpa');
  t.equal(last(tunnelIn(four)), 'inner.inner.inner.inner.payload');
});

void t.test('differing fields', async (t) => {
  await t.test('are none for equal frames only', async () => {
    fc.assert(
      fc.property(anyBytes, (frame) =>
        deepStrictEqual(differingFields(frame, Uint8Array.from(frame)), []),
      ),
    );
    const cutOrFlipped = (frame: Uint8Array, choice: number): Uint8Array =>
      choice % 2 === 0
        ? flip(frame, (choice >>> 1) % (frame.length * 8))
        : frame.subarray(0, (choice >>> 1) % frame.length);
    fc.assert(
      fc.property(wellFormed, fc.nat(), (frame, choice) =>
        ok(differingFields(frame, cutOrFlipped(frame, choice)).length > 0),
      ),
      { numRuns: 1000 },
    );
  });
  await t.test('name the cause first and the checksum that follows from it last', async (t) => {
    const routed = encodeIpv4(
      { src: '10.10.0.2', dst: '10.10.1.2', protocol: 253, ttl: 63 },
      hex('00'),
    );
    const unrouted = encodeIpv4(
      { src: '10.10.0.2', dst: '10.10.1.2', protocol: 253, ttl: 64 },
      hex('00ff'),
    );
    const link = { dst: '0a:00:0a:0a:00:02', src: '0a:00:0a:0a:00:01', etherType: etherTypes.ipv4 };
    const names = differingFields(encodeEthernet(link, routed), encodeEthernet(link, unrouted)).map(
      ({ name }) => name,
    );
    t.strictSame(names, ['ip.length', 'ip.ttl', 'payload', 'frame.length', 'ip.checksum']);
  });
  await t.test('keep a wrong checksum in its place, even where its bytes are equal', async (t) => {
    const ttlOffset = 14 + 8;
    const unadjusted = geneveEcho.map((byte, index) => (index === ttlOffset ? 63 : byte));
    t.strictSame(differingFields(geneveEcho, unadjusted), [
      { name: 'ip.ttl', expected: '64', actual: '63' },
      { name: 'ip.checksum', expected: '0xe25a', actual: '0xe25a (invalid)' },
    ]);
  });
});

void t.test('descriptions', async (t) => {
  const outer = '02:00:00:00:01:01 > 02:00:00:00:02:01 IPv4 172.30.0.1 > 172.30.0.2';
  const inner = '0a:00:0a:0a:00:01 > aa:bb:cc:dd:ee:ff IPv4 10.10.0.2 > 10.10.1.2';
  t.equal(
    describeFrame(geneveEcho),
    `${outer} UDP 33808 > 6081 Geneve vni 0 { ${inner} ICMP echo request id 77 seq 1 ttl 63 } ` +
      'ttl 64',
  );
  t.equal(
    describeFrame(geneveUdp),
    `${outer} UDP 58564 > 6081 Geneve vni 0 { ${inner} UDP 1234 > 7 length 2 ttl 63 } ttl 64`,
  );
  t.equal(
    describeFrame(arpRequest),
    '0a:00:0a:0a:00:02 > ff:ff:ff:ff:ff:ff ARP who has 10.10.0.3? tell 10.10.0.2 at ' +
      '0a:00:0a:0a:00:02',
  );
  t.equal(
    describeFrame(arpReply),
    'aa:bb:cc:dd:ee:ff > 0a:00:0a:0a:00:01 ARP 10.10.1.1 is at aa:bb:cc:dd:ee:ff',
  );
  t.match(
    describeFrame(flip(geneveEcho, geneveEcho.length * 8 - 1)),
    / \[wrong inner\.icmp\.checksum\]$/,
  );
  t.equal(
    describeFrame(hex('ffffffffffff0a000a0a000288cc0102')),
    '0a:00:0a:0a:00:02 > ff:ff:ff:ff:ff:ff type 0x88cc length 2',
  );
  t.equal(describeFrame(hex('ffff')), 'length 2');
  fc.assert(fc.property(anyBytes, (frame) => ok(!describeFrame(frame).includes('undefined'))));
});

void t.test('a fragment is called one, and its checksum is not judged', async (t) => {
  const ip = { src: '10.10.0.2', dst: '10.10.1.2', protocol: ipProtocols.icmp, ttl: 64 };
  const echo = encodeIcmp(
    { type: icmpTypes.echoRequest, code: 0, identifier: 1, sequence: 2 },
    new Uint8Array(16).fill(1),
  );
  const link = { dst: '0a:00:0a:0a:00:02', src: '0a:00:0a:0a:00:01', etherType: etherTypes.ipv4 };
  const first = encodeEthernet(
    link,
    encodeIpv4({ ...ip, flags: ipv4Flags.moreFragments }, echo.subarray(0, 16)),
  );
  const second = encodeEthernet(link, encodeIpv4({ ...ip, fragmentOffset: 2 }, echo.subarray(16)));
  t.match(
    describeFrame(first),
    /ICMP echo request id 1 seq 2 fragment moreFragments offset 0 ttl 64$/,
  );
  t.match(describeFrame(second), /protocol 1 length 8 fragment offset 16 ttl 64$/);
});

void t.test('sums of words end where they are to', (t) => {
  const bytes = Uint8Array.of(1, 2, 3, 255, 4);
  t.equal(
    sumWords(bytes, 0, 0, 3),
    0x0102 + 0x0300,
    'an odd byte is padded, whatever is behind it',
  );
  t.equal(sumWords(bytes, 7, 1, 5), 7 + 0x0203 + 0xff04);
  t.equal(sumWords(bytes, 7, 2, 2), 7);
  t.end();
});
