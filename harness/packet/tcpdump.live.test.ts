/**
 * Goal: an independent decoder reads our frames as we mean them and as we read them. Method:
 * generated frames of every protocol, and the same with one bit damaged under a checksum, go
 * through tcpdump; what it prints is compared, packet by packet and as a whole, with our decoders'
 * reading put in tcpdump's words.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { openTool } from '../../images/measuring-tools.js';
import { formatIpv4, formatMac } from '../base/addresses/mac-and-ipv4.js';
import { arpOperations, decodeArp, encodeArp } from './protocols/link/arp.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
  type EthernetHeader,
} from './protocols/link/ethernet.js';
import { decodeGeneve, encodeGeneve, genevePort } from './protocols/tunnel/geneve.js';
import { concatBytes, hexDigits, type ChecksumState } from './bytes/header-layout.js';
import { decodeIcmp, encodeIcmp, icmpTypes } from './protocols/ip/icmp.js';
import {
  decodeIpv4,
  encodeIpv4,
  ipProtocols,
  ipv4Flags,
  type Ipv4Header,
} from './protocols/ip/ipv4.js';
import { decodeTcp, encodeTcp, tcpFlags } from './protocols/transport/tcp.js';
import { decodeUdp, encodeUdp } from './protocols/transport/udp.js';

/**
 * A classic pcap file of Ethernet frames (draft-ietf-opsawg-pcap), little-endian, all at time zero.
 */
function pcap(frames: readonly Uint8Array[]): Uint8Array {
  const words = (...numbers: readonly number[]): Uint8Array =>
    new Uint8Array(Uint32Array.from(numbers).buffer);
  const linkTypeEthernet = 1;
  const fileHeader = words(0xa1b2c3d4, (4 << 16) | 2, 0, 0, 0xffff, linkTypeEthernet);
  return concatBytes(
    fileHeader,
    ...frames.flatMap((frame) => [words(0, 0, frame.length, frame.length), frame]),
  );
}

/**
 * What tcpdump prints of each frame, less the digits of wrong checksums and the names of option
 * classes.
 */
