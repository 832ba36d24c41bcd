/** Packets through the model and through a real switch that holds the same flows. */
import { InputError } from '../base/errors/errors.js';
import { compareCounters, type CounterDifference } from '../compare/compare-counters.js';
import { compareFrames, type FrameDifference } from '../compare/compare-frames.js';
import { comparePacketIns, type PacketInDifference } from '../compare/compare-packet-ins.js';
import { compareState, type StateDifference } from '../compare/compare-state.js';
import type { FrameEvent } from '../domain/observation.js';
import type { BridgePlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { PacketIn, SwitchStep } from '../domain/switching.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { printMatch } from '../openflow/match/print-match.js';
import { oracleFrom } from '../lockstep/oracle.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Testbed } from '../testbeds/testbed.js';
import type { PacketStimulus } from './packet-stimulus.js';

export interface CheckResult {
  readonly compared: Compared;
  /**
   * Of the first packet that differs; what follows may only be its consequence. `packet` counts
   * from 1.
   */
  readonly frames: readonly (FrameDifference & { readonly packet: number })[];
  readonly packetIns: readonly PacketInDifference[];
  readonly counters: readonly CounterDifference[];
  readonly state: readonly StateDifference[];
}

/**
 * What was compared: frames that came out, ports that stayed silent, packet-ins, counters of flows,
 * entries of state.
 */
export interface Compared {
  readonly frames: number;
  readonly silent: number;
  readonly packetIns: number;
  readonly counters: number;
  readonly entries: number;
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
  if (metadata.length > 0)
    throw new InputError(
      `FLOW: a real port cannot be given packets with ${printMatch(metadata)}: trace follows ` +
        'such packets, check sends bytes into a port',
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

/**
 * The plan with a controller for every connection id that its flows and groups name, and for the id
 * of those that name none, so that what they are told is seen.
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
  { flows, groups = [] }: BridgePlan,
  added: readonly string[],
): readonly number[] {
  const texts = [...flows, ...groups, ...added].map((text) => text.replace(/^.*?actions=/, ''));
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
 *   the switch gives out.
 */
export async function checkPackets(
  plan: NodePlan,
  real: Testbed,
  injections: readonly Injection[],
): Promise<CheckResult> {
  const model = openModel({ nodes: [plan] }, real.versions);
  const predicted: SwitchStep[] = [];
  const seen: SwitchStep[] = [];
  for (const { port, frame } of injections) {
    const calls = [{ kind: 'receive', node: plan.node, port, frames: [frame] }] as const;
    seen.push(...(await real.call(calls)));
    predicted.push(...(await model.call(calls, oracleFrom(real))));
  }
  return await compareAnswers(plan, { model, real }, predicted, seen);
}

/**
 * What both made of packets one after the other, and what they have counted and remember after the
 * last.
 */
export async function compareAnswers(
  plan: NodePlan,
  { model, real }: { readonly model: Testbed; readonly real: Testbed },
  predicted: readonly SwitchStep[],
  seen: readonly SwitchStep[],
): Promise<CheckResult> {
  const counters = compareCounters(await model.counts(), await real.counts());
  const state = compareState(await model.state(), await real.state(), 1);
  const strays = (await real.strays()).map(
    (stray): FrameEvent => ({ ...stray, timeUs: predicted.length, direction: 'out' }),
  );
  const frames = compareAll(plan, predicted, seen, strays);
  const packetIns = comparePacketIns(plan.bridges, packetInsIn(predicted), packetInsIn(seen));
  const first = Math.min(...frames.differences.map(({ timeUs }) => timeUs));
  return {
    compared: {
      ...frames.compared,
      packetIns: packetIns.count.made,
      counters: counters.count.made,
      entries: state.connections.made + state.macs.made,
    },
    frames: frames.differences
      .filter(({ timeUs }) => timeUs === first)
      .map((difference) => ({ ...difference, packet: difference.timeUs + 1 })),
    packetIns: packetIns.differences,
    counters: [...counters.differences, ...counters.unmatched],
    state: state.differences,
  };
}

/**
 * Packet by packet: their numbers stand for time. Frames that came unasked stand behind the last.
 */
function compareAll(
  plan: NodePlan,
  predicted: readonly SwitchStep[],
  seen: readonly SwitchStep[],
  strays: readonly FrameEvent[],
): {
  readonly differences: readonly FrameDifference[];
  readonly compared: Pick<Compared, 'frames' | 'silent'>;
} {
  const wired = plan.bridges.flatMap((bridge) => [
    bridge.name,
    ...bridge.ports.filter(({ kind }) => kind !== 'patch').map(({ name }) => name),
  ]);
  const ports = new Set(wired.map((name) => `${plan.node} ${name}`));
  const each = [
    ...predicted.map((step, packet) =>
      compareFrames(eventsOf(plan, step, packet), eventsOf(plan, seen[packet], packet), ports),
    ),
    compareFrames([], strays, new Set()),
  ];
  const sum = (count: (of: (typeof each)[number]) => number) =>
    each.reduce((total, one) => total + count(one), 0);
  return {
    differences: each.flatMap(({ differences }) => differences),
    compared: {
      frames: sum(({ frames }) => frames.made),
      silent: sum(({ silence }) => silence.made),
    },
  };
}

function eventsOf(
  { node }: NodePlan,
  step: SwitchStep | undefined,
  packet: number,
): readonly FrameEvent[] {
  return (step?.outputs ?? []).map(({ port, frame }) => ({
    timeUs: packet,
    node,
    port,
    direction: 'out',
    frame,
  }));
}

function packetInsIn(steps: readonly SwitchStep[]): readonly PacketIn[] {
  return steps.flatMap(({ packetIns }) => packetIns ?? []);
}

/** Whether model and switch agree in all that was compared. */
export function agrees({ frames, packetIns, counters, state }: CheckResult): boolean {
  return frames.length + packetIns.length + counters.length + state.length === 0;
}
