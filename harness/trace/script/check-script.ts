/** A script on the model and on a real switch, step by step. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import { parseDump } from '../../openflow/flows/flow.js';
import { noNames } from '../../openflow/syntax/form.js';
import { parseBridgeOptions } from '../../openflow/bridge-program.js';
import { oracleFrom } from '../../lockstep/oracle.js';
import { openModel, type ModelTestbed } from '../../testbeds/model/model-testbed.js';
import type { Sim } from '../../testbeds/sim/sim.js';
import {
  agrees,
  compareAnswers,
  injectionOf,
  type CheckResult,
  type Compared,
} from '../check-packets.js';
import { flowLines } from '../../dumps/dump-lines.js';
import { atLine } from './play-script.js';
import { checkInitialState, type PreparedSwitch } from './prepare-switch.js';
import type { Script, ScriptStep } from './script.js';

export interface ScriptCheck {
  /** The sum of all steps. */
  readonly compared: Compared;
  /**
   * The first step at which model and switch part: what follows may only be its consequence, and is
   * not asked for.
   */
  readonly divergence?: {
    readonly step: ScriptStep;
    readonly result: CheckResult;
    readonly dump: readonly DumpDifference[];
  };
}

/** A line of a dump that only one of them prints. */
export interface DumpDifference {
  readonly kind: 'missing' | 'unexpected';
  readonly line: string;
}

/**
 * Carries out the steps on both; after each, frames, packet-ins, counters and what is remembered
 * are compared, and at a dump of flows its lines.
 * @param real was brought up from the plan and has seen nothing yet.
 * @throws Unsupported when the model does not know what comes of a step, InputError for a change
 *   that the switch refuses, Unavailable when it gives out.
 */
export async function checkScript(
  { plan, calls: before }: PreparedSwitch,
  real: Sim,
  { steps, initialState: remembered }: Script,
): Promise<ScriptCheck> {
  const model = openModel({ nodes: [plan] }, real.versions);
  for (const call of before) for (const testbed of [real, model]) await testbed.call([call]);
  checkInitialState(remembered, await model.state());
  const sum = { frames: 0, silent: 0, packetIns: 0, counters: 0, entries: 0 };
  for (const step of steps) {
    const calls = callsOf(plan, step);
    const seen = calls.length === 0 ? [] : await real.call(calls);
    const predicted = calls.length === 0 ? [] : await model.call(calls, oracleFrom(real));
    const result = await compareAnswers(plan, { model, real }, predicted, seen);
    const dump = await compareDumps(plan, model, real, step);
    for (const aspect of Object.keys(sum) as (keyof Compared)[])
      sum[aspect] += result.compared[aspect];
    if (!agrees(result) || dump.length > 0)
      return { compared: sum, divergence: { step, result, dump } };
  }
  return { compared: sum };
}

/**
 * @throws InputError with its line for a packet that no real port can be given, before a switch is
 *   brought up.
 */
export function checkInjections(plan: NodePlan, steps: readonly ScriptStep[]): void {
  for (const step of steps) atLine(step, () => callsOf(plan, step));
}

function callsOf(plan: NodePlan, { command }: ScriptStep): readonly SwitchCall[] {
  if (command.kind === 'dump') return [];
  if (command.kind === 'call') return [command.call];
  const { port, frame } = injectionOf(plan, command.stimulus);
  return [{ kind: 'receive', node: plan.node, port, frames: [frame] }];
}

/** Connections and learned addresses are compared after every step. */
async function compareDumps(
  plan: NodePlan,
  model: ModelTestbed,
  real: Sim,
  { command }: ScriptStep,
): Promise<readonly DumpDifference[]> {
  if (command.kind !== 'dump' || command.what !== 'flows') return [];
  const bridge = plan.bridges.find(({ name }) => name === command.bridge);
  const names =
    bridge === undefined
      ? noNames
      : { ...noNames, tunnelOptions: parseBridgeOptions(plan.node, bridge) };
  const printed = flowLines(
    parseDump(await real.dumpFlows(plan.node, command.bridge), `dump of ${command.bridge}`, names),
  );
  const predicted = flowLines(model.dumpFlows(plan.node, command.bridge));
  return [
    ...predicted
      .filter((line) => !printed.includes(line))
      .map((line) => ({ kind: 'missing', line }) as const),
    ...printed
      .filter((line) => !predicted.includes(line))
      .map((line) => ({ kind: 'unexpected', line }) as const),
  ];
}
