/** Where model and switch part over the steps of a case. */
import { compareCounters } from '../compare/counters.js';
import { compareFrames } from '../compare/frames.js';
import { comparePacketIns } from '../compare/packet-ins.js';
import { compareState } from '../compare/state.js';
import type { FrameEvent } from '../nouns/observation.js';
import type { NodePlan } from '../nouns/plan.js';
import { formatFlowId, type FlowCount, type SwitchStep } from '../nouns/switching.js';
import type { Testbed } from '../testbeds/testbed.js';
import { node, wiredPorts } from './case.js';

/** What model and switch are compared in. `acceptance`: which flows and groups they take; `life`: that the switch does not die. */
export type Aspect = 'life' | 'acceptance' | 'frames' | 'packet-ins' | 'counters' | 'state';

/** The model's side first. */
export interface Difference {
  readonly aspect: Aspect;
  /** Index of the step at which it shows, where it is one. */
  readonly at?: number;
  readonly what: string;
  readonly model: string;
  readonly switch: string;
}

/** What one step, or several packets that went in together, led to; `index` is that of the first. */
export interface Played {
  readonly index: number;
  readonly expected: SwitchStep;
  readonly actual: SwitchStep;
}

export function compareSteps(steps: readonly Played[], plan: NodePlan): { readonly differences: readonly Difference[]; readonly frames: number } {
  const { differences, frames } = compareFrames(steps.flatMap(({ index, expected }) => eventsOf(expected, index)), steps.flatMap(({ index, actual }) => eventsOf(actual, index)), everyPort);
  return {
    frames: frames.made,
    differences: [
      ...differences.map((found): Difference => ({ aspect: 'frames', at: found.timeUs, what: `${found.kind} frame out of ${found.port}${found.fields.length === 0 ? '' : `: ${found.fields.join(', ')}`}`, model: found.expected, switch: found.actual })),
      ...steps.flatMap((step) => packetInsOf(step, plan)),
    ],
  };
}

/** What flows counted, and what the switches remember. */
export async function compareAftermath(model: Testbed, sim: Testbed, counts: readonly FlowCount[]): Promise<{ readonly differences: readonly Difference[]; readonly counters: number }> {
  const counters = compareCounters(await model.counts(), counts);
  const state = compareState(await model.state(), await sim.state(), 1);
  return {
    counters: counters.count.made,
    differences: [
      ...counters.differences.map((found): Difference => ({ aspect: 'counters', what: formatFlowId(found.flow), model: String(found.expected ?? 'no such flow'), switch: String(found.actual ?? 'no such flow') })),
      ...state.differences.map((found): Difference => ({ aspect: 'state', what: `${found.kind}: ${found.about}`, model: found.expected, switch: found.actual })),
    ],
  };
}

const everyPort: ReadonlySet<string> = new Set(wiredPorts.map((port) => `${node} ${port}`));

function eventsOf({ outputs }: SwitchStep, index: number): readonly FrameEvent[] {
  return outputs.map(({ port, frame }) => ({ timeUs: index, node, port, direction: 'out', frame }));
}

function packetInsOf({ index, expected, actual }: Played, { bridges }: NodePlan): readonly Difference[] {
  const { differences } = comparePacketIns(bridges, expected.packetIns ?? [], actual.packetIns ?? []);
  return differences.map((found) => ({ aspect: 'packet-ins', at: index, what: `${found.kind} packet-in at controller ${found.controller}${found.fields.length === 0 ? '' : `: ${found.fields.join(', ')}`}`, model: found.expected, switch: found.actual }));
}
