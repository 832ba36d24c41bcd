/** A packet as the tracker sees it: whose connection it may belong to, and what moves that on. */
import { Unsupported } from '../../../base/errors/errors.js';
import { finishChecksum, sumWords } from '../../../packet/bytes/checksum.js';
import type { Layout } from '../../../packet/flow-key/extract/extract.js';
import { fragment, word, type FlowKey } from '../../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { sctpChecksum } from '../../../packet/protocols/transport/sctp.js';
import type { Behaviour } from '../../behaviour.js';
import { isError, quotedTuple } from './icmp-error.js';
import type { TrackedChunks } from './kernel-sctp.js';
import type { TrackedSegment } from './tcp-peer.js';
import { kernelTransportOf } from './kernel-transport.js';
import { headerLengths, protocolOf, transportOf, tupleOf, type Transport } from './transport.js';
import type { Tuple } from '../tuple.js';

export type TrackedPacket = { readonly tuple: Tuple } & (
  | { readonly kind: 'tcp'; readonly segment: TrackedSegment }
  | { readonly kind: 'icmp'; readonly type: number }
  /** Of SCTP, where the tracker follows its chunks. */
  | { readonly kind: 'kernel-sctp'; readonly packet: TrackedChunks }
  /** An error of ICMP; its tuple is that of an answer to what it quotes. */
  | { readonly kind: 'error' }
  | { readonly kind: 'other' }
);

/**
 * Undefined for a packet that can belong to no connection: cut off, with a wrong checksum, or to
 * port 0.
 * @param explain gets why. @param frame the packet's bytes as they are now, `key` and `layout` what
 *   was extracted from them.
 */
export function trackedPacket(
  frame: Uint8Array,
  layout: Layout,
  key: FlowKey,
  zone: number,
  behaviour: Behaviour,
  explain: (why: string) => void = () => undefined,
): TrackedPacket | undefined {
  const none = (why: string): undefined => {
    explain(why);
    return undefined;
  };
  const transport = (behaviour.datapath === 'in the kernel' ? kernelTransportOf : transportOf)(
    frame,
    layout,
    key,
    zone,
  );
  if (transport === undefined) return none('its headers are cut off');
  const isIpv4 = transport.family === 'ipv4';
  if (
    key[word.nwFrag] !== 0 &&
    !(isIpv4 && key[word.nwFrag] === fragment.any && behaviour.trackedFragments === 'the first')
  )
    return none('a fragment, of which the tracker sees no ports');
  if (
    isIpv4 &&
    behaviour.trackedIpChecksum === 'checked' &&
    finishChecksum(sumWords(frame, 0, layout.l3, layout.l4)) !== 0
  )
    return none('the checksum of its IPv4 header is wrong');
  const [first, end] = isIpv4 ? [12, 20] : [8, 40];
  const pseudoHeader = sumWords(
    frame,
    transport.protocol + transport.end - transport.at,
    layout.l3 + first,
    layout.l3 + end,
  );
  // Linux sums up the packet from its header on, whose own words amount to nothing where its
  // checksum is right (net/netfilter/utils.c, nf_ip_checksum).
  const header =
    isIpv4 && behaviour.datapath === 'in the kernel' ? sumWords(frame, 0, layout.l3, layout.l4) : 0;
  if (!isWhole(transport, { pseudoHeader, header }, behaviour))
    return none('its length or the checksum of its transport protocol is wrong');
  const isForeign = isForeignIcmp(transport);
  if (isForeign && behaviour.datapath === 'in the kernel')
    return none('ICMPv6 over IPv4, or ICMP over IPv6, of which Linux knows no connections');
  const tuple = tupleOf(transport, behaviour);
  if (tuple === undefined) explain('it is to or from port 0, or what an error quotes is no packet');
  switch (protocolOf(transport, behaviour)) {
    case 'tcp':
      return tuple && { kind: 'tcp', tuple, segment: segmentOf(transport) };
    case 'icmp':
      return tuple === undefined
        ? errorPacket(transport, behaviour)
        : { kind: 'icmp', tuple, type: tuple.src.type };
    case 'sctp':
      return (
        tuple &&
        (behaviour.datapath === 'in the kernel'
          ? { kind: 'kernel-sctp', tuple, packet: chunksOf(transport) }
          : { kind: 'other', tuple })
      );
    default:
      return (
        tuple &&
        (isForeign ? { kind: 'icmp', tuple, type: firstByte(transport) } : { kind: 'other', tuple })
      );
  }
}

