/** One packet through the model and through a real switch that holds the same flows. */
import { compareCounters, type CounterDifference } from '../compare/counters.js';
import { compareFrames, type FrameDifference } from '../compare/frames.js';
import { compareState, type StateDifference } from '../compare/state.js';
import type { FrameEvent } from '../nouns/observation.js';
import type { NodePlan } from '../nouns/plan.js';
import type { SwitchStep } from '../nouns/switching.js';
import { asCounted } from '../run/drive.js';
import { openModel } from '../testbeds/model/model.js';
import type { Testbed } from '../testbeds/testbed.js';

export interface CheckResult {
  /** What was compared: frames that came out, ports that stayed silent, counters of flows, entries of state. */
  readonly compared: { readonly frames: number; readonly silent: number; readonly counters: number; readonly entries: number };
  readonly frames: readonly FrameDifference[];
  readonly counters: readonly CounterDifference[];
  readonly state: readonly StateDifference[];
}

/**
 * Sends `frame` into `port` of both; `real` was brought up from `plan` and has seen nothing yet.
 * @throws Unsupported when the model does not know what a flow on the way does, Unavailable when the switch gives out.
 */
export async function checkPacket(plan: NodePlan, real: Testbed, port: string, frame: Uint8Array): Promise<CheckResult> {
  const model = openModel({ nodes: [plan] }, real.versions);
  const calls = [{ kind: 'receive', node: plan.node, port, frames: [frame] }] as const;
  const [seen] = await real.call(calls);
  const [predicted] = await model.call(calls, asCounted(() => real.counts()));
  const ports = new Set(plan.bridges.flatMap((bridge) => [bridge.name, ...bridge.ports.map(({ name }) => name)]).map((name) => `${plan.node} ${name}`));
  const counters = compareCounters(await model.counts(), await real.counts());
  const state = compareState(await model.state(), await real.state(), 1);
  const strays = (await real.strays()).map((stray): FrameEvent => ({ ...stray, timeUs: 1, direction: 'out' }));
  const frames = compareFrames(eventsOf(plan.node, predicted), [...eventsOf(plan.node, seen), ...strays], ports);
  return {
    compared: { frames: frames.frames.made, silent: frames.silence.made, counters: counters.count.made, entries: state.connections.made + state.macs.made },
    frames: frames.differences, counters: counters.differences, state: state.differences,
  };
}

function eventsOf(node: string, step: SwitchStep | undefined): readonly FrameEvent[] {
  return (step?.outputs ?? []).map(({ port, frame }) => ({ timeUs: 0, node, port, direction: 'out', frame }));
}
