/** Cases on the model, held against what a switch did. */
import { InputError, Unsupported } from '../base/errors/errors.js';
import { compareCounters } from '../compare/compare-counters.js';
import { counterFinding, unmatchedFinding } from '../compare/describe-finding.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { FlowCount, SwitchCall, SwitchStep } from '../domain/switching.js';
import { compareSteps } from '../lockstep/compare-steps.js';
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
  const ports = plan.bridges.flatMap((bridge) => [
    bridge.name,
    ...bridge.ports.map(({ name }) => name),
  ]);
  const steps = compareSteps(
    { node: plan.node, ports, bridges: plan.bridges },
    model.steps.map((expected, index) => ({
      index,
      expected,
      actual: real.steps[index] ?? { outputs: [] },
    })),
  );
  const counters = compareCounters(model.counts, real.counts);
  const findings = [
    ...steps.findings,
    ...counters.differences.map(counterFinding),
    ...counters.unmatched.map(unmatchedFinding),
  ];
  const { frames, silence, 'packet-ins': packetIns } = steps.counts;
  return findings.length > 0
    ? {
        kind: 'differs',
        differences: findings.map(
          ({ summary, expected, actual }) =>
            `${summary}: the model says ${expected}, the switch ${actual}`,
        ),
      }
    : {
        kind: 'agrees',
        compared: frames.made + silence.made + packetIns.made + counters.count.made,
      };
}
