/**
 * Rounds of the revalidators, which push what cached packets have counted, look the cache through,
 * and are what expiry of flows waits for (Open vSwitch ofproto/ofproto-dpif-upcall.c,
 * udpif_revalidator; ofproto-dpif.c, run). By themselves they come some time after a change.
 */
import { connectUnixctl, type Unixctl } from '../../../ovs/unixctl.js';
import { socketPath } from '../../../ovs/workspace/socket-path.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import { until } from '../../../base/concurrency/until.js';
import { oneMainLoopIteration } from './main-loop.js';
import { giveUpMs } from '../../../base/concurrency/deadline.js';

export interface Revalidation {
  /**
   * Resolves when so many whole rounds that began now are over, one after the other, and their
   * consequences are applied.
   */
  rounds(count: 1 | 2): Promise<void>;
  close(): Promise<void>;
}

/**
 * With a connection of its own from the first round on, which resumes revalidators: a daemon reads
 * no further on the other before it has answered `wait`.
 */
export function revalidationOf({ dir, vswitchd }: Vswitch): Revalidation {
  const { call } = vswitchd.unixctl;
  let second: Promise<Unixctl> | undefined;
  return {
    rounds: async (count) => {
      second ??= connectUnixctl(socketPath(dir, 'ovs-vswitchd.ctl'), vswitchd).catch(async () => {
        throw await vswitchd.whyEnded();
      });
      const { call: meanwhile } = await second;
      let left: readonly string[] = ['it is under way'];
      const over = Promise.all(
        Array.from({ length: count }, () => wholeRound(call, meanwhile)).flat(),
      ).finally(() => {
        left = [];
      });
      // A round that ends while its bridges have their turn does not wake the main loop, which
      // answers `wait` before that (ofproto/ofproto-dpif.c: type_run, run, wait).
      await Promise.all([
        over,
        until('a round of the revalidators to end', limitMs, async () => {
          await oneMainLoopIteration(meanwhile);
          return left;
        }),
      ]);
    },
    close: async () => (await second?.catch(() => undefined))?.close(),
  };
}

const limitMs = giveUpMs;

/**
 * Revalidators stop between two rounds: the one that ends after `wait`, which is read in one piece
 * with `pause`, begins when they are resumed. The daemon reports its end where its main loop
 * applies the consequences; what those lead to is applied in the iteration behind it.
 */
function wholeRound(
  call: Unixctl['call'],
  meanwhile: Unixctl['call'],
): readonly Promise<unknown>[] {
  return [
    call('revalidator/pause').then(() => meanwhile('revalidator/resume')),
    call('revalidator/wait'),
    oneMainLoopIteration(call),
  ];
}
