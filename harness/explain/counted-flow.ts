/** Flows that counted packets, model beside switch. */
import { flowKey } from '../compare/compare-counters.js';
import type { FlowCount, FlowId } from '../domain/switching.js';

/** Packets of one flow during a vector; flows that counted nothing on either side are left out. */
export interface CountedFlow {
  readonly flow: FlowId;
  /** How many flows count as one, where it is left to chance which of them a packet takes. */
  readonly among?: number;
  readonly model: number;
  /** Missing where the switch was not asked to the end. */
  readonly switch?: number;
}

/**
 * @param real undefined where the switch was not asked.
 * @param equivalent sets of flows that count as one: each of them has the packets of all.
 */
export function countedFlows(
  model: readonly FlowCount[],
  real: readonly FlowCount[] | undefined,
  equivalent: readonly (readonly FlowId[])[] = [],
): readonly CountedFlow[] {
  const setOf = new Map(
    equivalent.flatMap((flows) => {
      const keys = flows.map(flowKey);
      return keys.map((key) => [key, keys] as const);
    }),
  );
  const rose = (counts: readonly FlowCount[]) =>
    new Map(
      counts.filter(({ packets }) => packets > 0).map((count) => [flowKey(count.flow), count]),
    );
  const [predicted, seen] = [rose(model), rose(real ?? [])];
  const sum = (counts: ReadonlyMap<string, FlowCount>, keys: readonly string[]) =>
    keys.reduce((packets, key) => packets + (counts.get(key)?.packets ?? 0), 0);
  return [...new Map([...predicted, ...seen])].map(([key, { flow }]) => {
    const keys = setOf.get(key) ?? [key];
    return {
      flow,
      ...(keys.length === 1 ? {} : { among: keys.length }),
      model: sum(predicted, keys),
      ...(real === undefined ? {} : { switch: sum(seen, keys) }),
    };
  });
}
