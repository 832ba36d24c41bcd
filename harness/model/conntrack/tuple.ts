/**
 * One direction of a connection, as data: what packets are looked up by (Open vSwitch
 * lib/conntrack-private.h, struct conn_key).
 */
import { formatIpv4, ipv4Number } from '../../base/addresses/mac-and-ipv4.js';
import { formatIpv6, ipv6Number } from '../../base/addresses/ipv6.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { clearWords, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';

export interface Tuple {
  readonly zone: number;
  readonly family: Family;
  readonly protocol: number;
  readonly src: Endpoint;
  readonly dst: Endpoint;
  /** Of messages of ICMP, where it is not zero and the tracker has connections by it. */
  readonly code?: number;
}

export type Family = 'ipv4' | 'ipv6';

export interface Endpoint {
  readonly address: Address;
  /** At both ends of ICMP the identifier; zero for protocols without ports. */
  readonly port: number;
  /** The ICMP type of what this end sends; zero for other protocols. */
  readonly type: number;
}

/** Words of 32 bits, most significant first: one of IPv4, four of IPv6. */
export type Address = readonly number[];

/** The direction in which answers go, as long as nothing is translated. */
export function reversed(tuple: Tuple): Tuple {
  const { zone, family, protocol, src, dst, code } = tuple;
  return code === undefined
    ? { zone, family, protocol, src: dst, dst: src }
    : { zone, family, protocol, src: dst, dst: src, code };
}

/** The same text for the same tuple. A packet's is asked for several times in a row. */
export function keyOf(tuple: Tuple): string {
  if (tuple !== latest?.tuple) latest = { tuple, key: madeKey(tuple) };
  return latest.key;
}

let latest: { readonly tuple: Tuple; readonly key: string } | undefined;

function madeKey({ zone, protocol, src, dst, code = 0 }: Tuple): string {
  // Characters of 16 bits are made in a fraction of the time that it takes to print numbers, and
  // best all at once.
  const [from = 0, to = 0] = [src.address[0], dst.address[0]];
  const first = String.fromCharCode(
    zone,
    protocol,
    src.port,
    (code << 8) | src.type,
    dst.port,
    dst.type,
    from >>> 16,
    from & 0xffff,
    to >>> 16,
    to & 0xffff,
  );
  return src.address.length === 1 ? first : first + rest(src.address) + rest(dst.address);
}

function rest([, ...words]: Address): string {
  return words.map((number) => String.fromCharCode(number >>> 16, number & 0xffff)).join('');
}

export function isSame(a: Tuple, b: Tuple): boolean {
  return (
    a.zone === b.zone &&
    a.protocol === b.protocol &&
    a.code === b.code &&
    isSameEndpoint(a.src, b.src) &&
    isSameEndpoint(a.dst, b.dst)
  );
}

function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return (
    a.port === b.port &&
    a.type === b.type &&
    a.address.length === b.address.length &&
    a.address.every((part, index) => part === b.address[index])
  );
}

export function isIcmp({ family, protocol }: Tuple): boolean {
  return protocol === (family === 'ipv4' ? ipProtocols.icmp : ipProtocols.icmp6);
}

/**
 * As `dpctl/dump-conntrack` prints it: `src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=53`
 * (lib/ct-dpif.c, ct_dpif_format_tuple).
 */
export function printTuple({ protocol, src, dst, code = 0 }: Tuple): string {
  const hasIdentifier = protocol === ipProtocols.icmp || protocol === ipProtocols.icmp6;
  return (
    `src=${printAddress(src.address)},dst=${printAddress(dst.address)},` +
    (hasIdentifier
      ? `id=${src.port},type=${src.type},code=${code}`
      : `sport=${src.port},dport=${dst.port}`)
  );
}

/** The protocol as it is printed there. */
export function printProtocol({ protocol }: Tuple): string {
  return protocolNames.get(protocol) ?? String(protocol);
}

const protocolNames: ReadonlyMap<number, string> = new Map([
  [1, 'icmp'],
  [2, 'igmp'],
  [6, 'tcp'],
  [17, 'udp'],
  [33, 'dccp'],
  [58, 'icmpv6'],
  [132, 'sctp'],
  [136, 'udplite'],
]);

/**
 * The tuple that is printed like that, with the zone, protocol, types and code of `other`.
 * Undefined for another text.
 */
export function parseTuple(text: string, other: Tuple): Tuple | undefined {
  const [, src, dst, first, last] =
    /^src=([^,]+),dst=([^,]+),(?:sport|id)=(\d+)(?:,dport=(\d+)|,type=\d+,code=\d+)$/.exec(text) ??
    [];
  if (src === undefined || dst === undefined || first === undefined) return undefined;
  const address = (printed: string) =>
    addressFrom(
      printed.includes(':') ? ipv6Number(printed) : BigInt(ipv4Number(printed)),
      other.family,
    );
  return {
    ...other,
    src: { ...other.src, address: address(src), port: Number(first) },
    dst: { ...other.dst, address: address(dst), port: Number(last ?? first) },
  };
}

export function printAddress(address: Address): string {
  return address.length === 1 ? formatIpv4(address[0] ?? 0) : formatIpv6(addressNumber(address));
}

export function addressNumber(address: Address): bigint {
  return address.reduce((number, part) => (number << 32n) | BigInt(part), 0n);
}

export function addressFrom(number: bigint, family: Family): Address {
  return (family === 'ipv4' ? [0n] : [96n, 64n, 32n, 0n]).map((shift) =>
    Number((number >> shift) & 0xffffffffn),
  );
}

/** The addresses of a packet, by its flow key. Undefined for one that is not IP. */
export function addressesOf(
  key: FlowKey,
): { readonly family: Family; readonly src: Address; readonly dst: Address } | undefined {
  switch (key[word.ethType]) {
    case etherTypes.ipv4:
      return { family: 'ipv4', src: [key[word.nwSrc] ?? 0], dst: [key[word.nwDst] ?? 0] };
    case etherTypes.ipv6:
      return {
        family: 'ipv6',
        src: [...key.subarray(word.ipv6Src, word.ipv6Src + 4)],
        dst: [...key.subarray(word.ipv6Dst, word.ipv6Dst + 4)],
      };
    default:
      return undefined;
  }
}

const originalIpv4 = [word.ctNwSrc, word.ctNwDst] as const,
  originalIpv6 = [word.ctIpv6Src, word.ctIpv6Dst] as const;

/**
 * ct_nw_src and the like are those of `tuple`; zeros without one, and for protocol 0
 * (ovs-fields(7), ct_nw_src; lib/conntrack.c, write_ct_md; lib/flow.c, miniflow_extract).
 */
export function writeOriginal(key: FlowKey, tuple: Tuple | undefined): void {
  clearWords(key, word.ctNwSrc, word.ctTpDst + 1);
  if (tuple === undefined || tuple.protocol === 0) return;
  const { family, protocol, src, dst, code = 0 } = tuple;
  const [srcAt, dstAt] = family === 'ipv4' ? originalIpv4 : originalIpv6;
  for (let index = 0; index < src.address.length; index++) {
    key[srcAt + index] = src.address[index] ?? 0;
    key[dstAt + index] = dst.address[index] ?? 0;
  }
  key[word.ctNwProto] = protocol;
  key[word.ctTpSrc] = isIcmp(tuple) ? src.type : src.port;
  key[word.ctTpDst] = isIcmp(tuple) ? code : dst.port;
}
