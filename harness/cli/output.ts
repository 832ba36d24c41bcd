/**
 * What is printed, until it has been written, and the exit code where it cannot be.
 */
import { exitCodes, type Context } from './context.js';

/** Ends well only where what was printed could be written: a result that nobody got is none. */
export interface Output {
  /**
   * Waits for all that was printed. @returns the code to end with: `code`, or inconclusive where a
   * result was lost, but for a divergence.
   */
  drain(code: number): Promise<number>;
}

/**
 * Takes what stdout and stderr fail with. A reader who has seen enough, as `head` has, is no
 * failure, and nor is a terminal that is gone; a disk that is full is. What cannot be said on
 * stderr is said nowhere.
 */
export function watchOutput({ mute, complain }: Pick<Context, 'mute' | 'complain'>): Output {
  let writeError: Error | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'EPIPE' || (error.code === 'EIO' && process.stdout.isTTY);
    if (!isGone) writeError ??= error;
    mute();
  });
  process.stderr.on('error', () => undefined);
  return {
    drain: async (code) => {
      await Promise.all([process.stdout, process.stderr].map(flushed));
      if (writeError === undefined) return code;
      complain(
        `flowbed: what was to be printed could not be written to stdout: ${writeError.message}`,
      );
      return code === exitCodes.conforms ? exitCodes.inconclusive : code;
    },
  };
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}