/**
 * ICMP over IPv6 and ICMPv6 over IPv4 are not read, but open connections as ICMP does
 * (lib/conntrack.c, l4_protos).
 */
function isForeignIcmp({ family, protocol }: Transport): boolean {
  return protocol === (family === 'ipv4' ? ipProtocols.icmp6 : ipProtocols.icmp);
}

function firstByte({ view, at, end, protocol }: Transport): number {
  if (at >= end)
    throw new Unsupported(
      'the model does not know what Open vSwitch takes for the type of a message of protocol ' +
        `${protocol} that has no bytes`,
    );
  return view.getUint8(at);
}

function errorPacket(transport: Transport, behaviour: Behaviour): TrackedPacket | undefined {
  const { family, view, at, end } = transport;
  if (end - at < headerLengths.icmp || !isError(family, view.getUint8(at), behaviour.datapath))
    return undefined;
  const tuple = quotedTuple(transport, behaviour);
  return tuple && { kind: 'error', tuple };
}

/**
 * Whether lengths and checksum are right. @param sums of the words that checksums cover beside the
 * bytes (RFC 9293, section 3.1; RFC 8200, section 8.1), and of the header's that are taken with
 * them.
 */
function isWhole(
  transport: Transport,
  { pseudoHeader, header }: { readonly pseudoHeader: number; readonly header: number },
  behaviour: Behaviour,
): boolean {
  const { frame, view, family, at, end } = transport;
  const length = end - at;
  const protocol = protocolOf(transport, behaviour);
  if (protocol !== 'other' && length < headerLengths[protocol]) return false;
  const mayLackChecksum = family === 'ipv4' || behaviour.datapath === 'in the kernel';
  const isSound = (covered = pseudoHeader) =>
    finishChecksum(sumWords(frame, covered + header, at, end)) === 0;
  switch (protocol) {
    case 'tcp':
      return (
        tcpLength(transport) >= headerLengths.tcp && tcpLength(transport) <= length && isSound()
      );
    // does without a checksum over IPv4 (RFC 768), not over IPv6 (RFC 8200, section 8.1); Linux
    // makes no difference there (net/netfilter/nf_conntrack_proto_udp.c, udp_error)
    case 'udp':
      return (
        view.getUint16(at + 4) >= headerLengths.udp &&
        view.getUint16(at + 4) <= length &&
        ((mayLackChecksum && view.getUint16(at + 6) === 0) || isSound())
      );
    case 'sctp':
      return (
        (behaviour.datapath === 'in the kernel' || hasWholeChunks(transport)) &&
        sctpChecksum(frame.subarray(at, end)) === view.getUint32(at + 8)
      );
    case 'icmp':
      return isSound(family === 'ipv4' ? 0 : pseudoHeader);
    default:
      return true;
  }
}

/** Of a whole TCP header, options and all. */
export function tcpLength({ view, at }: Transport): number {
  return (view.getUint8(at + 12) >>> 4) * 4;
}

const noOptions = new Uint8Array();

function segmentOf(transport: Transport): TrackedSegment {
  const { frame, view, at, end } = transport;
  const length = tcpLength(transport);
  return {
    sequence: view.getUint32(at + 4),
    acknowledgement: view.getUint32(at + 8),
    flags: view.getUint8(at + 13),
    window: view.getUint16(at + 14),
    options:
      length > headerLengths.tcp ? frame.subarray(at + headerLengths.tcp, at + length) : noOptions,
    payloadLength: end - at - length,
  };
}

/** Linux takes what a chunk says of its length for true, up to the end of the packet. */
function chunksOf({ frame, view, at, end }: Transport): TrackedChunks {
  const chunks: TrackedChunks['chunks'][number][] = [];
  for (let next = at + headerLengths.sctp; next + 4 <= end; ) {
    const length = view.getUint16(next + 2);
    const [type, flags] = [view.getUint8(next), view.getUint8(next + 1)];
    chunks.push({ type, flags, length, value: frame.subarray(next + 4, end) });
    if (length === 0) break;
    next += Math.ceil(length / 4) * 4;
  }
  return { tag: view.getUint32(at + 4), chunks };
}

/**
 * Chunks of SCTP are padded to multiples of four bytes, and the last one ends where the packet does
 * (RFC 9260, section 3.2).
 */
function hasWholeChunks({ view, at, end }: Transport): boolean {
  let next = at + headerLengths.sctp;
  while (next + 4 <= end) {
    const length = view.getUint16(next + 2);
    if (length < 4) return false;
    next += Math.ceil(length / 4) * 4;
  }
  return next === end;
}
