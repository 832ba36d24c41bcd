/** A whole frame, field by field: every byte has a name. */
import { arpLayout, arpLength, decodeArp } from './arp.js';
import { decodeEthernet, ethernetLayout, etherTypes } from './ethernet.js';
import { decodeGeneve, genevePort, geneveLayout } from './geneve.js';
import { decodeGre, greKeyLayout, greLayout } from './gre.js';
import { hexDigits, type ChecksumState, type FieldLayout } from './header.js';
import { decodeIcmp, icmpLayout } from './icmp.js';
import { decodeIpv4, ipProtocols, ipv4Layout, isFragment, type Ipv4Header } from './ipv4.js';
import { decodeTcp, tcpLayout } from './tcp.js';
import { decodeUdp, udpLayout } from './udp.js';
import { decodeVxlan, vxlanLayout, vxlanPort } from './vxlan.js';

export interface Field {
  /** `eth.dst`, `ip.ttl`; with `inner.` in front inside a tunnel. Unique within a frame. */
  readonly name: string;
  /** The bytes as people read them. A checksum that is not right says so behind its digits. */
  readonly value: string;
  /** Where in the frame, in bytes. */
  readonly offset: number;
  readonly length: number;
}

type Part = Pick<Field, 'name' | 'value'> & { readonly bytes: Uint8Array };

/** Tunnels in tunnels beyond this many are payload, so that hostile frames cost no more than others. */
const maximumDepth = 4;

/** Names every byte of the frame exactly once, in order. Whatever is cut short or unknown is `payload`; never throws. */
export function dissect(frame: Uint8Array): readonly Field[] {
  return [...ethernet(frame, '', 0)]
    .filter(({ bytes }) => bytes.length > 0)
    .map(({ name, value, bytes }) => ({ name, value, offset: bytes.byteOffset - frame.byteOffset, length: bytes.length }));
}

function* ethernet(bytes: Uint8Array, prefix: string, depth: number): Generator<Part, void, void> {
  const decoded = decodeEthernet(bytes);
  if (decoded === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}eth`, ethernetLayout, bytes);
  yield* network(decoded.header.etherType, decoded.payload, prefix, depth);
}

function* network(etherType: number, bytes: Uint8Array, prefix: string, depth: number): Generator<Part, void, void> {
  if (etherType === etherTypes.arp && decodeArp(bytes) !== undefined) {
    yield* header(`${prefix}arp`, arpLayout, bytes);
    return yield raw(`${prefix}padding`, bytes.subarray(arpLength));
  }
  const decoded = etherType === etherTypes.ipv4 ? decodeIpv4(bytes) : undefined;
  if (decoded === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}ip`, ipv4Layout, bytes, decoded.checksum);
  yield raw(`${prefix}ip.options`, decoded.header.options);
  yield* transport(decoded.header, decoded.payload, prefix, depth);
  yield raw(`${prefix}padding`, behind(decoded.payload, bytes));
}

function* transport(ip: Ipv4Header, bytes: Uint8Array, prefix: string, depth: number): Generator<Part, void, void> {
  const complete = (state: ChecksumState): ChecksumState => (isFragment(ip) ? 'unverifiable' : state);
  switch (ip.fragmentOffset === 0 ? ip.protocol : undefined) {
    case ipProtocols.icmp: {
      const icmp = decodeIcmp(bytes);
      if (icmp === undefined) break;
      yield* header(`${prefix}icmp`, icmpLayout, bytes, complete(icmp.checksum));
      return yield raw(`${prefix}payload`, icmp.payload);
    }
    case ipProtocols.tcp: {
      const tcp = decodeTcp(bytes, ip);
      if (tcp === undefined) break;
      yield* header(`${prefix}tcp`, tcpLayout, bytes, complete(tcp.checksum));
      yield raw(`${prefix}tcp.options`, tcp.header.options);
      return yield raw(`${prefix}payload`, tcp.payload);
    }
    case ipProtocols.udp: {
      const udp = decodeUdp(bytes, ip);
      if (udp === undefined) break;
      yield* header(`${prefix}udp`, udpLayout, bytes, complete(udp.checksum));
      yield* application(udp.header.dstPort, udp.payload, prefix, depth);
      return yield raw(`${prefix}udp.padding`, behind(udp.payload, bytes));
    }
    case ipProtocols.gre:
      return yield* gre(bytes, prefix, depth);
    default:
  }
  yield raw(`${prefix}payload`, bytes);
}

function* gre(bytes: Uint8Array, prefix: string, depth: number): Generator<Part, void, void> {
  const decoded = depth < maximumDepth ? decodeGre(bytes) : undefined;
  if (decoded === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}gre`, decoded.header.key === undefined ? greLayout : [...greLayout, ...greKeyLayout], bytes);
  yield* carried(decoded.header.protocolType, decoded.payload, prefix, depth);
}

function* application(port: number, bytes: Uint8Array, prefix: string, depth: number): Generator<Part, void, void> {
  const geneve = port === genevePort && depth < maximumDepth ? decodeGeneve(bytes) : undefined;
  if (geneve !== undefined) {
    yield* header(`${prefix}geneve`, geneveLayout, bytes);
    yield raw(`${prefix}geneve.options`, geneve.header.options);
    return yield* carried(geneve.header.protocolType, geneve.payload, prefix, depth);
  }
  const vxlan = port === vxlanPort && depth < maximumDepth ? decodeVxlan(bytes) : undefined;
  if (vxlan === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}vxlan`, vxlanLayout, bytes);
  yield* carried(etherTypes.transparentEthernetBridging, vxlan.payload, prefix, depth);
}

/** What a tunnel carries. */
function* carried(protocolType: number, bytes: Uint8Array, prefix: string, depth: number): Generator<Part, void, void> {
  if (protocolType === etherTypes.transparentEthernetBridging) yield* ethernet(bytes, `${prefix}inner.`, depth + 1);
  else yield* network(protocolType, bytes, `${prefix}inner.`, depth + 1);
}

function* header(name: string, layout: readonly FieldLayout[], bytes: Uint8Array, checksum: ChecksumState = 'valid'): Generator<Part, void, void> {
  let offset = 0;
  for (const field of layout) {
    const part = bytes.subarray(offset, offset + field.length);
    const remark = field.name === 'checksum' && checksum !== 'valid' ? ` (${checksum})` : '';
    yield { name: `${name}.${field.name}`, value: field.read(part) + remark, bytes: part };
    offset += field.length;
  }
}

function raw(name: string, bytes: Uint8Array): Part {
  return { name, value: hexDigits(bytes), bytes };
}

/** What follows in `whole` after `part`, a view into it. */
function behind(part: Uint8Array, whole: Uint8Array): Uint8Array {
  return whole.subarray(part.byteOffset + part.length - whole.byteOffset);
}
