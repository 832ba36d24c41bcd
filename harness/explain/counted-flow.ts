/** Flows that counted packets, model beside switch. */
import { flowKey } from '../compare/compare-counters.js';
import type { FlowCount, FlowId } from '../domain/switching.js';

/** Packets of one flow during a vector; flows that counted nothing on either side are left out. */
export interface CountedFlow {
  readonly flow: FlowId;
  readonly model: number;
  /** Missing where the switch was not asked to the end. */
  readonly switch?: number;
}

/** @param real undefined where the switch was not asked. */
export function countedFlows(
  model: readonly FlowCount[],
  real: readonly FlowCount[] | undefined,
): readonly CountedFlow[] {
  const rose = (counts: readonly FlowCount[]) =>
    new Map(
      counts.filter(({ packets }) => packets > 0).map((count) => [flowKey(count.flow), count]),
    );
  const [predicted, seen] = [rose(model), rose(real ?? [])];
  return [...new Map([...predicted, ...seen])].map(([key, { flow }]) => ({
    flow,
    model: predicted.get(key)?.packets ?? 0,
    ...(real === undefined ? {} : { switch: seen.get(key)?.packets ?? 0 }),
  }));
}
