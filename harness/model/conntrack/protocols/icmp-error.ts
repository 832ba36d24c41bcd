/**
 * Errors of ICMP (RFC 792) and ICMPv6 (RFC 4443): they belong to the connection of the packet that
 * they quote.
 */
import { fragment, keyWords, word } from '../../../packet/flow-key/flow-key.js';
import { readExtensions } from '../../../packet/flow-key/extract/extract-ipv6.js';
import { ipv6Length } from '../../../packet/protocols/ip/ipv6.js';
import type { Behaviour, DatapathPlace } from '../../behaviour.js';
import { protocolOf, tupleOf, type Transport } from './transport.js';
import { reversed, type Address, type Family, type Tuple } from '../tuple.js';

/**
 * Unreachable, source quench, redirect, time exceeded, parameter problem; unreachable, too big,
 * time exceeded, parameter problem.
 */
const errors: Readonly<Record<Family, ReadonlySet<number>>> = {
  ipv4: new Set([3, 4, 5, 11, 12]),
  ipv6: new Set([1, 2, 3, 4]),
};
/** What of it stands before the packet that it quotes. */
const headerLength = 8;
/** Bytes that an error of ICMP quotes at least of what IP carries. */
const quotedLength = 8;
/** Linux wants both ports alone (nf_ct_get_tuple_ports). */
const quotedPorts = 4;

/** To Linux all messages of ICMPv6 below 128 are errors (nf_conntrack_icmpv6_error). */
export function isError(family: Family, type: number, datapath: DatapathPlace): boolean {
  return (
    errors[family].has(type) || (datapath === 'in the kernel' && family === 'ipv6' && type < 128)
  );
}

/**
 * The direction in which an answer to the quoted packet goes, as the error does. Undefined where
 * what is quoted is cut off, a fragment, another error, or a packet that did not come from where
 * the error goes (Open vSwitch lib/conntrack.c, extract_l4_icmp).
 */
export function quotedTuple(error: Transport, behaviour: Behaviour): Tuple | undefined {
  const quoted = error.family === 'ipv4' ? quotedIpv4(error, behaviour) : quotedIpv6(error);
  if (quoted === undefined || !quoted.src.every((part, index) => part === error.dst[index]))
    return undefined;
  const tuple = tupleOf(quoted, behaviour, shortestQuoted(quoted, behaviour));
  return tuple && reversed(tuple);
}

function shortestQuoted(quoted: Transport, behaviour: Behaviour): number | undefined {
  if (behaviour.datapath === 'in the kernel' && protocolOf(quoted, behaviour) !== 'icmp')
    return quotedPorts;
  return quoted.family === 'ipv4' ? quotedLength : undefined;
}

function quotedIpv4(
  { at, ...error }: Transport,
  { trackedFragments, datapath }: Behaviour,
): Transport | undefined {
  const { view, end } = error;
  const l3 = at + headerLength;
  if (end < l3 + 20) return undefined;
  const length = (view.getUint8(l3) & 15) * 4;
  if (length < 20 || end < l3 + length) return undefined;
  const readsFirst = trackedFragments === 'the first' || datapath === 'in the kernel';
  if ((view.getUint16(l3 + 6) & (readsFirst ? 0x1fff : 0x3fff)) !== 0) return undefined;
  return {
    ...error,
    src: [view.getUint32(l3 + 12)],
    dst: [view.getUint32(l3 + 16)],
    protocol: view.getUint8(l3 + 9),
    at: l3 + length,
  };
}

function quotedIpv6({ at, ...error }: Transport): Transport | undefined {
  const { view, end } = error;
  const l3 = at + headerLength;
  if (end < l3 + ipv6Length) return undefined;
  const key = new Uint32Array(keyWords);
  const l4 = readExtensions(view, l3 + ipv6Length, end, view.getUint8(l3 + 6), key);
  if (l4 < 0 || ((key[word.nwFrag] ?? 0) & fragment.any) !== 0) return undefined;
  const address = (first: number): Address =>
    [0, 4, 8, 12].map((offset) => view.getUint32(first + offset));
  return {
    ...error,
    src: address(l3 + 8),
    dst: address(l3 + 24),
    protocol: key[word.nwProto] ?? 0,
    at: l4,
  };
}
