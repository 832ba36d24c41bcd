/** Of frames what a migration is judged by: echo requests and replies, and segments of TCP. */
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';
import type { SeenFrame } from '../live-network.js';

export interface Echo {
  readonly kind: 'request' | 'reply';
  readonly src: string;
  readonly dst: string;
  /** Identifier and sequence number, which a reply has of its request (RFC 792). */
  readonly key: string;
}

export interface TcpSegment {
  readonly src: string;
  readonly dst: string;
  readonly ports: string;
  readonly sequence: number;
  readonly data: Uint8Array;
  readonly isReset: boolean;
  readonly begins: boolean;
}

interface Ipv4Packet {
  readonly protocol: number;
  readonly src: string;
  readonly dst: string;
  readonly payload: Buffer;
}

const [icmp, tcp] = [1, 6];
const ethernetBytes = 14;

function ipv4In(frame: Uint8Array): Ipv4Packet | undefined {
  const view = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.length < ethernetBytes + 20) return undefined;
  if (view.readUInt16BE(ethernetBytes - 2) !== etherTypes.ipv4) return undefined;
  const packet = view.subarray(ethernetBytes);
  const [header, length] = [(packet.readUInt8(0) & 15) * 4, packet.readUInt16BE(2)];
  return {
    protocol: packet.readUInt8(9),
    src: packet.subarray(12, 16).join('.'),
    dst: packet.subarray(16, 20).join('.'),
    // Short frames are padded.
    payload: packet.subarray(header, length),
  };
}

export function echoIn({ frame }: SeenFrame): Echo | undefined {
  const packet = ipv4In(frame);
  if (packet?.protocol !== icmp || packet.payload.length < 8) return undefined;
  const { src, dst, payload } = packet;
  const type = payload.readUInt8(0);
  if (type !== 0 && type !== 8) return undefined;
  const key = `${payload.readUInt16BE(4)} ${payload.readUInt16BE(6)}`;
  return { kind: type === 8 ? 'request' : 'reply', src, dst, key };
}

export function segmentIn({ frame }: SeenFrame): TcpSegment | undefined {
  const packet = ipv4In(frame);
  if (packet?.protocol !== tcp || packet.payload.length < 20) return undefined;
  const { src, dst, payload } = packet;
  const flags = payload.readUInt8(13);
  return {
    src,
    dst,
    ports: `${payload.readUInt16BE(0)} ${payload.readUInt16BE(2)}`,
    sequence: payload.readUInt32BE(4),
    data: payload.subarray((payload.readUInt8(12) >> 4) * 4),
    isReset: (flags & tcpFlags.RST) !== 0,
    begins: (flags & tcpFlags.SYN) !== 0,
  };
}
