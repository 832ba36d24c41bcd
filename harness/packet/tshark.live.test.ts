/**
 * Goal: an independent decoder finds the same in tags, labels, IPv6 and what it carries as we do.
 * Method: generated frames go through tshark; the fields that it prints of each frame, and whether
 * it finds the checksums right, are compared with ours.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { formatIpv6 } from '../base/addresses/ipv6.js';
import { dissect } from './dissect/dissect.js';
import { encodeEthernet, etherTypes } from './protocols/link/ethernet.js';
import { concatBytes } from './bytes/header-layout.js';
import { encodeIcmp6, icmp6Types } from './protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from './protocols/ip/ipv4.js';
import {
  encodeExtension,
  encodeFragment,
  extensionHeaders,
} from './protocols/ip/ipv6-extension.js';
import { encodeIpv6 } from './protocols/ip/ipv6.js';
import { encodeMpls } from './protocols/link/mpls.js';
import { addressOption, encodeNeighbour } from './protocols/ip/neighbour.js';
import { encodeSctp } from './protocols/transport/sctp.js';
import { encodeTcp } from './protocols/transport/tcp.js';
import { encodeUdp } from './protocols/transport/udp.js';
import { encodeVlan } from './protocols/link/vlan.js';

/** Our name for what tshark calls otherwise; of headers that come more than once, the first. */
const names = {
  'vlan.vid': 'vlan.id',
  'vlan.pcp': 'vlan.priority',
  'vlan.dei': 'vlan.dei',
  'vlan.type': 'vlan.etype',
  'mpls.label': 'mpls.label',
  'mpls.tc': 'mpls.exp',
  'mpls.bos': 'mpls.bottom',
  'mpls.ttl': 'mpls.ttl',
  'ip6.src': 'ipv6.src',
  'ip6.dst': 'ipv6.dst',
  'ip6.hop_limit': 'ipv6.hlim',
  'ip6.traffic_class': 'ipv6.tclass',
  'ip6.flow_label': 'ipv6.flow',
  'ip6.length': 'ipv6.plen',
  'ip6.next_header': 'ipv6.nxt',
  'ip6.fragment.identification': 'ipv6.fraghdr.ident',
  'icmp6.type': 'icmpv6.type',
  'icmp6.code': 'icmpv6.code',
  'icmp6.identifier': 'icmpv6.echo.identifier',
  'icmp6.sequence': 'icmpv6.echo.sequence_number',
  'tcp.src': 'tcp.srcport',
  'udp.dst': 'udp.dstport',
  'sctp.src': 'sctp.srcport',
  'sctp.dst': 'sctp.dstport',
  'sctp.verification_tag': 'sctp.verification_tag',
  'nd.sll': 'icmpv6.opt.linkaddr',
} as const;
const targets = ['icmpv6.nd.ns.target_address', 'icmpv6.nd.na.target_address'] as const;
const statuses = {
  tcp: 'tcp.checksum.status',
  udp: 'udp.checksum.status',
  sctp: 'sctp.checksum.status',
  icmp6: 'icmpv6.checksum.status',
} as const;
const columns = [...Object.values(names), ...targets, ...Object.values(statuses)];

function pcap(frames: readonly Uint8Array[]): Uint8Array {
  const words = (...numbers: readonly number[]): Uint8Array =>
    new Uint8Array(Uint32Array.from(numbers).buffer);
  return concatBytes(
    words(0xa1b2c3d4, (4 << 16) | 2, 0, 0, 0xffff, 1),
    ...frames.flatMap((frame) => [words(0, 0, frame.length, frame.length), frame]),
  );
}

