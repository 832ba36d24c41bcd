import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { FlowCount } from '../domain/switching.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import type { ModelTestbed } from '../testbeds/model/model-testbed.js';
import type { Behaviour } from '../model/behaviour.js';
import type { FuzzFinding } from './fuzz-finding.js';
import type { Network } from './fuzz-network.js';
import type { SkippedStep } from './plan-runs.js';

export interface CaseJudgement {
  /** Empty where both did the same, as far as it was compared. */
  readonly differences: readonly FuzzFinding[];
  /** Packets that went through both, frames that came out, and counters. */
  readonly compared: { readonly sent: number; readonly frames: number; readonly counters: number };
  /** What both refuse, in the words of the switch. */
  readonly refused: readonly string[];
  readonly skipped: readonly SkippedStep[];
  /**
   * The indices of the steps that both executed, and what the switch's flows counted of them.
   */
  readonly played: readonly number[];
  readonly counts: readonly FlowCount[];
  /**
   * How often flows of equal priority matched, and the switch's counters were asked which of them
   * it took.
   */
  readonly ties: number;
}
/** What plays the cases. */

export interface Sides {
  sim(network: Network): Promise<OvsSwitches>;
  /** Others in place of one that has died. */
  restart(network: Network): Promise<void>;
  /** What of a plan both sides have. */
  readonly planned: (plan: ClusterPlan) => ClusterPlan;
  readonly openModel: (plan: { readonly nodes: readonly NodePlan[] }) => ModelTestbed;
  /** Of the switch's version. */
  readonly behaviour: Behaviour;
}
