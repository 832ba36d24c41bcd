/** Packets through the model and through a real switch that holds the same flows. */
import { InputError } from '../base/errors/errors.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { SwitchCall } from '../domain/switching.js';
import { addCounts, type Counts, type Finding } from '../domain/verdict.js';
import { compareFinalState } from '../lockstep/compare-final-state.js';
import { compareSteps, type AnsweredStep, type ComparedPlace } from '../lockstep/compare-steps.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { printMatch } from '../openflow/match/print-match.js';
import { oracleFrom } from '../lockstep/oracle.js';
import { openModel, type ModelTestbed } from '../testbeds/model/model-testbed.js';
import type { Switches, Testbed } from '../testbeds/testbed.js';
import type { PacketStimulus } from './packet-stimulus.js';
import { checkInitialState } from './script/prepare-switch.js';
import type { InitialState } from './script/script.js';

/** What was compared, and what differs: of frames and packet-ins those of the first step alone. */
export interface CheckResult {
  readonly counts: Counts;
  readonly findings: readonly Finding[];
}

/** A packet for a port with a wire. */
export interface Injection {
  readonly port: string;
  readonly frame: Uint8Array;
}

/**
 * @throws InputError for what no real port can be given: a packet that comes in nowhere, or with
 *   metadata.
 */
export function injectionOf(
  { bridges }: NodePlan,
  { bridge: name, ofport, frame, metadata }: PacketStimulus,
): Injection {
  const unsent = whyUnsent({ metadata });
  if (unsent !== undefined)
    throw new InputError(
      `FLOW: ${unsent}: trace follows such packets, check sends bytes into a port`,
    );
  if (ofport === reservedPorts.ANY)
    throw new InputError('FLOW: where does the packet come in? A real switch needs in_port');
  const bridge = bridges.find((candidate) => candidate.name === name);
  const port =
    ofport === reservedPorts.LOCAL
      ? { kind: 'endpoint', name }
      : bridge?.ports.find((candidate) => candidate.ofport === ofport);
  if (port === undefined)
    throw new InputError(
      `FLOW: bridge ${name} has no port ${ofport} that packets can be sent into`,
    );
  if (port.kind === 'patch')
    throw new InputError(
      `FLOW: ${port.name} is a patch port: packets come into it from the other bridge only; ` +
        'trace follows them',
    );
  return { port: port.name, frame };
}

/** Why the packet cannot be sent into a port: it has what no wire carries. */
export function whyUnsent({ metadata }: Pick<PacketStimulus, 'metadata'>): string | undefined {
  return metadata.length === 0
    ? undefined
    : `a real port cannot be given packets with ${printMatch(metadata)}`;
}

/**
 * The plan with a controller for every connection id that its flows and groups name, and for the id
 * of those that name none, so that their packet-ins are seen.
 * @param added lines of flows and groups that come later.
 */
export function withControllers(plan: NodePlan, added: readonly string[] = []): NodePlan {
  return {
    ...plan,
    bridges: plan.bridges.map((bridge) => ({
      ...bridge,
      controllers: controllerIds(bridge, added).map((id) => ({ id, paused: 'kept' as const })),
    })),
  };
}

function controllerIds(
  { flows, openflow10Flows = [], groups = [] }: BridgePlan,
  added: readonly string[],
): readonly number[] {
  const texts = [...flows, ...openflow10Flows, ...groups, ...added].map((text) =>
    text.replace(/^.*?actions=/, ''),
  );
  const named = texts
    .flatMap((text) => [
      ...text.matchAll(/controller\([^)]*\bid=(\d+)/gi),
      ...text.matchAll(/dec_ttl\(([\d,]+)\)/g),
    ])
    .flatMap(([, ids = '']) => ids.split(',').map(Number));
  return [...new Set([0, ...named])].sort((a, b) => a - b);
}

/**
 * Sends the packets into both, one after the other; `real` was brought up from `plan` and has seen
 * nothing yet.
 * @throws Unsupported when the model does not know what a flow on the way does, Unavailable when
 *   the switch fails.
 */
export async function checkPackets(
  plan: NodePlan,
  real: Switches,
  injections: readonly Injection[],
  before: Preparation = { calls: [], realCalls: [], initialState: { connections: [], macs: [] } },
): Promise<CheckResult> {
  const model = openModel({ nodes: [plan] }, real.versions);
  await applyPreparation(model, real, before);
  await before.whenReady?.();
  const steps: AnsweredStep[] = [];
  for (const [index, { port, frame }] of injections.entries())
    steps.push(
      ...(await callBoth(
        { model, real },
        [{ kind: 'receive', node: plan.node, port, frames: [frame] }],
        index,
      )),
    );
  return await compareAnswers(plan, { model, real }, steps);
}

/** What gives both sides the state that they begin with. */
export interface Preparation {
  /** In their order. */
  readonly calls: readonly SwitchCall[];
  /** The same for real switches. */
  readonly realCalls: readonly SwitchCall[];
  /** What is there then. */
  readonly initialState: InitialState;
  /** Called when both are there, before the first packet. */
  readonly whenReady?: () => Promise<void>;
}

/** @throws InputError with the line of a dump for what cannot be remembered. */
export async function applyPreparation(
  model: ModelTestbed,
  real: Testbed,
  { calls, realCalls, initialState }: Preparation,
): Promise<void> {
  for (const call of realCalls) await real.call([call]);
  for (const call of calls) await model.call([call]);
  checkInitialState(initialState, await model.state());
}

/** The switch first: the model may ask it where OpenFlow leaves the outcome open. */
export async function callBoth(
  { model, real }: { readonly model: ModelTestbed; readonly real: Testbed },
  calls: readonly SwitchCall[],
  index: number,
): Promise<readonly AnsweredStep[]> {
  const seen = calls.length === 0 ? [] : await real.call(calls);
  const predicted = calls.length === 0 ? [] : await model.call(calls, oracleFrom(real));
  return predicted.map((expected, place) => ({
    index,
    expected,
    actual: seen[place] ?? { outputs: [] },
  }));
}

/**
 * What both made of packets one after the other, and what they have counted and remember after the
 * last.
 */
export async function compareAnswers(
  plan: NodePlan,
  { model, real }: { readonly model: Testbed; readonly real: Switches },
  answered: readonly AnsweredStep[],
): Promise<CheckResult> {
  const final = await compareFinalState({ expected: model, actual: real }, 1);
  const steps = compareSteps(placeOf(plan), answered, await real.lateFrames());
  const first = steps.findings[0]?.step;
  if (steps.findings.length + final.findings.length > 0) await real.assertUndisturbed();
  return {
    counts: addCounts([steps.counts, final.counts]),
    findings: [...steps.findings.filter(({ step }) => step === first), ...final.findings],
  };
}

function placeOf({ node, bridges }: NodePlan): ComparedPlace {
  const ports = bridges.flatMap((bridge) => [
    bridge.name,
    ...bridge.ports.filter(({ kind }) => kind !== 'patch').map(({ name }) => name),
  ]);
  return { node, ports, bridges };
}
