/**
 * The wire of a port of the sim: a unix socket that the switch connects to, and sends its frames
 * through.
 */
import { listenFrames } from './frame-socket.js';

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
  const waiting: Uint8Array[] = [];
  let [total, answered] = [0, 0];
  let notify: () => void = () => undefined;
  // The switch recreates a port whose number changes: it connects again.
  const { connected, close } = await listenFrames(path, portLengthBytes, (frames) => {
    total += frames.length;
    answered += frames.filter(answers).length;
    waiting.push(...frames);
    notify();
  });
  return {
    port,
    device: deviceAt(path),
    connected,
    arrived: () => total,
    answered: () => answered,
    more: () => new Promise((resolve) => (notify = resolve)),
    take: () => waiting.splice(0),
    close,
  };
}

/** Of a frame on the socket of a dummy port. */
export const portLengthBytes = 2;

/** A port that connects to a socket. */
export function deviceAt(path: string): Wire['device'] {
  return { type: 'dummy', options: { stream: `unix:${path}` } };
}
