/** What one run of a timeline shares between its steps, and the verdict on a step. */
import type { AgentStep } from '../../control/agent-steps.js';
import type { Intent } from '../../domain/intent.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { FinalState } from '../../domain/switch-state.js';
import type { SequenceStep, TimelineEvent } from '../../domain/timeline.js';
import type { Topology } from '../../domain/topology.js';
import {
  type VerdictKind,
  type Counts,
  type Difference,
  whatIsMissing,
  verdictOn,
} from '../../domain/verdict.js';
import type { DumpedProgram, Switches } from '../../testbeds/testbed.js';
import type { Reference } from '../../testbeds/reference.js';
import type { ObservedVectorPass } from '../records/run-record.js';
import type { Inconclusive } from '../judging/vector-report.js';
import type { ParseCache } from '../../compare/compare-program.js';
import type { HostMemories } from '../../fabric/stack/host.js';
import type { PromiseState } from '../../intent/over-time/promise-state.js';
import type { AgentState } from './agent-state.js';

/** One step as it was judged. */
export interface JudgedStep {
  /** Its place, from 1 on, and what it is: `7 pod p4 leaves`. */
  readonly id: string;
  readonly step: SequenceStep;
  /** L0, of a vector. */
  readonly intent?: Intent;
  readonly verdict: VerdictKind;
  readonly counts: Counts;
  readonly differences: readonly Difference[];
  readonly inconclusive?: Inconclusive;
  /** What real switches did, of a vector that was played to its end. */
  readonly seen?: {
    readonly passes: readonly ObservedVectorPass[];
    readonly aftermath: FinalState;
    /** Virtual time since the first vector, when this one began. */
    readonly beganMs: number;
  };
  /** What agents did, of an event, and what there is since. */
  readonly done?: {
    readonly steps: readonly AgentStep[];
    readonly topology: Topology;
    readonly plan: ClusterPlan;
  };
}

export interface TimelineContext {
  readonly controlPlane: ControlPlane<Topology>;
  readonly seed: number;
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  /** What the switches are compared with; the model unless given. */
  readonly openReference?: (
    plan: ClusterPlan,
    versions: Switches['versions'],
  ) => Promise<Reference>;
  /** What agents do of what they should, where a fault is planted; by default all of it. */
  readonly faulty?: (steps: readonly AgentStep[], event: TimelineEvent) => readonly AgentStep[];
  /** Called after each step. */
  readonly onJudged?: (judged: JudgedStep) => void;
}

export interface TimelineRun {
  readonly context: TimelineContext;
  readonly model: Reference;
  readonly real: Switches;
  readonly memories: { readonly model: HostMemories; readonly real: HostMemories };
  agentState: AgentState;
  promiseState: PromiseState;
  /** Nodes whose agents have restarted and have not swept yet. */
  unsweptNodes: ReadonlySet<string>;
  /** What a fresh install of these nodes has. */
  readonly freshPrograms: Map<NodePlan, readonly DumpedProgram[]>;
  /**
   * Whether all switches are read back behind the next event, and not only those that it changes.
   */
  readBack: 'all' | 'the agents that are informed';
  readonly parseCache: ParseCache;
}

export type StepJudgement = Omit<JudgedStep, 'id' | 'step'>;

export function verdictFrom(differences: readonly Difference[], counts: Counts): StepJudgement {
  const missing = whatIsMissing(counts);
  const marked = differences.map((difference, index) => ({
    ...difference,
    afterDivergence: index > 0,
  }));
  return {
    verdict: verdictOn(differences, counts),
    counts,
    differences: marked,
    ...(missing === undefined
      ? {}
      : { inconclusive: { cause: missing, evidence: [], remedies: [] } }),
  };
}
