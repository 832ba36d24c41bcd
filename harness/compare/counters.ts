/** The path a packet took, as the flows whose n_packets rose: the model's against the switch's. */
import { formatFlowId, type FlowCount, type FlowId } from '../nouns/switching.js';
import type { Count } from '../nouns/verdict.js';

export interface CounterDifference {
  readonly flow: FlowId;
  /** Missing where that side does not have the flow. */
  readonly expected: number | undefined;
  readonly actual: number | undefined;
}

/** One comparison a flow of either side; a flow that one side lacks is a difference unless it counted nothing. */
export function compareCounters(expected: readonly FlowCount[], actual: readonly FlowCount[]): { readonly differences: readonly CounterDifference[]; readonly count: Count } {
  const seen = new Map(actual.map((count) => [flowKey(count.flow), count]));
  const differences: CounterDifference[] = [];
  for (const { flow, packets } of expected) {
    const other = seen.get(flowKey(flow));
    seen.delete(flowKey(flow));
    if (packets !== (other?.packets ?? 0)) differences.push({ flow, expected: packets, actual: other?.packets });
  }
  const flows = expected.length + seen.size;
  for (const { flow, packets } of seen.values()) if (packets !== 0) differences.push({ flow, expected: undefined, actual: packets });
  return { differences, count: { expected: flows, made: flows, skipped: 0 } };
}

/** One text a flow, the same for the same flow. Made once an object: testbeds tell the same flows after every vector. */
export function flowKey(flow: FlowId): string {
  const made = keys.get(flow) ?? `${flow.node} ${flow.bridge} ${formatFlowId(flow)}`;
  keys.set(flow, made);
  return made;
}

const keys = new WeakMap<FlowId, string>();
