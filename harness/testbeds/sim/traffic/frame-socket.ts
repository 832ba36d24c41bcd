/** Frames over a unix stream socket, the length of each before it, as a number in big endian. */
import { createServer, type Socket } from 'node:net';

export interface FrameSocket {
  /** When somebody has connected. */
  readonly connected: Promise<void>;
  /** Lost where nobody is connected, as on a cable that ends nowhere. */
  send(frame: Uint8Array): void;
  close(): Promise<void>;
}

/** Bytes of a frame's length. */
export type LengthBytes = 2 | 4;

/**
 * Listens at `path`; of those that connect one after the other the last counts.
 * @param onFrames gets the frames that came, in order.
 */
export async function listenFrames(
  path: string,
  lengthBytes: LengthBytes,
  onFrames: (frames: readonly Uint8Array[]) => void,
): Promise<FrameSocket> {
  const split = frameSplitter(lengthBytes);
  let socket: Socket | undefined;
  const server = createServer();
  const connected = new Promise<void>((resolve) => {
    server.on('connection', (connection) => {
      socket?.destroy();
      socket = connection;
      connection.on('data', (chunk) => {
        onFrames(split(chunk));
      });
      connection.on('error', () => undefined); // 'close' follows
      connection.on('close', () => {
        if (socket === connection) socket = undefined;
      });
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    connected,
    send: (frame) => {
      const length = Buffer.alloc(lengthBytes);
      length.writeUIntBE(frame.length, 0, lengthBytes);
      socket?.write(Buffer.concat([length, frame]));
    },
    close: async () => {
      socket?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A function of the stream's next chunk that returns the frames that it completes. */
export function frameSplitter(lengthBytes: LengthBytes): (chunk: Uint8Array) => Uint8Array[] {
  let rest = Buffer.alloc(0);
  const lengthAt = (bytes: Buffer, at: number) => bytes.readUIntBE(at, lengthBytes);
  return (chunk) => {
    const frames: Uint8Array[] = [];
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    while (start + lengthBytes <= bytes.length) {
      const end = start + lengthBytes + lengthAt(bytes, start);
      if (end > bytes.length) break;
      frames.push(Uint8Array.from(bytes.subarray(start + lengthBytes, end)));
      start = end;
    }
    rest = bytes.subarray(start);
    return frames;
  };
}
