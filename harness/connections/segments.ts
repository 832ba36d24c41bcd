/**
 * Segments of one connection among frames: by the address and port of its client, which no NAT of
 * these clusters changes.
 */
import { etherTypes } from '../packet/protocols/link/ethernet.js';
import { tcpFlags } from '../packet/protocols/transport/tcp.js';
import type { CapturedFrame, DataPacket } from '../streams/captured.js';

/** The end of a connection that has opened it. */
export interface ClientEnd {
  readonly ip: string;
  readonly port: number;
}

export type Way = 'from the client' | 'to the client';

export interface Segment extends DataPacket {
  readonly way: Way;
  readonly isReset: boolean;
}

/** All segments, also those without data, in the order in which they were seen. */
export function segmentsOf(
  frames: readonly CapturedFrame[],
  client: ClientEnd,
): readonly Segment[] {
  return frames.flatMap((frame) => segmentIn(frame, client) ?? []);
}

const ethernetBytes = 14;
const geneve = { protocol: 17, port: 6081, headerBytes: 8 };
const tcp = 6;

function segmentIn({ atNs, bytes, head }: CapturedFrame, client: ClientEnd): Segment | undefined {
  const view = Buffer.from(head);
  const ip = innermostIp(view, 0);
  if (ip === undefined || view.readUInt8(ip + 9) !== tcp) return undefined;
  const transport = ip + (view.readUInt8(ip) & 15) * 4;
  const ends = [
    `${address(view, ip + 12)} ${view.readUInt16BE(transport)}`,
    `${address(view, ip + 16)} ${view.readUInt16BE(transport + 2)}`,
  ];
  const at = ends.indexOf(`${client.ip} ${client.port}`);
  if (at < 0) return undefined;
  const header = (view.readUInt8(transport + 12) >> 4) * 4;
  const flags = view.readUInt8(transport + 13);
  // By the length of IP: short frames are padded.
  const payload = view.readUInt16BE(ip + 2) - (transport - ip) - header;
  const one = (flag: number) => ((flags & flag) === 0 ? 0 : 1);
  return {
    atNs,
    bytes,
    payload,
    span: payload + one(tcpFlags.SYN) + one(tcpFlags.FIN),
    sequence: view.readUInt32BE(transport + 4),
    id: view.readUInt16BE(ip + 4),
    way: at === 0 ? 'from the client' : 'to the client',
    isReset: (flags & tcpFlags.RST) !== 0,
  };
}

/** Where the header of IP begins of what a tunnel carries, or of the packet itself. */
function innermostIp(view: Buffer, at: number): number | undefined {
  const ip = at + ethernetBytes;
  if (view.length < ip + 40 || view.readUInt16BE(ip - 2) !== etherTypes.ipv4) return undefined;
  if (view.readUInt8(ip + 9) !== geneve.protocol) return ip;
  const udp = ip + (view.readUInt8(ip) & 15) * 4;
  if (view.readUInt16BE(udp + 2) !== geneve.port) return undefined;
  const header = udp + 8;
  return innermostIp(view, header + geneve.headerBytes + (view.readUInt8(header) & 63) * 4);
}

function address(view: Buffer, at: number): string {
  return view.subarray(at, at + 4).join('.');
}
