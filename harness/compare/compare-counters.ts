/** The path a packet took, as the flows whose n_packets rose: the model's against the switch's. */
import {
  formatFlowId,
  type PacketCounts,
  type FlowCount,
  type FlowId,
} from '../domain/switching.js';
import type { Count } from '../domain/verdict.js';

export interface CounterDifference {
  readonly flow: FlowId;
  /** Missing where that side does not have the flow. */
  readonly expected: PacketCounts | undefined;
  readonly actual: PacketCounts | undefined;
}

export interface CounterComparison {
  readonly differences: readonly CounterDifference[];
  /** Flows that one side alone has, and that counted nothing there. */
  readonly unmatched: readonly CounterDifference[];
  readonly count: Count;
}

/** One comparison a flow of either side: of its n_packets, its n_bytes, and that both have it. */
export function compareCounters(
  expected: readonly FlowCount[],
  actual: readonly FlowCount[],
): CounterComparison {
  const seen = new Map(actual.map((count) => [flowKey(count.flow), count]));
  const found: CounterDifference[] = [];
  for (const wanted of expected) {
    const key = flowKey(wanted.flow);
    const other = seen.get(key);
    seen.delete(key);
    if (other === undefined || !isExpected(wanted, other))
      found.push({ flow: wanted.flow, expected: wanted, actual: other });
  }
  const flows = expected.length + seen.size;
  for (const other of seen.values()) {
    found.push({ flow: other.flow, expected: undefined, actual: other });
  }
  return {
    differences: found.filter((difference) => !isUnmatched(difference)),
    unmatched: found.filter(isUnmatched),
    count: { expected: flows, made: flows, skipped: 0 },
  };
}

function isExpected(
  { packets, bytes, outerBytes = 0 }: FlowCount,
  actual: Pick<FlowCount, 'packets' | 'bytes'>,
): boolean {
  const more = actual.bytes - bytes;
  return actual.packets === packets && more >= 0 && more <= outerBytes;
}

function isUnmatched({ expected, actual }: CounterDifference): boolean {
  const held = expected === undefined ? actual : actual === undefined ? expected : undefined;
  return held?.packets === 0 && held.bytes === 0;
}

/**
 * The first counter that differs, in words: `n_packets differs on n1 br-int, table=70,
 * priority=200: expected 1, got 0`.
 */
export function describeCounterDifference({ flow, expected, actual }: CounterDifference): {
  readonly summary: string;
  readonly expected: string;
  readonly actual: string;
} {
  const counter = expected?.packets === actual?.packets ? 'bytes' : 'packets';
  const of = (side: PacketCounts | undefined) =>
    side === undefined ? 'no such flow' : side[counter];
  const where = `${flow.node} ${flow.bridge}, ${formatFlowId(flow)}`;
  return {
    summary: `n_${counter} differs on ${where}: expected ${of(expected)}, got ${of(actual)}`,
    expected: describeCounts(expected),
    actual: describeCounts(actual),
  };
}

function describeCounts(counted: PacketCounts | undefined): string {
  if (counted === undefined) return 'no such flow';
  const replaced = counted.packets < 0 ? ' since the vector began: the flow was replaced' : '';
  return `n_packets=${counted.packets}, n_bytes=${counted.bytes}${replaced}`;
}

/**
 * The counts, with those of ambiguous flows summed: where it is not known which of
 * several flows took a packet, their sum is. The first of each set stands for all of it.
 */
export function sumAmbiguous(
  counts: readonly FlowCount[],
  ambiguousSets: readonly (readonly FlowId[])[],
): readonly FlowCount[] {
  const setOf = new Map(
    ambiguousSets.flatMap((flows) => flows.map((flow) => [flowKey(flow), flows] as const)),
  );
  const sums = new Map<readonly FlowId[], Omit<FlowCount, 'flow'>>();
  for (const { flow, packets, bytes, outerBytes = 0 } of counts) {
    const flows = setOf.get(flowKey(flow));
    if (flows === undefined) continue;
    const sum = sums.get(flows) ?? { packets: 0, bytes: 0 };
    const outer = (sum.outerBytes ?? 0) + outerBytes;
    sums.set(flows, {
      packets: sum.packets + packets,
      bytes: sum.bytes + bytes,
      ...(outer === 0 ? {} : { outerBytes: outer }),
    });
  }
  return [
    ...counts.filter(({ flow }) => !setOf.has(flowKey(flow))),
    ...[...sums].flatMap(([[flow], sum]) => (flow === undefined ? [] : [{ flow, ...sum }])),
  ];
}

/**
 * One text a flow, the same for the same flow. Made once an object: testbeds report the same flows
 * after every vector.
 */
export function flowKey(flow: FlowId): string {
  const known = keys.get(flow);
  if (known !== undefined) return known;
  const made = `${flow.node} ${flow.bridge} ${formatFlowId(flow)}`;
  keys.set(flow, made);
  return made;
}

const keys = new WeakMap<FlowId, string>();
