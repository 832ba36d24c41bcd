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
    const key = flowKey(flow);
    const other = seen.get(key);
    seen.delete(key);
    if (packets !== (other?.packets ?? 0)) differences.push({ flow, expected: packets, actual: other?.packets });
  }
  const flows = expected.length + seen.size;
  for (const { flow, packets } of seen.values()) if (packets !== 0) differences.push({ flow, expected: undefined, actual: packets });
  return { differences, count: { expected: flows, made: flows, skipped: 0 } };
}

/**
 * The counts with those of flows that were left open put together: where it is not known which of several flows took a packet, their sum is. The first
 * of each set stands for all of it.
 */
export function withSums(counts: readonly FlowCount[], leftOpen: readonly (readonly FlowId[])[]): readonly FlowCount[] {
  const setOf = new Map(leftOpen.flatMap((flows) => flows.map((flow) => [flowKey(flow), flows] as const)));
  const sums = new Map<readonly FlowId[], number>();
  for (const { flow, packets } of counts) {
    const flows = setOf.get(flowKey(flow));
    if (flows !== undefined) sums.set(flows, (sums.get(flows) ?? 0) + packets);
  }
  return [...counts.filter(({ flow }) => !setOf.has(flowKey(flow))), ...[...sums].flatMap(([[flow], packets]) => (flow === undefined ? [] : [{ flow, packets }]))];
}

/** One text a flow, the same for the same flow. Made once an object: testbeds tell the same flows after every vector. */
export function flowKey(flow: FlowId): string {
  const known = keys.get(flow);
  if (known !== undefined) return known;
  const made = `${flow.node} ${flow.bridge} ${formatFlowId(flow)}`;
  keys.set(flow, made);
  return made;
}

const keys = new WeakMap<FlowId, string>();
