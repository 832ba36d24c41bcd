/** One case through the model and through a real switch. */
import { InputError, Unavailable, Unsupported } from '../base/errors.js';
import { compareCounters } from '../compare/counters.js';
import { compareFrames } from '../compare/frames.js';
import { comparePacketIns } from '../compare/packet-ins.js';
import { compareState } from '../compare/state.js';
import type { FrameEvent } from '../nouns/observation.js';
import type { NodePlan } from '../nouns/plan.js';
import { formatFlowId, type FlowCount, type SwitchCall, type SwitchStep } from '../nouns/switching.js';
import { asCounted } from '../run/drive.js';
import type { ModelTestbed } from '../testbeds/model/model.js';
import type { Sim } from '../testbeds/sim/sim.js';
import { bridge, node, planOf, portNumbers, type FrameIn, type FuzzCase } from './case.js';
import { readCase } from './read.js';

/** What model and switch are compared in. `acceptance`: which flows and groups they take; `life`: that the switch does not die. */
export type Aspect = 'life' | 'acceptance' | 'frames' | 'packet-ins' | 'counters' | 'state';

/** Where model and switch part, the model's side first. */
export interface Difference {
  readonly aspect: Aspect;
  /** Index of the frame at which it shows, where it is one. */
  readonly at?: number;
  readonly what: string;
  readonly model: string;
  readonly switch: string;
}

export interface Judgement {
  /** Empty where both did the same, as far as it was compared. */
  readonly differences: readonly Difference[];
  /** Frames that went through both, frames that came out, and counters. */
  readonly compared: { readonly sent: number; readonly frames: number; readonly counters: number };
  /** What both refuse, in the words of the switch. */
  readonly refused: readonly string[];
  /** Why frames were left out, one entry each. */
  readonly leftOut: readonly string[];
  /** The indices of the frames that went through both, and what the switch's flows counted of them. */
  readonly played: readonly number[];
  readonly counts: readonly FlowCount[];
}

/** What plays the cases. */
export interface Sides {
  sim(): Sim;
  /** Another switch in place of one that has died. */
  restart(): Promise<void>;
  readonly openModel: (plan: { readonly nodes: readonly NodePlan[] }) => ModelTestbed;
}

/**
 * Copies of one frame that a port's socket takes; more are lost in the dummy port's queue.
 * What a switch drops there it counts as sent, so that quiet would never come.
 */
const mostCopies = 60;

/**
 * What is played without a cache. What NORMAL learns changes what is cached only some time later; and what the hash of addresses and
 * ports chooses for packets without them, by their MAC addresses, is cached for all MAC addresses (lib/flow.c, flow_mask_hash_fields).
 */
