/** From the flows that a bridge holds to the flows that it should hold. */
import { printFlow, printFlowKey, type Flow } from './flow.js';

/**
 * The lines of an `ovs-ofctl bundle` that turn `current` into `desired`: flows that are gone or
 * changed and nothing else, deletions first. Empty when there is nothing to do.
 */
export function diffFlows(current: readonly Flow[], desired: readonly Flow[]): readonly string[] {
  // Of flows with the same key the last one stays, as in a switch.
  if (current.length === 0) return desired.map((flow) => `flow add ${printFlow(flow)}`);
  const wanted = new Map(desired.map((flow) => [printFlowKey(flow), flow]));
  const held = new Map(current.map((flow) => [printFlowKey(flow), printFlow(flow)]));
  const deletions = [...held.keys()]
    .filter((key) => !wanted.has(key))
    .map((key) => `flow delete_strict ${key}`);
  const additions = [...wanted]
    .filter(([key, flow]) => held.get(key) !== printFlow(flow))
    .map(([, flow]) => `flow add ${printFlow(flow)}`);
  return [...deletions, ...additions];
}

/** What two lists of flows do not have in common, as text that names each. */
export function compareFlows(
  expected: readonly Flow[],
  actual: readonly Flow[],
): { readonly missing: readonly Flow[]; readonly unexpected: readonly Flow[] } {
  const texts = (flows: readonly Flow[]) => new Set(flows.map(printFlow));
  const expectedTexts = texts(expected);
  const actualTexts = texts(actual);
  return {
    missing: expected.filter((flow) => !actualTexts.has(printFlow(flow))),
    unexpected: actual.filter((flow) => !expectedTexts.has(printFlow(flow))),
  };
}
