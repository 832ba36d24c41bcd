/** Where model and switch part over the steps of a case. */
import { compareCounters, describeCounterDifference } from '../compare/compare-counters.js';
import { compareFrames } from '../compare/compare-frames.js';
import { comparePacketIns } from '../compare/compare-packet-ins.js';
import { compareProgram, describeProgramDifference } from '../compare/compare-program.js';
import { compareState } from '../compare/compare-state.js';
import type { FrameEvent } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { SwitchState } from '../domain/switch-state.js';
import { formatFlowId, type FlowCount, type SwitchStep } from '../domain/switching.js';
import type { Testbed } from '../testbeds/testbed.js';
import { node, wiredPorts, type Network } from './fuzz-network.js';

/**
 * What model and switch are compared in. `acceptance`: which flows, groups and changes they take;
 * `life`: that the switch does not die.
 */
export type Aspect =
  | 'life'
  | 'acceptance'
  | 'frames'
  | 'packet-ins'
  | 'counters'
  | 'state'
  | 'flows';

/** The model's side first. */
export interface Difference {
  readonly aspect: Aspect;
  /** Index of the step at which it shows, where it is one. */
  readonly at?: number;
  readonly what: string;
  readonly model: string;
  readonly switch: string;
}

/**
 * What one step, or several packets that went in together, led to; `index` is that of the first.
 */
export interface PlayedStep {
  readonly index: number;
  readonly expected: SwitchStep;
  readonly actual: SwitchStep;
}

export function compareSteps(
  steps: readonly PlayedStep[],
  plan: ClusterPlan,
  network: Network,
): { readonly differences: readonly Difference[]; readonly frames: number } {
  const { differences, frames } = compareFrames(
    steps.flatMap(({ index, expected }) => eventsOf(expected, index)),
    steps.flatMap(({ index, actual }) => eventsOf(actual, index)),
    new Set(wiredPorts[network].map((port) => `${node} ${port}`)),
  );
  return {
    frames: frames.made,
    differences: [
      ...differences.map(
        (found): Difference => ({
          aspect: 'frames',
          at: found.timeUs,
          what:
            `${found.kind} frame out of ` +
            `${found.port}${found.fields.length === 0 ? '' : `: ${found.fields.join(', ')}`}`,
          model: found.expected,
          switch: found.actual,
        }),
      ),
      ...steps.flatMap((step) => packetInsOf(step, plan)),
    ],
  };
}

/**
 * What flows counted, what the switches remember, and, where it may have changed, which flows there
 * are.
 */
export async function compareFinalState(
  model: Testbed,
  sim: Testbed,
  counts: readonly FlowCount[],
  flows: 'flows as well' | 'flows stay',
): Promise<{ readonly differences: readonly Difference[]; readonly counters: number }> {
  const counters = compareCounters(await model.counts(), counts);
  const program =
    flows === 'flows stay'
      ? []
      : compareProgram(await model.program(), await sim.program()).differences;
  return {
    counters: counters.count.made,
    differences: [
      ...[...counters.differences, ...counters.unmatched].map((found): Difference => {
        const { expected, actual } = describeCounterDifference(found);
        return {
          aspect: 'counters',
          what: formatFlowId(found.flow),
          model: expected,
          switch: actual,
        };
      }),
      ...compareSwitchState(await model.state(), await sim.state()),
      ...program.map((found): Difference => {
        const { what, expected, actual } = describeProgramDifference(found);
        return { aspect: 'flows', what, model: expected, switch: actual };
      }),
    ],
  };
}

/** @param at the step behind which they remember it, where there are more. */
export function compareSwitchState(
  model: SwitchState,
  sim: SwitchState,
  at?: number,
): readonly Difference[] {
  return compareState(model, sim, 1).differences.map(
    (found): Difference => ({
      aspect: 'state',
      ...(at === undefined ? {} : { at }),
      what: `${found.kind}: ${found.about}`,
      model: found.expected,
      switch: found.actual,
    }),
  );
}

/** Ports are called differently on all nodes. */
function eventsOf({ outputs }: SwitchStep, index: number): readonly FrameEvent[] {
  return outputs.map(({ port, frame }) => ({ timeUs: index, node, port, direction: 'out', frame }));
}

function packetInsOf(
  { index, expected, actual }: PlayedStep,
  { nodes }: ClusterPlan,
): readonly Difference[] {
  const { differences } = comparePacketIns(
    nodes.flatMap(({ bridges }) => bridges),
    expected.packetIns ?? [],
    actual.packetIns ?? [],
  );
  return differences.map((found) => ({
    aspect: 'packet-ins',
    at: index,
    what:
      `${found.kind} packet-in at controller ` +
      `${found.controller}${found.fields.length === 0 ? '' : `: ${found.fields.join(', ')}`}`,
    model: found.expected,
    switch: found.actual,
  }));
}
