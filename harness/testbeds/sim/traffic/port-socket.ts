/**
 * The wire of a port of the sim: a unix socket that the switch connects to, and sends its frames
 * through.
 */
import { createServer, type Socket } from 'node:net';

/** What is attached to a port from outside, so that frames come out of the switch and into it. */
export interface Wire {
  readonly port: string;
  /** The port's device, as table Interface has it; of an internal port its options alone count. */
  readonly device: {
    readonly type: 'dummy' | 'system';
    readonly options: Readonly<Record<string, string>>;
  };
  /** When the switch has connected. */
  readonly connected: Promise<void>;
  /** Frames that came from the switch since the beginning. */
  readonly arrived: () => number;
  /**
   * So many of them the switch's device answers by itself: the answers go in without having been
   * written.
   */
  readonly answered: () => number;
  /** Resolves when more frames come. */
  readonly more: () => Promise<void>;
  /** The frames that came since it was last asked, in order. */
  take(): readonly Uint8Array[];
  close(): Promise<void>;
}

/**
 * Listens at `path` for the switch to connect as `options:stream=unix:PATH` asks for; `answers`
 * says which frames the switch's device answers.
 */
export async function listenPort(
  port: string,
  path: string,
  answers: (frame: Uint8Array) => boolean,
): Promise<Wire> {
  const split = frameSplitter();
  let socket: Socket | undefined;
  const waiting: Uint8Array[] = [];
  let [total, answered] = [0, 0];
  let notify: () => void = () => undefined;

  const server = createServer();
  const connected = new Promise<void>((resolve) => {
    server.on('connection', (connection) => {
      // The switch recreates a port whose number changes: the last connection counts.
      socket?.destroy();
      socket = connection;
      connection.on('data', (chunk) => {
        const frames = split(chunk);
        total += frames.length;
        answered += frames.filter(answers).length;
        waiting.push(...frames);
        notify();
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
    port,
    device: { type: 'dummy', options: { stream: `unix:${path}` } },
    connected,
    arrived: () => total,
    answered: () => answered,
    more: () => new Promise((resolve) => (notify = resolve)),
    take: () => waiting.splice(0),
    close: async () => {
      socket?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Frames as they stand on the socket of a dummy port, a 16-bit big-endian length before each: a
 * function of the stream's next chunk that returns the frames it completes.
 */
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