async function tcpdump(frames: readonly Uint8Array[], t: Test): Promise<readonly string[]> {
  const [program, ...loaded] = (await openTool('tcpdump', (line) => t.comment(line))).command;
  // Root would be given up for a user that only installation makes.
  const asRoot = process.getuid?.() === 0 ? ['-Z', 'root'] : [];
  const run = spawnSync(program, [...loaded, ...asRoot, '-n', '-e', '-vv', '-t', '-S', '-r', '-'], {
    input: pcap(frames),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0)
    throw new Error(`tcpdump ended with ${run.status ?? run.signal}: ${run.stderr}`);
  return run.stdout
    .trimEnd()
    .split(/\n(?=\S)/)
    .map((text) =>
      text
        .replace(/bad cksum \w+ \(->\w+\)!/g, 'bad cksum')
        .replace(/bad udp cksum \w+ -> \w+!/g, 'bad udp cksum')
        .replace(/wrong icmp cksum \w+ \(->\w+\)!/g, 'wrong icmp cksum')
        .replace(/cksum 0x\w+ \((correct|incorrect)( -> \w+)?\)/g, 'cksum $1')
        .replace(/class .*? \((0x\w+)\) type/g, 'class $1 type'),
    );
}

/** A frame as our decoders read it, in tcpdump's words. */
function reading(frame: Uint8Array): string {
  const { header, payload } = decoded(decodeEthernet(frame));
  const type = header.etherType === etherTypes.arp ? 'ARP (0x0806)' : 'IPv4 (0x0800)';
  const content =
    header.etherType === etherTypes.arp ? readingOfArp(payload) : readingOfIpv4(payload);
  return `${header.src} > ${header.dst}, ethertype ${type}, length ${frame.length}: ${content}`;
}

function readingOfArp(bytes: Uint8Array): string {
  const { op, sha, spa, tha, tpa } = decoded(decodeArp(bytes));
  const what =
    op === arpOperations.request
      ? `Request who-has ${tpa} (${tha}) tell ${spa}`
      : `Reply ${spa} is-at ${sha}`;
  return `Ethernet (len 6), IPv4 (len 4), ${what}, length ${bytes.length}`;
}

function readingOfIpv4(bytes: Uint8Array): string {
  const { header, payload, checksum } = decoded(decodeIpv4(bytes));
  const congestion = ['', ',ECT(1)', ',ECT(0)', ',CE'][header.tos & 3];
  const protocol = Object.entries(ipProtocols)
    .find(([, number]) => number === header.protocol)?.[0]
    .toUpperCase();
  const details = [
    `tos 0x${header.tos.toString(16)}${congestion}`,
    ...(header.ttl === 0 ? [] : [`ttl ${header.ttl}`]),
    `id ${header.identification}`,
    `offset ${header.fragmentOffset * 8}`,
    `flags [${header.flags === ipv4Flags.dontFragment ? 'DF' : 'none'}]`,
    `proto ${protocol} (${header.protocol})`,
    `length ${20 + header.options.length + payload.length}`,
    ...(header.options.length === 0
      ? []
      : [`options (${Array.from(header.options, () => 'NOP').join(',')})`]),
    ...(checksum === 'valid' ? [] : ['bad cksum']),
  ];
  return `(${details.join(', ')})\n    ${readingOfTransport(header, payload)}`;
}

function readingOfTransport(ip: Ipv4Header, bytes: Uint8Array): string {
  if (ip.protocol === ipProtocols.icmp) return readingOfIcmp(ip, bytes);
  return ip.protocol === ipProtocols.udp ? readingOfUdp(ip, bytes) : readingOfTcp(ip, bytes);
}

function readingOfIcmp(ip: Ipv4Header, bytes: Uint8Array): string {
  const { header, checksum } = decoded(decodeIcmp(bytes));
  const type = header.type === icmpTypes.echoRequest ? 'request' : 'reply';
  const remark = checksum === 'valid' ? '' : ' (wrong icmp cksum)';
  return (
    `${ip.src} > ${ip.dst}: ICMP echo ${type}, id ${header.identifier}, seq ` +
    `${header.sequence}, length ${bytes.length}${remark}`
  );
}

function readingOfUdp(ip: Ipv4Header, bytes: Uint8Array): string {
  const { header, payload, checksum } = decoded(decodeUdp(bytes, ip));
  const remarks: Readonly<Record<ChecksumState, string>> = {
    valid: 'udp sum ok',
    invalid: 'bad udp cksum',
    absent: 'no cksum',
    unverifiable: 'cut short',
  };
  const content =
    header.dstPort === genevePort ? readingOfGeneve(payload) : `UDP, length ${payload.length}`;
  return (
    `${ip.src}.${header.srcPort} > ${ip.dst}.${header.dstPort}: [${remarks[checksum]}] ` + content
  );
}

function readingOfTcp(ip: Ipv4Header, bytes: Uint8Array): string {
  const { header, payload, checksum } = decoded(decodeTcp(bytes, ip));
  const has = (flag: keyof typeof tcpFlags): boolean => (header.flags & tcpFlags[flag]) !== 0;
  const letters = {
    FIN: 'F',
    SYN: 'S',
    RST: 'R',
    PSH: 'P',
    ACK: '.',
    URG: 'U',
    ECE: 'E',
    CWR: 'W',
  } as const;
  const flags = (Object.keys(letters) as (keyof typeof letters)[])
    .filter(has)
    .map((name) => letters[name]);
  const details = [
    `Flags [${flags.join('') || 'none'}]`,
    `cksum ${checksum === 'valid' ? 'correct' : 'incorrect'}`,
    ...(payload.length > 0
      ? [`seq ${header.sequence}:${(header.sequence + payload.length) >>> 0}`]
      : has('SYN') || has('FIN')
        ? [`seq ${header.sequence}`]
        : []),
    ...(has('ACK') ? [`ack ${header.acknowledgement}`] : []),
    `win ${header.window}`,
    ...(has('URG') ? [`urg ${header.urgentPointer}`] : []),
    ...(header.options.length === 0
      ? []
      : [`options [${Array.from(header.options, () => 'nop').join(',')}]`]),
    `length ${payload.length}`,
  ];
  return `${ip.src}.${header.srcPort} > ${ip.dst}.${header.dstPort}: ${details.join(', ')}`;
}

function readingOfGeneve(bytes: Uint8Array): string {
  const { header, payload } = decoded(decodeGeneve(bytes));
  const flags = `${header.oam ? 'O' : ''}${header.critical ? 'C' : ''}` || 'none';
  const [option] = header.options.length === 0 ? [] : [hexDigits(header.options)];
  const number = (from: number, to: number): string =>
    `0x${Number.parseInt(option?.slice(from, to) ?? '', 16).toString(16)}`;
  const options =
    option === undefined
      ? ''
      : `, options [class ${number(0, 4)} type ${number(4, 6)} len 8 data ${option.slice(8)}]`;
  return (
    `Geneve, Flags [${flags}], vni 0x${header.vni.toString(16)}, proto TEB ` +
    `(0x${header.protocolType.toString(16)})${options}\n\t${reading(payload)}`
  );
}

function decoded<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('our own decoder rejects the frame');
  return value;
}

const octet = fc.integer({ min: 0, max: 0xff });
const word = fc.integer({ min: 0, max: 0xffff });
const number32 = fc.integer({ min: 0, max: 0xffffffff });
const mac = fc
  .integer({ min: 1, max: 0xfffffffe })
  .map((number) =>
    formatMac(Uint8Array.of(2, 0, number >>> 24, number >>> 16, number >>> 8, number)),
  );
const ip = fc.integer({ min: 0x0a000001, max: 0x0afffffe }).map(formatIpv4);
/** Ports for which tcpdump knows no application. */
const port = fc.integer({ min: 20000, max: 20999 });
const payload = fc.uint8Array({ minLength: 1, maxLength: 80 });
const noOperations = fc
  .integer({ min: 0, max: 10 })
  .map((words) => new Uint8Array(words * 4).fill(1));
