import { Unavailable } from '../../base/errors/errors.js';
import type { Vswitch } from '../../ovs/vswitch.js';

const remedies = [
  'if something killed it, find out what: dmesg names what ran out of memory, ulimit -a the limits',
  'if it ended by itself, that is a bug of it, and its last words say where: try another --image',
];

/**
 * Resolves or rejects as `work` does, or fails at once where a switch ends: OVN waits for a switch
 * that is gone until its limit passes, and then names a counter.
 * @throws Unavailable with the last lines of the log of a switch that has ended.
 */
export async function whileSwitchesLive<T>(
  vswitches: ReadonlyMap<string, Vswitch>,
  work: Promise<T>,
): Promise<T> {
  const live = [...vswitches.values()];
  try {
    return await live.reduce((watched, vswitch) => vswitch.whileAlive(watched), work);
  } catch (error) {
    const dead = await Promise.all(
      live.map((vswitch) =>
        vswitch.checkAlive().then(
          () => undefined,
          (reason: unknown) => reason,
        ),
      ),
    );
    const death = dead.find((reason) => reason instanceof Unavailable);
    if (death === undefined) throw error;
    throw new Unavailable(death.message, remedies, death.evidence);
  }
}

/** The same of what is to be stopped: where a switch ends first, once it is there or has failed. */
export async function startedWhileLive<T extends { stop(): Promise<void> }>(
  vswitches: ReadonlyMap<string, Vswitch>,
  starting: Promise<T>,
): Promise<T> {
  try {
    return await whileSwitchesLive(vswitches, starting);
  } catch (error) {
    await starting.then(
      (late) => late.stop(),
      () => undefined,
    );
    throw error;
  }
}
