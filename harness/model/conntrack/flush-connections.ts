/**
 * Connections that are forgotten at somebody's word (ovs-vswitchd(8), "dpctl/flush-conntrack"; Open
 * vSwitch lib/ct-dpif.c, ct_dpif_flush).
 */
import { InputError, Unpredictable, Unsupported } from '../../base/errors/errors.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import {
  removeConnection,
  hasSeparateReplyEntry,
  liveConnections,
  lookupConnection,
  type Connection,
  type ConnectionTableAt,
} from './connection.js';
import { printTuple, type Tuple } from './tuple.js';

/** What the words of a tuple are in the text of a connection's direction. */
const parts: Readonly<Record<string, string>> = {
  ct_nw_src: 'src',
  ct_nw_dst: 'dst',
  ct_ipv6_src: 'src',
  ct_ipv6_dst: 'dst',
  ct_tp_src: 'sport',
  ct_tp_dst: 'dport',
  icmp_id: 'id',
  icmp_type: 'type',
  icmp_code: 'code',
};

interface TupleFilter {
  readonly protocol: number | undefined;
  /** As directions are written: `src=10.0.0.1`. */
  readonly parts: readonly string[];
}

/**
 * Forgets all connections, or those of a zone, or those whose first direction has all that `tuple`
 * says. A tuple that leaves nothing open names the one connection that a packet like it would
 * belong to, in zone 0 where none is given; before 3.3 not by the answers to one that is
 * translated.
 * @throws InputError for a tuple that is none. @throws Unpredictable where connections cover each
 *   other.
 */
export function flushConnections(
  moment: ConnectionTableAt,
  { zone, tuple: text }: { readonly zone?: number; readonly tuple?: string },
): void {
  const tuple = text === undefined ? undefined : parseTuple(text);
  if (tuple !== undefined && isFullySpecified(tuple))
    return flushConnection(moment, zone ?? 0, tuple);
  const isMeant = ({ original }: Connection) =>
    (zone === undefined || original.zone === zone) &&
    (tuple === undefined || matchesFilter(original, tuple));
  if (tuple !== undefined) refuseCovered(moment, isMeant);
  for (const connection of new Set(moment.connections.values()))
    if (isMeant(connection)) removeConnection(moment.connections, connection);
}

/**
 * @throws Unpredictable where another would be forgotten in the place of one that is meant: each is
 *   looked for by how it began, in the order of hashes.
 */
function refuseCovered(
  { connections, nowMs }: ConnectionTableAt,
  isMeant: (connection: Connection) => boolean,
): void {
  const covered = liveConnections(connections, nowMs).find(
    (connection) =>
      isMeant(connection) &&
      lookupConnection(connections, connection.original, nowMs) !== connection,
  );
  if (covered !== undefined)
    throw new Unpredictable(
      'it is nondeterministic what Open vSwitch flushes where one part of a tuple means ' +
        `${printTuple(covered.original)}, which another connection covers`,
    );
}

function flushConnection(
  { connections, nowMs, behaviour }: ConnectionTableAt,
  zone: number,
  tuple: TupleFilter,
): void {
  const found = liveConnections(connections, nowMs).findLast(
    ({ original, reply }) =>
      original.zone === zone && (matchesFilter(original, tuple) || matchesFilter(reply, tuple)),
  );
  if (found === undefined) return;
  const isOfItsOwn =
    behaviour.answersToTranslated === 'of their own' &&
    hasSeparateReplyEntry(found) &&
    !matchesFilter(found.original, tuple);
  if (!isOfItsOwn) removeConnection(connections, found);
}

/** To Open vSwitch it does once it names both addresses and what else the protocol has. */
function isFullySpecified({ protocol, parts: named }: TupleFilter): boolean {
  const names = (...wanted: readonly string[]) =>
    wanted.every((name) => named.some((part) => part.startsWith(`${name}=`)));
  if (!names('src', 'dst') || protocol === undefined) return false;
  if (!withIcmpIds.includes(protocol)) return names('sport', 'dport');
  if (!names('id', 'type', 'code'))
    throw new Unsupported(
      'the model does not know which connection a tuple of ICMP means that does not name id, ' +
        'type and code: Open vSwitch takes them for 0',
    );
  return true;
}

const withIcmpIds: readonly number[] = [ipProtocols.icmp, ipProtocols.icmp6];

function matchesFilter(direction: Tuple, wanted: TupleFilter): boolean {
  const own = printTuple(direction).split(',');
  return (
    (wanted.protocol === undefined || wanted.protocol === direction.protocol) &&
    wanted.parts.every((part) => own.includes(part))
  );
}

/** `ct_nw_src=10.0.0.1,ct_nw_proto=17,ct_tp_dst=7`. */
function parseTuple(text: string): TupleFilter {
  const given = text.split(',').map((item) => item.split('='));
  for (const [name = '', value = ''] of given) {
    if (value === '' || (name !== 'ct_nw_proto' && !Object.hasOwn(parts, name)))
      throw new InputError(
        `"${[name, value].join('=')}" is no part of a tuple: these are ct_nw_proto, ` +
          `${Object.keys(parts).join(', ')}, with "=" and a value`,
      );
  }
  const protocol = given.find(([name]) => name === 'ct_nw_proto')?.[1];
  if (
    protocol === undefined &&
    given.some(([name = '']) => name.startsWith('ct_tp_') || name.startsWith('icmp_'))
  )
    throw new InputError(
      `"${text}" names ports without a protocol: begin with ct_nw_proto=17, or another`,
    );
  return {
    protocol: protocol === undefined ? undefined : Number(protocol),
    parts: given.flatMap(([name = '', value = '']) =>
      name === 'ct_nw_proto' ? [] : [`${parts[name]}=${value}`],
    ),
  };
}
