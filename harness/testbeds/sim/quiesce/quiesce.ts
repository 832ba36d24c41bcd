/** What packets and time lead to inside of a switch some while later, brought about at once. */
import { yieldToEventLoop } from '../../../base/concurrency/yield-to-event-loop.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { areThreadsAsleep } from '../../../ovs/process/threads-asleep.js';
import type { Vswitch } from '../../../ovs/vswitch.js';
import { until } from '../../../base/concurrency/until.js';
import type { FlowCounters } from '../observe/flow-counters.js';
import type { ProgramState } from '../observe/program-state.js';
import type { Revalidation } from './revalidation.js';
import type { ProgramUse } from '../../ovs-switches.js';
import { giveUpMs } from '../../../base/concurrency/deadline.js';

export interface Quiesce {
  /**
   * What cached packets count, learn and keep from expiring counts now, where flows depend on it: a
   * change would otherwise come before it.
   */
  now(): Promise<void>;
  /**
   * The same behind packets, some of which the cache may have answered: their consequences follow
   * later, and the cache follows later still.
   */
  afterPackets(packets: 'translated' | 'cached'): Promise<void>;
  /**
   * The same where learned addresses depend on it, which age: before so many milliseconds pass.
   * @param effect whether there is anything that they could matter to.
   */
  beforeTime(ms: number, effect: 'on nothing' | 'on what is there'): Promise<void>;
  /** What time is over for is gone. */
  afterTime(): Promise<void>;
  /** Flows have been deleted: they are gone. */
  afterDeletion(): Promise<void>;
  /** Nothing is learned any more. */
  begin(): void;
}

export function quiesceOf(
  plan: NodePlan,
  use: ProgramUse,
  programs: ProgramState,
  { purge }: FlowCounters,
  revalidation: Revalidation,
  vswitch: Vswitch,
): Quiesce {
  const { whileAlive } = vswitch;
  const round = () => whileAlive(revalidation.rounds(1));
  const twoRounds = () => whileAlive(revalidation.rounds(2));
  /** Two rounds, the first of which may make flows expire. */
  const expiring = async () => {
    await round();
    await waitForRcu(plan.node, vswitch);
    await round(); // what is gone is in the cache until then
  };
  if (use !== 'brought back') {
    const purgeCached = use === 'replaced' ? purge : () => Promise.resolve();
    // With nothing cached there is nothing to be looked through, and the end of a round makes flows
    // expire.
    const expire = async () => {
      await round();
      await purgeCached();
    };
    const now = async () => {
      if (programs.isVolatile()) await purgeCached();
      if (programs.hasFinTimeouts()) await expire();
    };
    return {
      now,
      afterPackets: async () => void (programs.learns() && (await now())),
      beforeTime: async (_, effect) =>
        void (effect === 'on what is there' && programs.isTimed() && (await purgeCached())),
      afterTime: async () => void (programs.isTimed() && (await expire())),
      afterDeletion: () => Promise.resolve(),
      begin: () => undefined,
    };
  }
  const shortestMs = minMacAgeMs(plan);
  /** Of the testbed's time, which stood at a whole second when the daemon's clock was stopped. */
  let [nowMs, beganMs] = [0, 0];
  return {
    now: async () => void (programs.isVolatile() && (await round())),
    afterPackets: async (packets) => {
      if (!programs.learns() || !programs.isVolatile()) return;
      if (packets === 'translated') await round();
      else await (programs.hasFinTimeouts() ? expiring() : twoRounds());
    },
    // Addresses age by the daemon's whole seconds; flows do by its milliseconds.
    beforeTime: async (ms, effect) => {
      const secondsPass = Math.floor((nowMs + ms) / secondMs) > Math.floor(nowMs / secondMs);
      const isCounted = programs.learns() && programs.isVolatile(); // behind the packets
      if (
        effect === 'on what is there' &&
        !isCounted &&
        (programs.isVolatile() || (secondsPass && programs.isTimed()))
      )
        await round();
      nowMs += ms;
    },
    afterTime: async () => {
      if (
        !programs.isVolatile() &&
        !(programs.isTimed() && nowMs - beganMs >= shortestMs - secondMs)
      )
        return;
      await expiring();
    },
    afterDeletion: async () => void (programs.learns() && (await waitForRcu(plan.node, vswitch))),
    begin: () => (beganMs = nowMs),
  };
}

/**
 * As long as bridges remember addresses (mac-aging-time in ovs-vswitchd.conf.db(5)), at least;
 * where they snoop, what is learned ages otherwise: then as if at once.
 */
function minMacAgeMs({ bridges }: NodePlan): number {
  const [usual, most] = [300, 3600];
  return Math.min(
    ...bridges.map(({ macTable, multicastSnooping }) =>
      multicastSnooping === undefined ? Math.min(macTable?.ageingS ?? usual, most) * 1000 : 0,
    ),
  );
}

const secondMs = 1000;
const limitMs = giveUpMs;

/**
 * Flows that are deleted match nothing from then on, but stay in their tables until a separate
 * thread takes them out, once no other reads them any more (Open vSwitch ofproto/ofproto.c,
 * remove_rules_postponed; lib/ovs-rcu.c). Until then megaflows still distinguish what only they did
 * (lib/classifier.c, find_match_wc), so a megaflow may live on, changed, where it would have been
 * deleted; and what such an entry counts of a packet that makes a flow learn is counted where that
 * packet would go afterwards. That they are gone shows only in that the daemon has nothing left to
 * do.
 */
async function waitForRcu(node: string, { vswitchd, checkAlive }: Vswitch): Promise<void> {
  await until(`node ${node} to be done with flows that were deleted`, limitMs, async () => {
    await yieldToEventLoop();
    await checkAlive();
    return areThreadsAsleep(vswitchd.pid) ? [] : ['some of its threads are at work'];
  });
}
