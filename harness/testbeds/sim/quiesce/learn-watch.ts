/**
 * Whether packets have met flows that learn. Where none has, nothing was learned, and nothing that
 * is cached learns: nothing needs to quiesce.
 */
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { CacheLookups } from '../../../domain/switching.js';
import type { Unixctl } from '../../../ovs/unixctl.js';
import type { ProgramState } from '../observe/program-state.js';

export interface LearnWatch {
  /** Packets are to come. */
  beforePackets(): Promise<void>;
  /**
   * They have been processed: `programs` records whether they may have met flows that learn.
   * @param from where they came from.
   */
  afterPackets(from?: 'ports' | 'a controller'): Promise<void>;
  /** Flows have changed, or their counters. */
  forget(): void;
}

/** What of a node says what packets may have met that its flows have not counted yet. */
export interface WatchedNode {
  readonly plan: () => NodePlan;
  /** Lookups in the datapath's cache, as they stood when it was last quiet. */
  readonly lookups: () => CacheLookups;
  /** How many packets a controller that the plan does not have has answered by then. */
  readonly answered: () => number;
  /** What ways from one bridge into another depend on, as it stood then. */
  readonly ways: () => string;
}

/** How things stood when packets were last known not to have met a flow that learns. */
interface Unmet {
  readonly learnFlowPackets: number;
  readonly missed: number;
  readonly answered: number;
  readonly ways: string;
}

/**
 * When Open vSwitch translates a packet, which its cache missed, it counts it at once for each flow
 * that it meets (ofproto/ofproto-dpif-upcall.c, upcall_xlate), and so it does where a controller
 * has it send one. What the cache carries is counted later; but a translation made it, and where it
 * is translated again it meets the same flows of a bridge that it entered from outside: the tables
 * are what they were until something is learned, and of what else changes by itself (learned
 * addresses, neighbours) only the ways out of a bridge depend. A packet that comes out of another
 * bridge by a cable meets the same flows as long as these ways are what they were: one that is
 * flooded for want of an address goes to one of these ports once it is learned. Where packets can
 * come out of a cable that is not flooded, of the underlay, of groups, or of a controller of the
 * plan's, it is not known: they may have met them.
 */
export function learnWatchOf(
  { plan, lookups, answered, ways }: WatchedNode,
  { call }: Unixctl,
  programs: ProgramState,
): LearnWatch {
  let before: Unmet | undefined;
  const learningBridges = () =>
    plan().bridges.filter(({ name }) => programs.learnsAt(name) !== 'never');
  const isObservable = ({ name, underlay, controllers = [] }: BridgePlan) =>
    programs.learnsAt(name) === 'by flows' &&
    underlay === undefined &&
    controllers.length === 0 &&
    !plan().bridges.some(hasCableWithoutFloods);
  const learnFlowPackets = async () =>
    learnFlowPacketsIn(
      (
        await Promise.all(learningBridges().map(({ name }) => call('bridge/dump-flows', name)))
      ).join('\n'),
    );
  const waysInto = () => (learningBridges().some(hasCable) ? ways() : '');
  const note = () => {
    programs.noteLearnHit();
    before = undefined;
  };
  const mayLearn = () => !programs.isVolatile() && programs.learns();
  return {
    beforePackets: async () => {
      if (before !== undefined || !mayLearn()) return;
      if (learningBridges().every(isObservable))
        before = {
          learnFlowPackets: await learnFlowPackets(),
          missed: lookups().missed,
          answered: answered(),
          ways: waysInto(),
        };
      else note();
    },
    afterPackets: async (from = 'ports') => {
      if (before === undefined) {
        if (from === 'a controller' && mayLearn()) note();
        return;
      }
      const now = { missed: lookups().missed, answered: answered(), ways: waysInto() };
      if (now.ways !== before.ways) {
        note();
        return;
      }
      if (from === 'ports' && now.missed === before.missed && now.answered === before.answered)
        return;
      before = { ...before, ...now };
      if ((await learnFlowPackets()) !== before.learnFlowPackets) note();
    },
    forget: () => {
      before = undefined;
    },
  };
}

/** Whether packets come into it out of another bridge. */
function hasCable({ ports }: BridgePlan): boolean {
  return ports.some(({ kind }) => kind === 'patch');
}

/** Whether a packet that is flooded does not go into another bridge. */
function hasCableWithoutFloods({ ports }: BridgePlan): boolean {
  return ports.some(({ kind, flood }) => kind === 'patch' && flood !== undefined);
}

/**
 * Packets that flows which learn have counted, in sum, from the output of `bridge/dump-flows`
 * (ovs-vswitchd(8)).
 */
export function learnFlowPacketsIn(dump: string): number {
  return [...dump.matchAll(/n_packets=(\d+),.*\blearn\(/g)].reduce(
    (sum, [, packets]) => sum + Number(packets),
    0,
  );
}
