/**
 * Rounds of the revalidators, which push what cached packets have counted, look the cache through, and are what expiry of flows waits
 * for (Open vSwitch ofproto/ofproto-dpif-upcall.c, udpif_revalidator; ofproto-dpif.c, run). By themselves they come some time after a change.
 */
import { connectUnixctl, type Unixctl } from '../../ovs/unixctl.js';
import { socketPath } from '../../ovs/socket-path.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import { until } from './condition.js';

export interface Revalidation {
  /** Settles when a whole round that began now is over, and its consequences are carried out. */
  round(): Promise<void>;
  close(): Promise<void>;
}

/** With a connection of its own from the first round on, for what is answered late: a daemon reads no further on one before it has answered. */
export function revalidationOf({ dir, vswitchd }: Vswitch): Revalidation {
  let late: Promise<Unixctl> | undefined;
  return {
    round: async () => {
      late ??= connectUnixctl(socketPath(dir, 'ovs-vswitchd.ctl'), vswitchd).catch(async () => { throw await vswitchd.whyEnded(); });
      await wholeRound(vswitchd.unixctl, await late);
    },
    close: async () => (await late?.catch(() => undefined))?.close(),
  };
}

const limitMs = 10_000;

/**
 * Revalidators stop between two rounds: one that ends after `wait`, which is read in one piece with `pause`, has begun after the call. They begin it when they
 * go on, unless they are to stop again by then; to stop them again waits for it, and the daemon tells of its end once its main loop goes round.
 */
async function wholeRound({ call }: Unixctl, late: Unixctl): Promise<void> {
  let left: readonly string[] = ['it is under way'];
  let paused = late.call('revalidator/pause');
  const over = late.call('revalidator/wait').then(() => (left = []));
  await Promise.all([over, until('a round of the revalidators to end', limitMs, async () => {
    await paused;
    await Promise.all([call('revalidator/resume'), ...twoTurns(call)]);
    if (left.length > 0) paused = call('revalidator/pause');
    return left;
  })]);
}

/**
 * The daemon's main loop has gone round twice, all bridges had their turn both times: it tells what it uses where it begins the next (vswitchd/ovs-vswitchd.c,
 * main), and reads no further before. What a round leads to is carried out in the first, and what that leads to in the second.
 */
function twoTurns(call: Unixctl['call']): readonly Promise<unknown>[] {
  return [call('memory/show'), call('memory/show'), call('version')];
}
