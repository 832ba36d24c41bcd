import { Unavailable } from './errors.js';

/**
 * The one place with a real-time timer: it exists only to give up. `work` is not stopped by it, so the caller
 * tears down what it belongs to. No other file in harness/ may call setTimeout (a test enforces it).
 * @throws Unavailable when `limitMs` pass before `work` settles; `what` completes "gave up after … waiting for".
 */
export async function withDeadline<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable(`gave up after ${limitMs / 1000} s waiting for ${what}`)), limitMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
