/**
 * What a new connection is translated to (Open vSwitch lib/conntrack.c, nat_get_unique_tuple).
 * Where several addresses or ports may serve, Open vSwitch begins its search at a hash whose seed
 * is each process's own: `Pick` stands for it.
 */
import type { NatAction } from '../../openflow/actions/actions.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { Behaviour } from '../behaviour.js';
import { byteSwap, hashWords } from '../fields/murmur-hash.js';
import {
  addressFrom,
  addressNumber,
  reversed,
  type Address,
  type Tuple,
} from '../conntrack/tuple.js';

/** What flows ask for of a new connection. */
export type NatRequest = NonNullable<NatAction['to']>;

/**
 * Which number from `first` on, of `count`, Open vSwitch begins with. Not asked where there is one
 * alone.
 */
export type PickInRange = (
  what: 'address' | 'source port' | 'destination port',
  first: bigint,
  count: bigint,
) => bigint;

/**
 * The direction of the answers to a connection of `original` that is translated as `to` asks.
 * Undefined where nothing is left to translate to. Without `to`, Open vSwitch expects answers from
 * address zero to port zero, which never come.
 */
export function natReply(
  original: Tuple,
  to: NatRequest | undefined,
  isTaken: (tuple: Tuple) => boolean,
  pick: PickInRange,
  behaviour: Behaviour,
): Tuple | undefined {
  const reply = withAddress(reversed(original), to, addressFor(original, to, pick, behaviour));
  if (!hasPorts(original, behaviour)) return isTaken(reply) ? undefined : reply;
  const { ports, part } = to ?? { part: 'src' };
  if (part === 'src' || ports === undefined)
    return withFreeSourcePort(
      reply,
      original,
      to === undefined ? { first: 0, last: 0 } : ports,
      isTaken,
      pick,
    );
  const wanted = begin('destination port', ports, pick);
  const toPort = (port: number): Tuple => ({ ...reply, src: { ...reply.src, port } });
  const free = findFreePort(
    wanted,
    ports,
    (port) => !isTaken(toPort(port)),
    () => begin('destination port', ports, pick),
  );
  return free === undefined
    ? withFreeSourcePort(toPort(wanted), original, undefined, isTaken, pick)
    : toPort(free);
}

/**
 * The same with a source port that makes it the only one of its kind: the connection's own, if it
 * can be, unless others are asked for.
 */
function withFreeSourcePort(
  reply: Tuple,
  original: Tuple,
  asked: Ports | undefined,
  isTaken: (tuple: Tuple) => boolean,
  pick: PickInRange,
): Tuple | undefined {
  const range = asked ?? sourcePortRange(original.src.port);
  const wanted = asked === undefined ? original.src.port : begin('source port', range, pick);
  const isIcmp = original.protocol === ipProtocols.icmp;
  const fromPort = ({ src, dst }: Tuple, port: number): Tuple => ({
    ...reply,
    src: isIcmp ? { ...src, port } : src,
    dst: { ...dst, port },
  });
  const free = findFreePort(
    wanted,
    range,
    (port) => !isTaken(fromPort(reply, port)),
    () => begin('source port', range, pick),
  );
  return free === undefined ? undefined : fromPort(reply, free);
}

export interface Ports {
  readonly first: number;
  readonly last: number;
}

/**
 * What a source port may become where flows ask for none: the privileged stay among themselves
 * (set_sport_range).
 */
export function sourcePortRange(port: number): Ports {
  if (port < 512) return { first: 1, last: 511 };
  return port < 1024 ? { first: 600, last: 1023 } : { first: 1024, last: 65535 };
}

export function begin(
  what: 'source port' | 'destination port',
  { first, last }: Ports,
  pick: PickInRange,
): number {
  return last === first
    ? first
    : first + Number(pick(what, BigInt(first), BigInt(last - first + 1)));
}

/**
 * Ports that are tried one after the other, at first; and as many as it takes to begin again
 * elsewhere with half of them (nat_get_unique_l4).
 */
