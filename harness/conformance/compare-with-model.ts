/** Cases on the model, held against what a switch did. */
import { InputError, Unsupported } from '../base/errors/errors.js';
import { compareCounters, describeCounterDifference } from '../compare/compare-counters.js';
import { compareFrames } from '../compare/compare-frames.js';
import { comparePacketIns } from '../compare/compare-packet-ins.js';
import type { FrameEvent } from '../domain/observation.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import {
  formatFlowId,
  type FlowCount,
  type SwitchCall,
  type SwitchStep,
} from '../domain/switching.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Testbed } from '../testbeds/testbed.js';

export type ModelVerdict =
  | { readonly kind: 'agrees'; readonly compared: number }
  | { readonly kind: 'differs'; readonly differences: readonly string[] }
  /** It does not know what the case asks for. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** It refuses the program for the reason of the switch, `why` in its own words. */
  | { readonly kind: 'refuses'; readonly why: string };

/** What a switch answered to `calls`, and the packets that its flows counted. */
export interface SwitchAnswers {
  readonly calls: readonly SwitchCall[];
  readonly steps: readonly SwitchStep[];
  readonly counts: readonly FlowCount[];
}

/**
 * Sends the model the same, and compares all that it says with what the switch of these versions
 * did.
 */
export async function compareWithModel(
  plan: NodePlan,
  versions: Testbed['versions'],
  { calls, steps, counts }: SwitchAnswers,
): Promise<ModelVerdict> {
  try {
    const model = openModel({ nodes: [plan] }, versions);
    const predicted: SwitchStep[] = [];
    for (const call of calls) predicted.push(...(await model.call([call])));
    return compare(
      plan,
      { calls, steps: predicted, counts: await model.counts() },
      { calls, steps, counts },
    );
  } catch (error) {
    if (error instanceof Unsupported) return { kind: 'unknown', why: error.message };
    if (error instanceof InputError)
      return {
        kind: 'differs',
        differences: [`the model refuses what the switch takes: ${error.message}`],
      };
    throw error;
  }
}

function compare(plan: NodePlan, model: SwitchAnswers, real: SwitchAnswers): ModelVerdict {
  const ports = new Set(
    plan.bridges
      .flatMap((bridge) => [bridge.name, ...bridge.ports.map(({ name }) => name)])
      .map((port) => `${plan.node} ${port}`),
  );
  const told = ({ steps }: SwitchAnswers) => steps.flatMap(({ packetIns = [] }) => packetIns);
  const frames = compareFrames(framesOf(plan.node, model), framesOf(plan.node, real), ports);
  const packetIns = comparePacketIns(plan.bridges, told(model), told(real));
  const counters = compareCounters(model.counts, real.counts);
  const differences = [
    ...frames.differences.map(
      ({ kind, port, fields, expected, actual }) =>
        `${kind} frame out of ${port} ${fields.join(', ')}: the model says ${expected}, the ` +
        `switch ${actual}`,
    ),
    ...packetIns.differences.map(
      ({ kind, fields, expected, actual }) =>
        `${kind} packet-in ${fields.join(', ')}: the model says ${expected}, the switch ${actual}`,
    ),
    ...[...counters.differences, ...counters.unmatched].map((difference) => {
      const { expected, actual } = describeCounterDifference(difference);
      return `${formatFlowId(difference.flow)}: the model says ${expected}, the switch ${actual}`;
    }),
  ];
  if (differences.length > 0) return { kind: 'differs', differences };
  return {
    kind: 'agrees',
    compared: frames.frames.made + frames.silence.made + packetIns.count.made + counters.count.made,
  };
}

/** In the order of the calls, as instants. */
function framesOf(node: string, { steps }: SwitchAnswers): readonly FrameEvent[] {
  return steps.flatMap(({ outputs }, timeUs) =>
    outputs.map(({ port, frame }) => ({ timeUs, node, port, direction: 'out', frame })),
  );
}
