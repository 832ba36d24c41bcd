/**
 * What a new connection is translated to on the kernel's datapath (Linux,
 * net/netfilter/nf_nat_core.c, get_unique_tuple, nf_nat_l4proto_unique_tuple). `Pick` stands for
 * what it draws.
 */
import { liveConnections, type ConnectionTableAt } from '../conntrack/connection.js';
import {
  addressFrom,
  addressNumber,
  isIcmp,
  reversed,
  type Endpoint,
  type Tuple,
} from '../conntrack/tuple.js';
import {
  begin,
  findFreePort,
  hasPorts,
  sourcePortRange,
  type NatRequest,
  type PickInRange,
  type Ports,
} from './nat.js';

type Place = Pick<Endpoint, 'address' | 'port'>;

/**
 * The direction of the answers to a connection of `original`. What is asked for already, or was
 * given to the same source before, is kept, unless the flow asks for ports that are drawn: `hash`
 * and `random` are the same there. Undefined where nothing is left.
 */
export function kernelNatReply(
  node: ConnectionTableAt,
  original: Tuple,
  to: NatRequest | undefined,
  isTaken: (tuple: Tuple) => boolean,
  pick: PickInRange,
): Tuple | undefined {
  if (to === undefined) return reversed(original);
  const { part, ports, portsBy } = to;
  const own = original[part];
  const isWithPorts = hasPorts(original, node.behaviour);
  const isWanted = (place: Place) =>
    isWithin(place, own, to) && (!isWithPorts || isPortOf(place.port, ports));
  const kept =
    part === 'dst' || portsBy !== undefined
      ? undefined
      : isWanted(own)
        ? own
        : sourcesGiven(node, original).find((place) => isWanted(place));
  if (kept !== undefined && !isTaken(replyAt(original, part, kept)))
    return replyAt(original, part, kept);
  const { address } = addressed(own, to, original, pick);
  const at = (port: number) => replyAt(original, part, { address, port });
  const range = isWithPorts ? rangeOf(original, to) : undefined;
  const isDrawn = portsBy !== undefined && range !== undefined;
  const isOpen = !isDrawn && (!isWithPorts || isPortOf(own.port, ports));
  if (isOpen && !isTaken(at(own.port))) return at(own.port);
  if (range === undefined || (isOpen && range.first === range.last)) return undefined;
  const what = part === 'src' ? 'source port' : 'destination port';
  const free = findFreePort(
    begin(what, range, pick),
    range,
    (port) => !isTaken(at(port)),
    () => begin(what, range, pick),
  );
  return free === undefined ? undefined : at(free);
}

/** Of ICMP it has one number for both ends. */
function replyAt(original: Tuple, part: 'src' | 'dst', { address, port }: Place): Tuple {
  const { src, dst, ...rest } = reversed(original);
  const other = (end: Endpoint) => (isIcmp(original) ? { ...end, port } : end);
  return part === 'src'
    ? { ...rest, src: other(src), dst: { ...dst, address, port } }
    : { ...rest, src: { ...src, address, port }, dst: other(dst) };
}

function isWithin({ address }: Place, own: Endpoint, { addresses }: NatRequest): boolean {
  const number = addressNumber(address);
  const { first, last } = addresses ?? {
    first: addressNumber(own.address),
    last: addressNumber(own.address),
  };
  return first <= number && number <= last;
}

function isPortOf(port: number, ports: Ports | undefined): boolean {
  return ports === undefined || (ports.first <= port && port <= ports.last);
}

/** What the same source was translated to before, the latest first (find_appropriate_src). */
function sourcesGiven(
  { connections, nowMs }: ConnectionTableAt,
  { zone, protocol, src }: Tuple,
): readonly Place[] {
  const number = addressNumber(src.address);
  return liveConnections(connections, nowMs)
    .filter(
      ({ natPart, original }) =>
        (natPart === 'src' || natPart === 'dst') &&
        original.zone === zone &&
        original.protocol === protocol &&
        original.src.port === src.port &&
        original.src.address.length === src.address.length &&
        addressNumber(original.src.address) === number,
    )
    .map(({ reply }) => reply.dst)
    .reverse();
}

function addressed(
  own: Endpoint,
  { addresses }: NatRequest,
  { family }: Tuple,
  pick: PickInRange,
): Pick<Place, 'address'> {
  if (addresses === undefined) return own;
  const count = addresses.last - addresses.first + 1n;
  const offset = count === 1n ? 0n : pick('address', addresses.first, count);
  return { address: addressFrom(addresses.first + offset, family) };
}

/** Ports that may be tried; none for a destination whose port nobody asked to change. */
function rangeOf(original: Tuple, { part, ports }: NatRequest): Ports | undefined {
  if (ports !== undefined) return ports;
  if (isIcmp(original)) return { first: 0, last: 65535 };
  return part === 'dst' ? undefined : sourcePortRange(original.src.port);
}
