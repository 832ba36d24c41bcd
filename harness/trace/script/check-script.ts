/** A script on the model and on a real switch, step by step. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import { addCounts, noCounts, type Counts, type Finding } from '../../domain/verdict.js';
import { parseDump } from '../../openflow/flows/flow.js';
import { noNames } from '../../openflow/syntax/form.js';
import { parseBridgeOptions } from '../../openflow/bridge-program.js';
import type { AnsweredStep } from '../../lockstep/compare-steps.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { openModel, type ModelTestbed } from '../../testbeds/model/model-testbed.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import { applyPreparation, callBoth, compareAnswers, injectionOf } from '../check-packets.js';
import { flowLines } from '../../dumps/dump-lines.js';
import { atLine } from './play-script.js';
import { type PreparedSwitch } from './prepare-switch.js';
import type { Script, ScriptStep } from './script.js';
import { nextPacket, noteArrival, noteUnsent, type Talks } from './tcp-talk.js';

export interface ScriptCheck {
  /** The sum of all steps. */
  readonly counts: Counts;
  /** Segments of TCP connections that were not sent. */
  readonly unsent: readonly { readonly step: ScriptStep; readonly why: string }[];
  /**
   * The first step at which model and switch diverge: what follows may only be its consequence, and
   * is not asked for.
   */
  readonly divergence?: {
    readonly step: ScriptStep;
    readonly findings: readonly Finding[];
  };
}

/**
 * Applies the steps to both; after each, frames, packet-ins, counters and what is remembered
 * are compared, and at a dump of flows its lines.
 * @param real was brought up from the plan and has seen nothing yet.
 * @throws Unsupported when the model does not know the result of a step, InputError for a change
 *   that the switch refuses, Unavailable when it fails.
 */
export async function checkScript(
  { plan, calls, realCalls }: PreparedSwitch,
  real: OvsSwitches,
  { steps, initialState: remembered }: Script,
): Promise<ScriptCheck> {
  const model = openModel({ nodes: [plan] }, real.versions);
  await applyPreparation(model, real, { calls, realCalls, initialState: remembered });
  let counts = noCounts;
  const talks: Talks = new Map();
  const unsent: ScriptCheck['unsent'][number][] = [];
  for (const step of steps) {
    const calls = callsOf(plan, step, talks);
    if ('unsent' in calls) {
      unsent.push({ step, why: calls.unsent });
      continue;
    }
    const answered = await callBoth({ model, real }, calls, 0);
    noteSegment(plan, step, talks, answered);
    const result = await compareAnswers(plan, { model, real }, answered);
    const findings = [...result.findings, ...(await compareDumps(plan, model, real, step))];
    counts = addCounts([counts, result.counts]);
    if (findings.length > 0) await real.assertUndisturbed();
    if (findings.length > 0) return { counts, unsent, divergence: { step, findings } };
  }
  return { counts, unsent };
}

/**
 * @throws InputError with its line for a packet that no real port can be given, before a switch is
 *   brought up.
 */
export function checkInjections(plan: NodePlan, steps: readonly ScriptStep[]): void {
  for (const step of steps) atLine(step, () => callsOf(plan, step, new Map()));
}

function callsOf(
  plan: NodePlan,
  { command }: ScriptStep,
  talks: Talks,
): readonly SwitchCall[] | { readonly unsent: string } {
  if (command.kind === 'dump') return [];
  if (command.kind === 'call') return [command.call];
  const stimulus = command.kind === 'segment' ? nextPacket(talks, command) : command.stimulus;
  if ('unsent' in stimulus) {
    if (command.kind === 'segment') noteUnsent(talks, command, stimulus.unsent);
    return stimulus;
  }
  const { port, frame } = injectionOf(plan, stimulus);
  return [{ kind: 'receive', node: plan.node, port, frames: [frame] }];
}

/** By the model's answer: where the switch's is another, nothing follows. */
function noteSegment(
  plan: NodePlan,
  { command }: ScriptStep,
  talks: Talks,
  answered: readonly AnsweredStep[],
): void {
  if (command.kind !== 'segment') return;
  noteArrival(
    talks,
    command,
    answered.flatMap(({ expected }) => expected.outputs),
    ({ bridge, ofport }) =>
      ofport === reservedPorts.LOCAL
        ? bridge
        : (plan.bridges
            .find(({ name }) => name === bridge)
            ?.ports.find((port) => port.ofport === ofport)?.name ?? ''),
  );
}

/** Connections and learned addresses are compared after every step. */
async function compareDumps(
  plan: NodePlan,
  model: ModelTestbed,
  real: OvsSwitches,
  { command }: ScriptStep,
): Promise<readonly Finding[]> {
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
  const only = (lines: readonly string[], others: readonly string[]) =>
    lines.filter((line) => !others.includes(line)).map((line) => line.trim());
  return [
    ...only(predicted, printed).map((line) => dumpFinding('missing', line)),
    ...only(printed, predicted).map((line) => dumpFinding('unexpected', line)),
  ];
}

/** A line of a dump that only one of them prints. */
function dumpFinding(kind: 'missing' | 'unexpected', line: string): Finding {
  const [expected, actual] = kind === 'missing' ? [line, 'no such line'] : ['no such line', line];
  const between = 'model and switch';
  return { aspect: 'program', between, summary: `${kind} flow`, expected, actual };
}
