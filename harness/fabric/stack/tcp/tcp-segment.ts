/**
 * TCP segments as hosts make them, and sequence numbers, which wrap around (RFC 9293, section 3.4).
 */
import type { InterjectedSegment } from '../../../domain/test-vector.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { IpAddresses } from '../../../packet/protocols/ip/pseudo-header.js';
import { encodeTcp, tcpFlags, type TcpHeader } from '../../../packet/protocols/transport/tcp.js';
import type { Effect, Host } from '../host.js';
import { sendIp } from '../send-ip.js';
import type { Ends, Segment } from './connection-state.js';

/** Room for what a host has not read yet; no host here is ever behind. */
export const receiveWindow = 65_535;

/**
 * The most that one segment carries, announced to the peer in the option of that name (RFC 9293,
 * section 3.7.1): 1500 bytes, less the headers and the tunnel's.
 */
export const maximumSegmentSize = 1410;

export function sequenceAfter(sequence: number, length: number): number {
  return (sequence + length) >>> 0;
}

/** How far `b` is ahead of `a`; negative when it is behind. */
export function distance(a: number, b: number): number {
  return (b - a) | 0;
}

/** What a segment takes of the sequence: its bytes, and one each for SYN and FIN. */
export function lengthOf({
  flags,
  payload,
}: {
  readonly flags: number;
  readonly payload: Uint8Array;
}): number {
  return (
    payload.length + ((flags & tcpFlags.SYN) === 0 ? 0 : 1) + ((flags & tcpFlags.FIN) === 0 ? 0 : 1)
  );
}

/** Puts a segment on the way to the other end. A SYN says how large segments may be. */
export function sendSegment(
  host: Host,
  { local, remote, ttl }: Ends,
  segment: Segment,
): readonly Effect[] {
  const header: TcpHeader = {
    srcPort: local.port,
    dstPort: remote.port,
    sequence: segment.sequence,
    acknowledgement: (segment.flags & tcpFlags.ACK) === 0 ? 0 : segment.acknowledgement,
    flags: segment.flags,
    window: receiveWindow,
    urgentPointer: 0,
    options:
      (segment.flags & tcpFlags.SYN) === 0
        ? new Uint8Array()
        : Uint8Array.of(2, 4, maximumSegmentSize >> 8, maximumSegmentSize & 0xff),
  };
  return sendIp(host, {
    src: local.ip,
    dst: remote.ip,
    ttl,
    protocol: ipProtocols.tcp,
    encode: (addresses) => encodeSegment(header, segment, addresses),
  });
}

/** The bytes of a segment; a wrong checksum is the right one with its last bit turned. */
export function encodeSegment(
  header: TcpHeader,
  { payload, checksum }: Pick<Segment, 'payload' | 'checksum'>,
  addresses: IpAddresses,
): Uint8Array {
  const bytes = encodeTcp(header, payload, addresses);
  return checksum === 'right' ? bytes : bytes.with(17, (bytes[17] ?? 0) ^ 1);
}

const farAhead = 0x4000_0000;

/** A segment that does not belong, at `sequence` of a connection that stands. */
export function interjected(
  name: InterjectedSegment,
  sequence: number,
  acknowledgement: number,
): Segment {
  const data: Segment = {
    sequence,
    acknowledgement,
    flags: tcpFlags.PSH | tcpFlags.ACK,
    payload: Uint8Array.of(0x2a),
    checksum: 'right',
  };
  switch (name) {
    case 'out-of-window':
      return { ...data, sequence: sequenceAfter(sequence, farAhead) };
    case 'syn-fin':
      return { ...data, flags: tcpFlags.SYN | tcpFlags.FIN, payload: new Uint8Array() };
    case 'bad-checksum':
      return { ...data, checksum: 'wrong' };
  }
}
