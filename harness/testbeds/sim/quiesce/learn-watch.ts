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
  /** They have been processed: `programs` records whether they may have met flows that learn. */
  afterPackets(): Promise<void>;
  /** Flows have changed, or their counters. */
  forget(): void;
}

/**
 * When Open vSwitch translates a packet, which its cache missed, it counts it at once for each flow
 * that it meets (ofproto/ofproto-dpif-upcall.c, upcall_xlate). What the cache carries is counted
 * later; but a translation made it, and where it is translated again it meets the same flows of a
 * bridge that it entered from outside: the tables are what they were until something is learned,
 * and of what else changes by itself (learned addresses, neighbours) only the ways out of a bridge
 * depend. Where packets can come into a bridge that learns out of another, or of groups or
 * controllers, it is not known: they may have met them.
 * @param lookups in the datapath's cache, as they stood when it was last quiet.
 */
export function learnWatchOf(
  plan: () => NodePlan,
  { call }: Unixctl,
  programs: ProgramState,
  lookups: () => CacheLookups,
): LearnWatch {
  let before: { readonly learnFlowPackets: number; readonly missed: number } | undefined;
  const learningBridges = () =>
    plan().bridges.filter(({ name }) => programs.learnsAt(name) !== 'never');
  const isObservable = (bridge: BridgePlan) =>
    programs.learnsAt(bridge.name) === 'by flows' && hasOnlyExternalIngress(bridge);
  const learnFlowPackets = async () =>
    learnFlowPacketsIn(
      (
        await Promise.all(learningBridges().map(({ name }) => call('bridge/dump-flows', name)))
      ).join('\n'),
    );
  const note = () => {
    programs.noteLearnHit();
    before = undefined;
  };
  return {
    beforePackets: async () => {
      if (before !== undefined || programs.isVolatile() || !programs.learns()) return;
      if (learningBridges().every(isObservable))
        before = { learnFlowPackets: await learnFlowPackets(), missed: lookups().missed };
      else note();
    },
    afterPackets: async () => {
      const { missed } = lookups();
      if (before === undefined || missed === before.missed) return;
      before = { ...before, missed };
      if ((await learnFlowPackets()) !== before.learnFlowPackets) note();
    },
    forget: () => {
      before = undefined;
    },
  };
}

/**
 * Through no other bridge, neither by a cable nor, as what tunnels send, by way of the underlay;
 * and not out of the hands of a controller.
 */
function hasOnlyExternalIngress({ ports, underlay, controllers = [] }: BridgePlan): boolean {
  return (
    underlay === undefined &&
    controllers.length === 0 &&
    ports.every(({ kind }) => kind !== 'patch')
  );
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
