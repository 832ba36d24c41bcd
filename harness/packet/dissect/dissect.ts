/** A whole frame, field by field: every byte has a name. */
import { arpLayout, arpLength, decodeArp } from '../protocols/link/arp.js';
import { dissectIpv6 } from './dissect-ipv6.js';
import { trailerOf, header, numbered, raw, type Parts } from './parts.js';
import { dissectTransport, type Datagram } from './dissect-transport.js';
import { decodeEthernet, ethernetLayout, etherTypes } from '../protocols/link/ethernet.js';
import { isMpls, isTag } from '../flow-key/flow-key.js';
import { decodeGeneve, genevePort, geneveLayout } from '../protocols/tunnel/geneve.js';
import { decodeGre, greLayoutOf } from '../protocols/tunnel/gre.js';
import { decodeIpv4, ipv4Layout, isFragment } from '../protocols/ip/ipv4.js';
import { decodeMpls, mplsLayout } from '../protocols/link/mpls.js';
import { decodeVlan, vlanLayout } from '../protocols/link/vlan.js';
import { decodeVxlan, vxlanLayout, vxlanPort } from '../protocols/tunnel/vxlan.js';

export interface Field {
  /**
   * `eth.dst`, `ip.ttl`, `vlan2.vid` of the second tag; with `inner.` in front inside a tunnel.
   * Unique within a frame.
   */
  readonly name: string;
  /** The bytes as people read them. A checksum that is not right says so behind its digits. */
  readonly value: string;
  /**
   * Where in the frame, in bytes. Fields that are narrower than a byte, or across its edge, share
   * their bytes with others.
   */
  readonly offset: number;
  readonly length: number;
}

/**
 * Tunnels in tunnels beyond this many are payload, so that hostile frames cost no more than others.
 */
const maximumDepth = 4;

/**
 * Names every byte of the frame, in order. Whatever is cut short or unknown is `payload`; never
 * throws.
 */
export function dissect(frame: Uint8Array): readonly Field[] {
  return [...ethernet(frame, '', 0)]
    .filter(({ bytes }) => bytes.length > 0)
    .map(({ name, value, bytes }) => ({
      name,
      value,
      offset: bytes.byteOffset - frame.byteOffset,
      length: bytes.length,
    }));
}

function* ethernet(bytes: Uint8Array, prefix: string, depth: number): Parts {
  const decoded = decodeEthernet(bytes);
  if (decoded === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}eth`, ethernetLayout, bytes);
  let [type, rest] = [decoded.header.etherType, decoded.payload];
  for (let count = 1; isTag(type); count++) {
    const tag = decodeVlan(rest);
    if (tag === undefined) break;
    yield* header(`${prefix}${numbered('vlan', count)}`, vlanLayout, rest);
    [type, rest] = [tag.header.etherType, tag.payload];
  }
  yield* isMpls(type) ? labels(rest, prefix) : network(type, rest, prefix, depth);
}

/** Entries to the last of the stack. What is behind it says nowhere what it is. */
function* labels(bytes: Uint8Array, prefix: string): Parts {
  let rest = bytes;
  for (let [count, isLast] = [1, false]; !isLast; count++) {
    const entry = decodeMpls(rest);
    if (entry === undefined) break;
    yield* header(`${prefix}${numbered('mpls', count)}`, mplsLayout, rest);
    isLast = entry.header.bos === 1;
    rest = entry.payload;
  }
  yield raw(`${prefix}payload`, rest);
}

function* network(etherType: number, bytes: Uint8Array, prefix: string, depth: number): Parts {
  if (
    (etherType === etherTypes.arp || etherType === etherTypes.rarp) &&
    decodeArp(bytes) !== undefined
  ) {
    yield* header(`${prefix}arp`, arpLayout, bytes);
    return yield raw(`${prefix}padding`, bytes.subarray(arpLength));
  }
  const datagram =
    etherType === etherTypes.ipv4
      ? yield* ipv4(bytes, prefix)
      : etherType === etherTypes.ipv6
        ? yield* dissectIpv6(bytes, prefix)
        : undefined;
  if (datagram === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* dissectTransport(datagram, prefix, {
    application: (port, payload) => application(port, payload, prefix, depth),
    gre: (payload) => gre(payload, prefix, depth),
  });
  yield raw(`${prefix}padding`, trailerOf(datagram.bytes, bytes));
}

function* ipv4(bytes: Uint8Array, prefix: string): Parts<Datagram | undefined> {
  const decoded = decodeIpv4(bytes);
  if (decoded === undefined) return undefined;
  const { header: ip, payload, checksum } = decoded;
  yield* header(`${prefix}ip`, ipv4Layout, bytes, checksum);
  yield raw(`${prefix}ip.options`, ip.options);
  return {
    protocol: ip.protocol,
    addresses: ip,
    fragment: !isFragment(ip) ? 'none' : ip.fragmentOffset === 0 ? 'first' : 'later',
    bytes: payload,
  };
}

function* gre(bytes: Uint8Array, prefix: string, depth: number): Parts {
  const decoded = depth < maximumDepth ? decodeGre(bytes) : undefined;
  if (decoded === undefined) return yield raw(`${prefix}payload`, bytes);
  yield* header(`${prefix}gre`, greLayoutOf(decoded), bytes, decoded.checksum);
  yield* carried(decoded.header.protocolType, decoded.payload, prefix, depth);
}

function* application(port: number, bytes: Uint8Array, prefix: string, depth: number): Parts {
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
function* carried(protocolType: number, bytes: Uint8Array, prefix: string, depth: number): Parts {
  if (protocolType === etherTypes.transparentEthernetBridging)
    yield* ethernet(bytes, `${prefix}inner.`, depth + 1);
  else yield* network(protocolType, bytes, `${prefix}inner.`, depth + 1);
}