/** What tshark says of each frame, by its own names; what it does not find is empty. */
function tshark(frames: readonly Uint8Array[]): readonly ReadonlyMap<string, string>[] {
  const checks = [
    'tcp.check_checksum:TRUE',
    'udp.check_checksum:TRUE',
    'sctp.checksum:CRC 32c',
    'ipv6.defragment:FALSE',
  ].flatMap((option) => ['-o', option]);
  const run = spawnSync(
    'tshark',
    [
      '-n',
      '-i',
      '-',
      ...checks,
      '-T',
      'fields',
      '-E',
      'occurrence=f',
      '-E',
      'separator=/t',
      ...columns.flatMap((column) => ['-e', column]),
    ],
    { input: pcap(frames), encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  if (run.status !== 0)
    throw new Error(`tshark ended with ${run.status ?? run.signal}: ${run.stderr}`);
  return run.stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => new Map(line.split('\t').map((value, index) => [columns[index] ?? '', value])));
}

/** Numbers as numbers, whatever they are written in. */
const plain = (value: string): string =>
  value === 'True'
    ? '1'
    : value === 'False'
      ? '0'
      : /^(0x[0-9a-f]+|\d+)$/.test(value)
        ? String(Number(value))
        : value;

/** Where we and tshark say different things of a frame. */
function differences(frame: Uint8Array, theirs: ReadonlyMap<string, string>): readonly string[] {
  const ours = new Map(dissect(frame).map(({ name, value }) => [name, value]));
  const values = Object.entries(names).map(
    ([name, other]) => [name, plain(ours.get(name) ?? ''), plain(theirs.get(other) ?? '')] as const,
  );
  const target = [
    'nd.target',
    ours.get('nd.target') ?? '',
    targets.map((name) => theirs.get(name) ?? '').join(''),
  ] as const;
  const sums = Object.entries(statuses).map(
    ([protocol, other]) =>
      [
        `${protocol}.checksum`,
        right(ours.get(`${protocol}.checksum`)),
        theirs.get(other) === '1' ? 'right' : theirs.get(other) === '0' ? 'wrong' : '',
      ] as const,
  );
  return [...values, target, ...sums]
    .filter(([, our, their]) => our !== their)
    .map(([name, our, their]) => `${name}: "${our}", but tshark says "${their}"`);
}

const right = (checksum: string | undefined): string =>
  checksum === undefined || /absent|unverifiable/.test(checksum)
    ? ''
    : checksum.endsWith('(invalid)')
      ? 'wrong'
      : 'right';

const octet = fc.integer({ min: 0, max: 0xff });
const bits = (count: number) => fc.integer({ min: 0, max: 2 ** count - 1 });
const address = fc.bigInt({ min: 1n << 124n, max: (1n << 127n) - 1n }).map(formatIpv6);
/** Ports for which tshark knows no application. */
const port = fc.integer({ min: 20000, max: 20999 });
const payload = fc.uint8Array({ minLength: 1, maxLength: 40 });
const mac = fc
  .uint8Array({ minLength: 5, maxLength: 5 })
  .map((rest) => formatMac(Uint8Array.of(2, ...rest)));
const sides = fc.record({ src: address, dst: address });
const ip6 = fc.record({ hopLimit: octet, trafficClass: octet, flowLabel: bits(20) });

const transport = fc.oneof(
  fc.tuple(sides, port, port, payload).map(([ip, srcPort, dstPort, body]) => ({
    ip,
    type: ipProtocols.udp,
    bytes: encodeUdp({ srcPort, dstPort }, body, ip),
  })),
  fc.tuple(sides, port, port, payload).map(([ip, srcPort, dstPort, body]) => ({
    ip,
    type: ipProtocols.tcp,
    bytes: encodeTcp(
      {
        srcPort,
        dstPort,
        sequence: 1,
        acknowledgement: 2,
        flags: 0x10,
        window: 9,
        urgentPointer: 0,
        options: new Uint8Array(),
      },
      body,
      ip,
    ),
  })),
  fc.tuple(sides, port, port, bits(31)).map(([ip, srcPort, dstPort, verificationTag]) => ({
    ip,
    type: ipProtocols.sctp,
    bytes: encodeSctp({ srcPort, dstPort, verificationTag }, Uint8Array.of(4, 0, 0, 8, 0, 1, 0, 4)),
  })),
  fc
    .tuple(sides, fc.constantFrom(icmp6Types.echoRequest, icmp6Types.echoReply), bits(32), payload)
    .map(([ip, type, rest, body]) => ({
      ip,
      type: ipProtocols.icmp6,
      bytes: encodeIcmp6({ type, code: 0, rest }, body, ip),
    })),
  fc
    .tuple(
      sides,
      fc.constantFrom(icmp6Types.neighbourSolicitation, icmp6Types.neighbourAdvertisement),
      address,
      mac,
    )
    .map(([ip, type, target, source]) => ({
      ip,
      type: ipProtocols.icmp6,
      bytes: encodeIcmp6(
        { type, code: 0, rest: 0 },
        encodeNeighbour(target, [addressOption('source', source)]),
        ip,
      ),
    })),
);
/** What a header carries: its type, or its protocol, and its bytes. */
interface Payload {
  readonly type: number;
  readonly bytes: Uint8Array;
}

const extensions = fc.subarray(['destination', 'hopByHop', 'atomic'] as const);
const extend = (
  inner: Payload,
  kinds: readonly ('destination' | 'hopByHop' | 'atomic')[],
): Payload =>
  kinds.reduce<Payload>(
    ({ type, bytes }, kind) =>
      kind === 'atomic'
        ? {
            type: extensionHeaders.fragment,
            bytes: concatBytes(
              encodeFragment({ nextHeader: type, offset: 0, more: 'last', identification: 7 }),
              bytes,
            ),
          }
        : {
            type: extensionHeaders[kind],
            bytes: concatBytes(encodeExtension(kind, type, Uint8Array.of(1, 4, 0, 0, 0, 0)), bytes),
          },
    inner,
  );
const chunk = Uint8Array.of(4, 0, 0, 8, 0, 1, 0, 4);
const packet: fc.Arbitrary<Payload> = fc.oneof(
  fc.tuple(transport, extensions, ip6).map(([{ ip, ...inner }, kinds, header]): Payload => {
    const { type, bytes } = extend(inner, kinds);
    return {
      type: etherTypes.ipv6,
      bytes: encodeIpv6({ ...header, ...ip, nextHeader: type }, bytes),
    };
  }),
  fc.tuple(port, port).map(
    ([srcPort, dstPort]): Payload => ({
      type: etherTypes.ipv4,
      bytes: encodeIpv4(
        { src: '10.0.0.1', dst: '10.0.0.2', ttl: 9, protocol: ipProtocols.sctp },
        encodeSctp({ srcPort, dstPort, verificationTag: 1 }, chunk),
      ),
    }),
  ),
  fc
    .record({
      label: fc.integer({ min: 16, max: 0xfffff }),
      tc: bits(3),
      bos: fc.constant(1),
      ttl: octet,
    })
    .map(
      (entry): Payload => ({ type: etherTypes.mpls, bytes: encodeMpls(entry, new Uint8Array(20)) }),
    ),
);
const tagged = fc
  .tuple(
    packet,
    fc.array(fc.record({ pcp: bits(3), dei: bits(1), vid: bits(12) }), { maxLength: 2 }),
  )
  .map(([inner, tags]) =>
    tags.reduce<Payload>(
      ({ type, bytes }, tag) => ({
        type: etherTypes.vlan,
        bytes: encodeVlan({ ...tag, etherType: type }, bytes),
      }),
      inner,
    ),
  );
const frame = tagged.map(({ type, bytes }) =>
  encodeEthernet({ dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: type }, bytes),
);

const missing =
  spawnSync('tshark', ['--version']).error === undefined
    ? false
    : 'tshark is not on PATH; apt-get install tshark';
const frames = fc.sample(frame, { seed: Number(process.env['SEED'] ?? 1), numRuns: 400 });

void t.test('tshark reads our frames as we do', { skip: missing }, (t) => {
  const said = tshark(frames);
  t.equal(said.length, frames.length);
  t.same(
    frames.flatMap((each, index) => differences(each, said[index] ?? new Map())),
    [],
  );
  t.end();
});

void t.test('tshark and we find the same checksums wrong', { skip: missing }, (t) => {
  const damaged = frames.map((each) =>
    each.map((byte, index) => (index === each.length - 1 ? byte ^ 1 : byte)),
  );
  const said = tshark(damaged);
  t.ok(
    said.filter((fields) => Object.values(statuses).some((name) => fields.get(name) === '0'))
      .length > 200,
    'most have one that covers the last byte',
  );
  t.same(
    damaged.flatMap((each, index) =>
      differences(each, said[index] ?? new Map()).filter((line) => line.includes('.checksum:')),
    ),
    [],
  );
  t.end();
});
