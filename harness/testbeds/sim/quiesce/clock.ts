/**
 * The clock of a daemon, which is stopped from the start. Learned addresses age by its whole
 * seconds: these are those of the testbed's time.
 */
import type { Unixctl } from '../../../ovs/unixctl.js';
import { until } from '../../../base/concurrency/until.js';

/** On a busy machine few answers come within a millisecond. */
const limitMs = 60_000;
const second = 1000;

/**
 * Stops it at a whole second. Where it stopped (`time/stop` reads the machine's monotonic clock
 * each time, lib/timeval.c) the daemon does not say: it is known where the clock shows one
 * millisecond before and after.
 */
export async function stopClock({ call }: Unixctl): Promise<void> {
  let [before, after] = [0, 0];
  await until('the clock to stop at a millisecond that is known', limitMs, async () => {
    before = monotonicMs();
    await call('time/stop');
    after = monotonicMs();
    return before === after ? [] : [`it stopped between ${before} and ${after} ms`];
  });
  const left = (second - (after % second)) % second;
  if (left > 0) await call('time/warp', String(left), String(left));
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
