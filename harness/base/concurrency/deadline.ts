import { Unavailable } from '../errors/errors.js';

const parts = 10;

/** In one step where time passes only while all wait for it. */
const stepMs = 100;

/**
 * How long a daemon may take for one thing. Whoever waits hears at once of one that ends; so this
 * is for one that hangs, and longer than a machine takes that starts a thousand others.
 */
export const giveUpMs = 60_000;

/**
 * The one place with a real-time timer: it exists only to give up. `work` is not stopped by it, so
 * the caller tears down what it belongs to. No other file in harness/ may call setTimeout (a test
 * enforces it). The limit passes in parts: while this very process is busy or stopped for long, and
 * cannot see what has come, at most one of them does.
 * @throws Unavailable when `limitMs` pass before `work` resolves; `what` completes "gave up after …
 *   waiting for".
 */
export async function withDeadline<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    let left = parts;
    const pass = (): void => {
      if (left-- === 0)
        reject(new Unavailable(`gave up after ${limitMs / 1000} s waiting for ${what}`));
      else timer = setTimeout(pass, limitMs / parts);
    };
    pass();
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** For who asks again and again in a world in which that takes no time: limits would never come. */
export function letTimePass(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, stepMs));
}
