/**
 * What a run leaves for those who inspect it later, as plain JSON: enough to explain any vector, to
 * render any report and to run it all again. What the model did is not kept: it follows from plan,
 * vector and seed.
 */
import type { AgentStep } from '../../control/agent-steps.js';
import type { FinalState, SwitchState } from '../../domain/switch-state.js';
import type { Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { FlowCount } from '../../domain/switching.js';
import type { Topology } from '../../domain/topology.js';
import type { Pass, TestVector } from '../../domain/test-vector.js';
import type { RunReport } from './run-report.js';

export const recordFormat = 'flowbed/record/4';

export interface RunRecord {
  readonly report: RunReport;
  /** In the order of the report's scenarios. */
  readonly scenarios: readonly ScenarioRecord[];
}

export interface ScenarioRecord {
  readonly topology: Topology;
  readonly plan: ClusterPlan;
  /** In the order of the report's vectors. */
  readonly vectors: readonly VectorRecord[];
  /**
   * Of a timeline, what happened between its vectors: these were played in order, and nothing was
   * forgotten in between.
   */
  readonly timeline?: readonly RecordedEvent[];
}

export interface RecordedEvent {
  /** `the agent of n2 restarts` */
  readonly what: string;
  /** How many vectors had been played before. */
  readonly after: number;
  /** What agents did about it. */
  readonly steps: readonly AgentStep[];
  /** What there was then, and what it was to hold. */
  readonly topology: Topology;
  readonly plan: ClusterPlan;
}

export interface VectorRecord {
  readonly vector: TestVector;
  /**
   * What the switches did; missing where the vector could not be played to its end, or ran in a
   * batch.
   */
  readonly real?: RecordedOutcome;
  /** Of one that ran in a batch. */
  readonly together?: RecordedBatch;
}

export interface RecordedBatch {
  /** A digest of what the switches did: they output the frames of the model, byte by byte. */
  readonly observed: string;
  /**
   * Those that were played; of one that is played in its cold pass alone, nothing is kept of it.
   */
  readonly passes?: readonly RecordedPass[];
  /**
   * With the first of them, the final state of all of them; flows that counted at least one packet.
   */
  readonly left?: Pick<RecordedOutcome, 'counts' | 'state'>;
}

export interface RecordedOutcome {
  /** Those that were played. */
  readonly passes: readonly RecordedPass[];
  /** Flows that counted at least one packet. */
  readonly counts: readonly FlowCount[];
  readonly state: SwitchState;
}

export interface RecordedPass {
  readonly pass: Pass;
  /** Frames in hexadecimal. */
  readonly frames: readonly (Omit<Observation['frames'][number], 'frame'> & {
    readonly frame: string;
  })[];
  readonly notes: Observation['notes'];
}

/** A pass, and what was observed of the switches in it. */
export interface ObservedVectorPass {
  readonly pass: Pass;
  readonly real: Observation;
}

export function recordOutcome(
  passes: readonly ObservedVectorPass[],
  { counts, state }: FinalState,
): RecordedOutcome {
  return {
    passes: passes.map(({ pass, real }) => ({
      pass,
      frames: real.frames.map((event) => ({
        ...event,
        frame: Buffer.from(event.frame).toString('hex'),
      })),
      notes: real.notes,
    })),
    counts: counts.filter(({ packets }) => packets > 0),
    state,
  };
}

/** What was observed of a recorded pass. */
export function readObservation({ frames, notes }: RecordedPass): Observation {
  return {
    frames: frames.map((event) => ({
      ...event,
      frame: Uint8Array.from(Buffer.from(event.frame, 'hex')),
    })),
    notes,
  };
}
