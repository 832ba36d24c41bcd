import type { Work } from '../domain/work.js';
import type { FlowId, SwitchCall, SwitchStep } from '../domain/switching.js';
import type { Oracle } from '../model/ambiguity.js';
import type { Trace } from '../model/trace/trace.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { OvsSwitches } from './ovs-switches.js';
import type { Testbed } from './testbed.js';

/** The side that says what switches should do: the model, or other switches. */
export interface Reference extends Testbed {
  /**
   * Where the outcome is ambiguous the oracle is asked, and its answer holds until the next reset;
   * without one the calls are refused. What is refused has done nothing.
   */
  call(calls: readonly SwitchCall[], oracle?: Oracle): Promise<readonly SwitchStep[]>;
  /**
   * Flows since the last reset of which nobody asked which one a packet took
   * (`Oracle.equivalentFlows`): one set for all that may have been taken for one another.
   */
  ambiguousSets(): readonly (readonly FlowId[])[];
  /** What packets have needed since the last reset; missing where that is not known. */
  work?(): Work;
  /** What every frame since the last reset went through, in order; none where that is not seen. */
  traces(): readonly Trace[];
  /** A flow with a learn action, as text, that packets may have matched since the reset. */
  matchedLearnFlow(): string | undefined;
}

/** Switches to compare others with: which flows packets went through they do not say. */
export function referenceOf(
  switches: OvsSwitches,
  plan: { readonly nodes: readonly NodePlan[] },
): Reference {
  const learning = plan.nodes
    .flatMap(({ bridges }) => bridges.flatMap(({ flows }) => flows))
    .find((flow) => flow.includes('learn('));
  return {
    ...switches,
    call: (calls) => switches.call(calls),
    ambiguousSets: () => [],
    traces: () => [],
    matchedLearnFlow: () => learning,
  };
}
