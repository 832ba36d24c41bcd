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
  const wanted = index(expected);
  const seen = index(actual);
  const flows = new Map([...expected, ...actual].map(({ flow }) => [flowKey(flow), flow]));
  const differences = [...flows].flatMap(([key, flow]) => {
    const [a, b] = [wanted.get(key), seen.get(key)];
    return (a ?? 0) === (b ?? 0) ? [] : [{ flow, expected: a, actual: b }];
  });
  return { differences, count: { expected: flows.size, made: flows.size, skipped: 0 } };
}

/** One text a flow, the same for the same flow. */
export function flowKey(flow: FlowId): string {
  return `${flow.node} ${flow.bridge} ${formatFlowId(flow)}`;
}

function index(counts: readonly FlowCount[]): ReadonlyMap<string, number> {
  return new Map(counts.map(({ flow, packets }) => [flowKey(flow), packets]));
}