const cachedWrongly = /NORMAL|learn\(|symmetric_l3l4/;

const nothing: Judgement = { differences: [], compared: { sent: 0, frames: 0, counters: 0 }, refused: [], leftOut: [], played: [], counts: [] };

/** @throws Unavailable when the switch gives out by anything but a death of its own. */
export async function judge(sides: Sides, whole: FuzzCase): Promise<Judgement> {
  try {
    return await judgeAlive(sides, whole);
  } catch (error) {
    if (!(error instanceof Unavailable && ownDeath.test(error.message))) throw error;
    await sides.restart();
    return { ...nothing, differences: [{ aspect: 'life', what: 'the switch dies', model: 'goes on', switch: error.evidence.at(-1) ?? error.message }] };
  }
}

/** A failed assertion, or memory that is not the program's. */
const ownDeath = /was ended by SIG(ABRT|SEGV|BUS|FPE|ILL)/;

async function judgeAlive(sides: Sides, whole: FuzzCase): Promise<Judgement> {
  const sim = sides.sim();
  const { accepted, complaints } = readCase(whole);
  const refused: string[] = [];
  for (const { line, why } of complaints) {
    const refusal = await refusalOf(sim, [line]);
    if (refusal === undefined) return { ...nothing, differences: [{ aspect: 'acceptance', what: line, model: why, switch: 'takes it' }] };
    refused.push(refusal);
  }
  const refusal = await refusalOf(sim, ['flow delete', 'group delete', ...accepted.groups.map((group) => `group add ${group}`), ...accepted.flows.map((flow) => `flow add ${flow}`)]);
  if (refusal !== undefined) return { ...nothing, refused, differences: [{ aspect: 'acceptance', what: 'flows and groups', model: 'takes them', switch: refusal }] };
  await sim.reset();
  return { ...(await play(sim, sides, accepted)), refused };
}

/** What the switch says against the lines of a bundle; undefined where it carries them out. */
async function refusalOf(sim: Sim, lines: readonly string[]): Promise<string | undefined> {
  try {
    await sim.bundle(node, bridge, lines);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

async function play(sim: Sim, { openModel }: Sides, fuzzCase: FuzzCase): Promise<Judgement> {
  const plan = planOf(fuzzCase);
  const foreseen = await scout(openModel({ nodes: [plan] }), fuzzCase.frames);
  const model = openModel({ nodes: [plan] });
  const steps: Step[] = [];
  const decide = asCounted(() => sim.counts());
  const leftOut = [...foreseen.values()];
  const isUncached = [...fuzzCase.flows, ...fuzzCase.groups].some((text) => cachedWrongly.test(text));
  for (const [index, frame] of fuzzCase.frames.entries()) {
    if (foreseen.has(index)) continue;
    const [actual] = await sim.call([callOf(frame)]);
    const [expected] = await model.call([callOf(frame)], decide).catch((error: unknown) => {
      leftOut.push(whyUnknown(error));
      return [];
    });
    if (actual === undefined || expected === undefined) break;
    steps.push({ index, expected, actual });
    // With each count the cache is emptied.
    if (isUncached) await sim.counts();
  }
  // What both counted and remember is comparable where both have seen the same.
  const isWhole = steps.length + foreseen.size === fuzzCase.frames.length;
  const [atFrames, counts] = [compareSteps(steps, plan), await sim.counts()];
  const after = isWhole ? await compareAftermath(model, sim, counts) : { differences: [], counters: 0 };
  return {
    differences: [...atFrames.differences, ...after.differences],
    compared: { sent: steps.length, frames: atFrames.frames, counters: after.counters },
    refused: [], leftOut, played: steps.map(({ index }) => index), counts,
  };
}

/** What one frame led to. */
interface Step {
  readonly index: number;
  readonly expected: SwitchStep;
  readonly actual: SwitchStep;
}

function compareSteps(steps: readonly Step[], plan: NodePlan): { readonly differences: readonly Difference[]; readonly frames: number } {
  const { differences, frames } = compareFrames(steps.flatMap(({ index, expected }) => eventsOf(expected, index)), steps.flatMap(({ index, actual }) => eventsOf(actual, index)), everyPort);
  return {
    frames: frames.made,
    differences: [
      ...differences.map((found): Difference => ({ aspect: 'frames', at: found.timeUs, what: `${found.kind} frame out of ${found.port}${found.fields.length === 0 ? '' : `: ${found.fields.join(', ')}`}`, model: found.expected, switch: found.actual })),
      ...steps.flatMap((step) => packetInsOf(step, plan)),
    ],
  };
}

async function compareAftermath(model: ModelTestbed, sim: Sim, counts: readonly FlowCount[]): Promise<{ readonly differences: readonly Difference[]; readonly counters: number }> {
  const counters = compareCounters(await model.counts(), counts);
  const state = compareState(await model.state(), await sim.state(), 1);
  return {
    counters: counters.count.made,
    differences: [
      ...counters.differences.map((found): Difference => ({ aspect: 'counters', what: formatFlowId(found.flow), model: String(found.expected ?? 'no such flow'), switch: String(found.actual ?? 'no such flow') })),
      ...state.differences.map((found): Difference => ({ aspect: 'state', what: `${found.kind}: ${found.about}`, model: found.expected, switch: found.actual })),
    ],
  };
}

/** Which frames the model cannot tell the way of, or that come out too often to be seen, and why. */
async function scout(model: ModelTestbed, frames: readonly FrameIn[]): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const [index, frame] of frames.entries()) {
    try {
      const [step] = await model.call([callOf(frame)], () => Promise.resolve(0));
      if (mostAtOnePort(step) > mostCopies) found.set(index, `more than ${mostCopies} copies come out of one port`);
    } catch (error) {
      found.set(index, whyUnknown(error));
    }
  }
  return found;
}

function whyUnknown(error: unknown): string {
  if (!(error instanceof Unsupported)) throw error;
  return error.message.replace(/, at a frame into .*/s, '');
}

function mostAtOnePort(step: SwitchStep | undefined): number {
  const copies = new Map<string, number>();
  for (const { port } of step?.outputs ?? []) copies.set(port, (copies.get(port) ?? 0) + 1);
  return Math.max(0, ...copies.values());
}

const everyPort: ReadonlySet<string> = new Set([bridge, ...portNumbers].map((port) => `${node} ${port}`));

function callOf({ port, frame }: FrameIn): SwitchCall {
  return { kind: 'receive', node, port, frames: [frame] };
}

function eventsOf({ outputs }: SwitchStep, index: number): readonly FrameEvent[] {
  return outputs.map(({ port, frame }) => ({ timeUs: index, node, port, direction: 'out', frame }));
}

function packetInsOf({ index, expected, actual }: Step, { bridges }: NodePlan): readonly Difference[] {
  const { differences } = comparePacketIns(bridges, expected.packetIns ?? [], actual.packetIns ?? []);
  return differences.map((found) => ({ aspect: 'packet-ins', at: index, what: `${found.kind} packet-in at controller ${found.controller}${found.fields.length === 0 ? '' : `: ${found.fields.join(', ')}`}`, model: found.expected, switch: found.actual }));
}
