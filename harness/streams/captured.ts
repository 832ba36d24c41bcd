/** What was seen to cross a device, and what of it is a stream's data. */
import { BugInFlowbed, Unavailable } from '../base/errors/errors.js';
import { tcpFlags } from '../packet/protocols/transport/tcp.js';
import { ipv4Number } from '../base/addresses/mac-and-ipv4.js';

export interface CapturedFrame {
  readonly direction: 'in' | 'out';
  readonly atNs: bigint;
  /** With Ethernet's header. */
  readonly bytes: number;
  /** The first of its bytes. */
  readonly head: Uint8Array;
}

/** A line of the capture program. */
export function parseCaptured(line: string): CapturedFrame {
  const [, direction, at, bytes, hex] = /^(in|out) (\d+) (\d+) ([0-9a-f]*)$/.exec(line) ?? [];
  if (direction === undefined || at === undefined || hex === undefined)
    throw new BugInFlowbed(`a capture has the line ${JSON.stringify(line)}`);
  return {
    direction: direction === 'in' ? 'in' : 'out',
    atNs: BigInt(at),
    bytes: Number(bytes),
    head: Uint8Array.from(Buffer.from(hex, 'hex')),
  };
}

/**
 * The frames of a capture that has ended, by the lines of its program.
 * @param what it is, in words.
 * @throws Unavailable where it has lost frames: then nothing can be said of what it has not seen.
 */
export function framesOf(what: string, lines: readonly string[]): readonly CapturedFrame[] {
  const frames = lines.filter((line) => /^(in|out) /.test(line)).map(parseCaptured);
  const [, counted, dropped] = /^done (\d+) (\d+)$/.exec(lines.at(-1) ?? '') ?? [];
  if (counted === undefined)
    throw new Unavailable(
      `${what} has not ended: its last line is ${JSON.stringify(lines.at(-1))}`,
    );
  if (frames.length !== Number(counted))
    throw new Unavailable(
      `${what} has lost ${Number(counted) - frames.length} of ${counted} frames, ${dropped} of ` +
        "them for want of room in its socket's buffer",
      ['try again where fewer others are at work'],
    );
  return frames;
}

/** A packet of a stream, from its sender: data, and of TCP how it begins and ends. */
export interface DataPacket {
  readonly atNs: bigint;
  /** Of the frame, with Ethernet's header. */
  readonly bytes: number;
  /** Bytes of data. */
  readonly payload: number;
  /** Numbers of the sequence that it takes: its data, SYN and FIN (RFC 9293, section 3.4). */
  readonly span: number;
  readonly sequence: number;
  /** Of IP: what two transmissions of the same data differ in. */
  readonly id: number;
}

/** A stream's two ends, by address. */
export interface StreamEnds {
  readonly protocol: 'tcp' | 'udp';
  readonly from: string;
  readonly to: string;
}

/** The data of a stream among frames, whatever they are wrapped in: from its sender alone. */
export function dataOf(
  frames: readonly CapturedFrame[],
  direction: CapturedFrame['direction'],
  ends: StreamEnds,
): readonly DataPacket[] {
  const addresses = Buffer.alloc(8);
  addresses.writeUInt32BE(ipv4Number(ends.from), 0);
  addresses.writeUInt32BE(ipv4Number(ends.to), 4);
  return frames
    .filter((frame) => frame.direction === direction)
    .flatMap((frame) => dataIn(frame, ends.protocol, addresses) ?? []);
}

function dataIn(
  { atNs, bytes, head }: CapturedFrame,
  protocol: StreamEnds['protocol'],
  addresses: Buffer,
): DataPacket | undefined {
  const view = Buffer.from(head);
  const ip = view.indexOf(addresses) - 12;
  if (ip < 0 || view.readUInt8(ip + 9) !== (protocol === 'tcp' ? 6 : 17)) return undefined;
  const transport = ip + (view.readUInt8(ip) & 15) * 4;
  const header = protocol === 'tcp' ? (view.readUInt8(transport + 12) >> 4) * 4 : 8;
  // By the length of the frame: that of a super-packet does not go into IP's.
  const payload = bytes - transport - header;
  const flags = protocol === 'tcp' ? view.readUInt8(transport + 13) : 0;
  const span = payload + ((flags & tcpFlags.SYN) === 0 ? 0 : 1) + (flags & tcpFlags.FIN);
  if (span === 0) return undefined;
  const sequence = protocol === 'tcp' ? view.readUInt32BE(transport + 4) : 0;
  return { atNs, bytes, payload, span, sequence, id: view.readUInt16BE(ip + 4) };
}
