/** The wire of one switch port: a unix socket that the switch connects to and that carries frames both ways. */
import { createServer, type Socket } from 'node:net';
import { assert } from '../../base/errors.js';

export interface PortSocket {
  readonly port: string;
  readonly path: string;
  /** When the switch has connected. */
  readonly connected: Promise<void>;
  /** Frames since the beginning, towards the switch and from it. */
  readonly totals: () => { readonly written: number; readonly read: number };
  /** Frames of 14 to 65,535 bytes. What is written while the switch is not connected is lost, and so never counted in. */
  write(frames: readonly Uint8Array[]): void;
  /** The frames that came since it was last asked, in order. */
  take(): readonly Uint8Array[];
  close(): Promise<void>;
}

const shortestFrame = 14;
const longestFrame = 0xffff;

/** Listens at `path` for the switch to connect as `options:stream=unix:PATH` tells it to. */
export async function listenPort(port: string, path: string): Promise<PortSocket> {
  const split = frameSplitter();
  let socket: Socket | undefined;
  let arrived: Uint8Array[] = [];
  let written = 0;
  let read = 0;

  const server = createServer();
  const connected = new Promise<void>((resolve) => {
    server.on('connection', (connection) => {
      socket = connection;
      connection.on('data', (chunk) => {
        const frames = split(chunk);
        read += frames.length;
        arrived.push(...frames);
      });
      connection.on('error', () => undefined); // 'close' follows
      connection.on('close', () => (socket = undefined));
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));

  return {
    port, path, connected,
    totals: () => ({ written, read }),
    write: (frames) => {
      socket?.write(encodeFrames(frames));
      written += frames.length;
    },
    take: () => {
      const frames = arrived;
      arrived = [];
      return frames;
    },
    close: async () => {
      socket?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Frames as they stand on the socket of a dummy port: a 16-bit big-endian length before each. */
export function encodeFrames(frames: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(frames.flatMap((frame) => {
    assert(frame.length >= shortestFrame && frame.length <= longestFrame, `a frame has ${shortestFrame} to ${longestFrame} bytes, not ${frame.length}`);
    return [Uint8Array.of(frame.length >> 8, frame.length & 0xff), frame];
  }));
}

/** The inverse of `encodeFrames` on a stream: each call takes the next chunk and returns the frames that it completes. */
export function frameSplitter(): (chunk: Uint8Array) => Uint8Array[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const frames: Uint8Array[] = [];
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    while (start + 2 <= bytes.length && start + 2 + bytes.readUInt16BE(start) <= bytes.length) {
      const end = start + 2 + bytes.readUInt16BE(start);
      frames.push(Uint8Array.from(bytes.subarray(start + 2, end)));
      start = end;
    }
    rest = bytes.subarray(start);
    return frames;
  };
}