const link = fc.record({ src: mac, dst: mac });
const datagramHeader = fc.record({
  src: ip,
  dst: ip,
  ttl: octet,
  tos: octet,
  identification: word,
  flags: fc.constantFrom(0, ipv4Flags.dontFragment),
  options: noOperations,
});
const echo = fc.record({
  type: fc.constantFrom(icmpTypes.echoRequest, icmpTypes.echoReply),
  code: fc.constant(0),
  identifier: word,
  sequence: word,
});
const segmentHeader = fc.record({
  srcPort: port,
  dstPort: port,
  sequence: number32,
  acknowledgement: number32,
  flags: octet.map((flags) => flags & ~tcpFlags.RST), // of a reset, tcpdump prints the payload
  window: word,
  urgentPointer: word,
  options: noOperations,
});
const geneveHeader = fc.record({
  vni: fc.integer({ min: 0, max: 0xffffff }),
  protocolType: fc.constant(etherTypes.transparentEthernetBridging),
  options: fc.constantFrom(Uint8Array.of(), Uint8Array.of(1, 2, 3, 1, 0xde, 0xad, 0xbe, 0xef)),
  critical: fc.boolean(),
  oam: fc.boolean(),
});

type Link = Pick<EthernetHeader, 'src' | 'dst'>;
const ipv4Frame = (header: Link, datagram: Uint8Array): Uint8Array =>
  encodeEthernet({ ...header, etherType: etherTypes.ipv4 }, datagram);
/** As a network card pads to the shortest Ethernet frame. */
const padded = (frame: Uint8Array): Uint8Array =>
  concatBytes(frame, new Uint8Array(Math.max(0, 60 - frame.length)));

const arp = fc
  .tuple(
    link,
    fc.record({
      op: fc.constantFrom(arpOperations.request, arpOperations.reply),
      sha: mac,
      spa: ip,
      tha: mac,
      tpa: ip,
    }),
  )
  .map(([header, packet]) =>
    encodeEthernet({ ...header, etherType: etherTypes.arp }, encodeArp(packet)),
  );
const protectedToTheLastByte = fc.oneof(
  fc
    .tuple(link, datagramHeader, echo, payload)
    .map(([header, datagram, icmp, body]) =>
      ipv4Frame(
        header,
        encodeIpv4({ ...datagram, protocol: ipProtocols.icmp }, encodeIcmp(icmp, body)),
      ),
    ),
  fc
    .tuple(link, datagramHeader, port, port, payload)
    .map(([header, datagram, srcPort, dstPort, body]) =>
      ipv4Frame(
        header,
        encodeIpv4(
          { ...datagram, protocol: ipProtocols.udp },
          encodeUdp({ srcPort, dstPort }, body, datagram),
        ),
      ),
    ),
  fc
    .tuple(link, datagramHeader, segmentHeader, payload)
    .map(([header, datagram, segment, body]) =>
      ipv4Frame(
        header,
        encodeIpv4({ ...datagram, protocol: ipProtocols.tcp }, encodeTcp(segment, body, datagram)),
      ),
    ),
);
const tunnelled = fc
  .tuple(link, datagramHeader, port, geneveHeader, protectedToTheLastByte, fc.boolean())
  .map(([header, datagram, srcPort, geneve, inner, withChecksum]) => {
    const udp = encodeUdp(
      { srcPort, dstPort: genevePort },
      encodeGeneve(geneve, inner),
      withChecksum ? datagram : 'no-checksum',
    );
    return ipv4Frame(header, encodeIpv4({ ...datagram, protocol: ipProtocols.udp }, udp));
  });

const sample = (frames: fc.Arbitrary<Uint8Array>): readonly Uint8Array[] =>
  fc.sample(frames, { seed: 1, numRuns: 100 });
const damage = (frame: Uint8Array, index: number): Uint8Array =>
  frame.map((byte, at) => (at === index ? byte ^ 1 : byte));
const complaint = /bad cksum|bad udp cksum|wrong icmp cksum|cksum incorrect/;

void t.test('tcpdump reads our frames as we do', async (t) => {
  const frames = [arp, protectedToTheLastByte, tunnelled].flatMap((kind) => [
    ...sample(kind),
    ...sample(kind.map(padded)),
  ]);
  const texts = await tcpdump(frames, t);
  t.strictSame(texts, frames.map(reading));
  t.notOk(
    texts.find((text) => complaint.test(text)),
    'no checksum is wrong',
  );
});

void t.test('tcpdump and we find the same checksums wrong', async (t) => {
  const ipv4TtlOffset = 14 + 8;
  const frames = sample(fc.oneof(protectedToTheLastByte, tunnelled)).flatMap((frame) => [
    damage(frame, frame.length - 1),
    damage(frame, ipv4TtlOffset),
  ]);
  const texts = await tcpdump(frames, t);
  t.strictSame(texts, frames.map(reading));
  t.notOk(
    texts.find((text) => !complaint.test(text)),
    'every frame has a wrong one',
  );
});
