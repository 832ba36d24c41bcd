/** The clock that the kernel's connection tracker goes by: it runs while packets pass. */
import type { RunningClock } from '../sim/devices.js';

/**
 * The kernel's clock and this process's are the same one (clock_gettime(2), CLOCK_MONOTONIC).
 * @param passAtKernel lets so many milliseconds of it pass.
 */
export function kernelClock(
  passAtKernel: (ms: number) => Promise<void>,
): RunningClock & { pass(ms: number): Promise<void> } {
  let [sinceMs, askedMs] = [nowMs(), 0];
  return {
    begin: () => void ([sinceMs, askedMs] = [nowMs(), 0]),
    aheadMs: () => nowMs() - sinceMs - askedMs,
    pass: async (ms) => {
      await passAtKernel(ms);
      askedMs += ms;
    },
  };
}

function nowMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
