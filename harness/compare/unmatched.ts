/** Flows that one side alone has, and that no packet met. */
import { formatFlowId, type FlowCount } from '../domain/switching.js';
import { compareCounters, flowKey, type CounterDifference } from './compare-counters.js';

/** The flows of both sides when no packet of a vector has come yet. */
export interface InitialCounts {
  readonly model: readonly FlowCount[];
  readonly real: readonly FlowCount[];
}

/**
 * Those that came or went meanwhile. What was there before is reported once for all vectors, with
 * the whole program; without `begun` nothing was.
 */
export function unmatchedSince(
  initial: InitialCounts | undefined,
  unmatched: readonly CounterDifference[],
): readonly CounterDifference[] {
  if (initial === undefined || unmatched.length === 0) return unmatched;
  const before = new Set(
    compareCounters(initial.model, initial.real).unmatched.map(({ flow }) => flowKey(flow)),
  );
  return unmatched.filter(({ flow }) => !before.has(flowKey(flow)));
}

/** In words: `br-int on n1 holds a flow that it should not: table=70, priority=0`. */
export function describeUnmatched({ flow, actual }: CounterDifference): {
  readonly summary: string;
  readonly expected: string;
  readonly actual: string;
} {
  const text = formatFlowId(flow);
  const where = `${flow.bridge} on ${flow.node}`;
  return actual === undefined
    ? {
        summary: `${where} does not hold a flow that it should: ${text}`,
        expected: text,
        actual: 'no such flow',
      }
    : {
        summary: `${where} holds a flow that it should not: ${text}`,
        expected: 'no such flow',
        actual: text,
      };
}