const attempts = { atFirst: 128, leastToGoOn: 16 } as const;

/**
 * The first free port from `wanted` on, which may stand outside the range; behind its last comes
 * its first.
 */
export function findFreePort(
  wanted: number,
  { first, last }: Ports,
  isFree: (port: number) => boolean,
  elsewhere: () => number,
): number | undefined {
  const count = last - first + 1;
  let start = wanted;
  for (
    let left = Math.min(count, attempts.atFirst);
    ;
    left = Math.floor(left / 2), start = elsewhere()
  ) {
    for (
      let tried = 0, port = start;
      tried < left;
      tried++, port = port < first || port >= last ? first : port + 1
    )
      if (isFree(port)) return port;
    if (left >= count || left < attempts.leastToGoOn) return undefined;
  }
}

/**
 * Protocols whose ports, or identifiers, are translated as well: ICMP also where IPv6 carries it.
 */
export function hasPorts(
  { protocol, family }: Tuple,
  { trackedSctp, natOfIcmp }: Behaviour,
): boolean {
  switch (protocol) {
    case ipProtocols.tcp:
    case ipProtocols.udp:
      return true;
    case ipProtocols.sctp:
      return trackedSctp === 'by ports';
    case ipProtocols.icmp:
      return (
        natOfIcmp === 'identifiers' || (natOfIcmp === 'identifiers of both' && family === 'ipv4')
      );
    case ipProtocols.icmp6:
      return natOfIcmp === 'identifiers of both' && family === 'ipv6';
    default:
      return false;
  }
}

function withAddress(reply: Tuple, to: NatRequest | undefined, address: Address): Tuple {
  return to?.part === 'src'
    ? { ...reply, dst: { ...reply.dst, address } }
    : { ...reply, src: { ...reply.src, address } };
}

/** Of IPv6 ranges, no more addresses than this are used (nat_ipv6_addrs_delta). */
const mostAddresses = 0xffffffffn;

function addressFor(
  original: Tuple,
  to: NatRequest | undefined,
  pick: PickInRange,
  { persistentNat }: Behaviour,
): Address {
  if (to === undefined) return original.src.address.map(() => 0);
  if (to.addresses === undefined) return original[to.part].address;
  const { first, last } = to.addresses;
  const asked = last - first + 1n;
  const count = asked > mostAddresses ? mostAddresses : asked;
  const isPersistent = to.persistent && persistentNat === 'by the source address';
  const offset =
    count === 1n
      ? 0n
      : isPersistent
        ? BigInt(persistentHash(original, to)) % count
        : pick('address', first, count);
  return addressFrom(first + offset, original.family);
}

/**
 * Of the client's address, and of nothing that differs from process to process (nat_range_hash).
 */
function persistentHash(
  { zone, family, protocol, src }: Tuple,
  { addresses, ports }: NatRequest,
): number {
  const words = (address: Address) => [0, 1, 2, 3].map((index) => byteSwap(address[index] ?? 0));
  const range =
    addresses === undefined
      ? []
      : [addresses.first, addresses.last].flatMap((number) => words(addressFrom(number, family)));
  const type = byteSwap(family === 'ipv4' ? etherTypes.ipv4 : etherTypes.ipv6) >>> 16;
  return hashWords(
    [
      ...words(src.address),
      ...range,
      (((ports?.last ?? 0) << 16) | (ports?.first ?? 0)) >>> 0,
      type,
      protocol,
      zone,
    ],
    0,
  );
}

/** The picks that lead to `reply`, if it is one that Open vSwitch may choose. */
export function picksLeadingTo(reply: Tuple, { part }: NatRequest): PickInRange {
  return (what, first, count) => {
    const chosen =
      what === 'address'
        ? addressNumber(part === 'src' ? reply.dst.address : reply.src.address)
        : BigInt(what === 'source port' ? reply.dst.port : reply.src.port);
    return chosen < first || chosen >= first + count ? 0n : chosen - first;
  };
}
