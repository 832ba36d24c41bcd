/**
 * What was observed of real switches, as text that does not depend on the order in which they
 * report it.
 */
import { canonicalJson } from '../base/files/digest.js';
import type { FinalState, SwitchState } from '../domain/switch-state.js';
import type { Observation } from '../domain/observation.js';
import { formatFlowId } from '../domain/switching.js';
import type { PassName } from '../domain/test-vector.js';

export interface ObservedPass {
  readonly pass: { readonly name: PassName };
  readonly real: Observation;
}

/**
 * Of the vector called `id`: its passes, the flows that counted, and what the switches remember.
 */
export function canonicalTrace(
  id: string,
  passes: readonly ObservedPass[],
  { counts, state }: FinalState,
): string {
  const observed = passes.map(({ pass, real }) => ({
    pass: pass.name,
    frames: real.frames.map((event) => ({
      ...event,
      frame: Buffer.from(event.frame).toString('hex'),
    })),
    notes: real.notes,
  }));
  const rose = counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${flow.node} ${flow.bridge} ${formatFlowId(flow)}: ${packets}`)
    .sort();
  return canonicalJson({ id, passes: observed, counters: rose, state: canonicalState(state) });
}

/** In an order of its own: that of dumps is the switch's. */
function canonicalState({ connections, macs }: SwitchState): readonly string[] {
  return [...connections, ...macs].map((entry) => canonicalJson(entry)).sort();
}
