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
  /** Settles when some round has ended, and its consequences are carried out. */
  end(): Promise<void>;
}

/**
 * With a connection of its own for what is answered late: a daemon reads no further on one before it has answered. It stands no longer than it is
 * needed: a daemon reads ten times from each connection whenever its main loop goes round (lib/unixctl.c, run_connection).
 */
export function revalidationOf({ dir, vswitchd }: Vswitch): Revalidation {
  const { unixctl } = vswitchd;
  const ends = async (count: number) => {
    const late = await connectUnixctl(socketPath(dir, 'ovs-vswitchd.ctl'), vswitchd).catch(async () => { throw await vswitchd.whyEnded(); });
    try {
      for (let ended = 0; ended < count; ended++) await endOfRound(unixctl, late);
    } finally {
      late.close();
    }
    await turn(unixctl.call);
  };
  // Whatever was under way, the second of two rounds that end has begun after the call.
  return { round: () => ends(2), end: () => ends(1) };
}

const limitMs = 10_000;

/** To hold the revalidators up makes them begin a round afterwards, and the daemon tells of its end once its main loop goes round. */
async function endOfRound({ call }: Unixctl, late: Unixctl): Promise<void> {
  let left: readonly string[] = ['it is under way'];
  const over = late.call('revalidator/wait').then(() => (left = []));
  await Promise.all([over, until('a round of the revalidators to end', limitMs, async () => {
    await Promise.all([call('revalidator/pause'), call('revalidator/resume')]);
    await turn(call);
    return left;
  })]);
}

/** The daemon's main loop has gone round: all connections were read, and all bridges had their turn. */
async function turn(call: Unixctl['call']): Promise<void> {
  await call('version');
  await call('version');
}
