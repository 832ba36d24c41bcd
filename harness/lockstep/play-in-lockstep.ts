/** Playing a vector, pass by pass, through the model and real switches in step. */
import { isDeepStrictEqual } from 'node:util';
import { runStimulus } from '../fabric/fabric.js';
import { isCached } from '../compare/cache-count.js';
import type { NodePacketIns } from '../compare/compared-pass.js';
import type { Trace } from '../model/trace/trace.js';
import type { PassWork } from '../compare/compare-work.js';
import { passWork, readWork } from './pass-work.js';
import { oracleFrom } from './oracle.js';
import { drawsFor } from './vector-randomness.js';
import type { Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { FabricCall, FlowCount, CacheLookups, SwitchStep } from '../domain/switching.js';
import type { Pass } from '../domain/test-vector.js';
import type { Reference } from '../testbeds/reference.js';
import type { Switches, Testbed } from '../testbeds/testbed.js';

/** How things stood right after the first call at which model and switch gave different answers. */
export interface Divergence {
  readonly modelCounts: readonly FlowCount[];
  readonly realCounts: readonly FlowCount[];
  /** The model's traces of that call alone. */
  readonly traces: readonly Trace[];
  /** Its traces of the vector's calls before that. */
  readonly earlier: readonly Trace[];
}

export interface PlayedPass {
  readonly pass: Pass;
  readonly model: Observation;
  readonly real: Observation;
  /** What the real datapaths' caches were asked during the pass. */
  readonly lookups: CacheLookups;
  /** What the model's packets went through. */
  readonly traces: readonly Trace[];
  readonly packetIns: readonly NodePacketIns[];
  /** Where it was asked for. */
  readonly work?: PassWork;
}

/** Whether it is read what each pass needed. */
export type WorkUse = 'counted' | 'left out';

export interface PlayedVector {
  /** Those that were played: the one in which model and switches diverge is the last. */
  readonly passes: readonly PlayedPass[];
  readonly divergence: Divergence | undefined;
}

/** What a fabric is played on. */
export interface CallTarget {
  call(calls: readonly FabricCall[]): ReturnType<Testbed['call']>;
}

type Fabric = Generator<readonly FabricCall[], Observation, readonly SwitchStep[]>;

/**
 * Plays the passes of the vector called `id`, one after the other, until all are played or model
 * and switches diverge. Where the cache alone answered the second, there is no need for a third to
 * see that.
 */
export async function playInLockstep(
  model: Reference,
  real: Switches,
  plan: ClusterPlan,
  id: string,
  passes: readonly Pass[],
  seed: number,
  work: WorkUse = 'left out',
): Promise<PlayedVector> {
  const draws = drawsFor(seed, id);
  const played: PlayedPass[] = [];
  for (const pass of passes) {
    if (pass.name === 'cached' && played.some(isCached)) continue;
    const [before, traced] = [real.lookups(), model.traces().length];
    const workBefore = work === 'counted' ? await readWork(model, real) : undefined;
    const {
      divergence,
      answers: _,
      ...seen
    } = await playPass(model, real, [
      runStimulus(plan, pass.stimulus, draws),
      runStimulus(plan, pass.stimulus, draws),
    ]);
    const needed = workBefore && passWork(workBefore, await readWork(model, real));
    played.push({
      ...seen,
      ...(needed === undefined ? {} : { work: needed }),
      pass,
      traces: model.traces().slice(traced),
      lookups: lookupsSince(before, real),
    });
    if (divergence !== undefined) return { passes: played, divergence };
  }
  return { passes: played, divergence: undefined };
}

/** @throws Disturbed where something outside reached into either side since the last reset. */
export async function assertUndisturbed(...sides: readonly Testbed[]): Promise<void> {
  await Promise.all(sides.map((side) => side.assertUndisturbed()));
}

/** What the caches were asked since `before`. */
export function lookupsSince(before: CacheLookups, real: Switches): CacheLookups {
  const { hit, missed } = real.lookups();
  return { hit: hit - before.hit, missed: missed - before.missed };
}

/** One pass as it was played. */
interface PassPlayback {
  /** Of each call, up to the end or to where the sides differ. */
  readonly packetIns: readonly NodePacketIns[];
  readonly model: Observation;
  readonly real: Observation;
  readonly divergence: Divergence | undefined;
  /** What both sides answered alike, call by call, up to the end or to where they diverge. */
  readonly answers: readonly (readonly SwitchStep[])[];
}

/**
 * As long as both sides answer alike they are asked the same, and what surrounds them is the same:
 * one fabric asks both, the switches'. At the first difference the model's takes up what was
 * answered until then; from there each side goes its own way, to its end.
 */
export async function playPass(
  model: Reference,
  real: Testbed,
  [modelFabric, realFabric]: readonly [Fabric, Fabric],
): Promise<PassPlayback> {
  const oracle = oracleFrom(real);
  const modelTarget: CallTarget = { call: (calls) => model.call(calls, oracle) };
  const answers: (readonly SwitchStep[])[] = [];
  const packetIns: NodePacketIns[] = [];
  let pendingCalls = realFabric.next();
  while (pendingCalls.done !== true) {
    const before = model.traces().length;
    const observed = await real.call(pendingCalls.value);
    const outputs = () => observed.flatMap((step) => step.outputs);
    const predicted = await model.call(pendingCalls.value, { ...oracle, outputs });
    packetIns.push(...packetInsOf(pendingCalls.value, predicted, observed));
    if (!sameOutputs(predicted, observed)) {
      const divergence = {
        modelCounts: await model.counts(),
        realCounts: await real.counts(),
        traces: model.traces().slice(before),
        earlier: model.traces().slice(0, before),
      };
      return {
        model: await runToEnd(
          modelTarget,
          modelFabric,
          replayAnswers(modelFabric, [...answers, predicted]),
        ),
        real: await runToEnd(real, realFabric, realFabric.next(observed)),
        divergence,
        answers,
        packetIns,
      };
    }
    answers.push(observed);
    pendingCalls = realFabric.next(observed);
  }
  const seen = pendingCalls.value;
  return { model: seen, real: seen, divergence: undefined, answers, packetIns };
}

/** Of the calls after which controllers get packet-ins, by either side. */
function packetInsOf(
  calls: readonly FabricCall[],
  predicted: readonly SwitchStep[],
  observed: readonly SwitchStep[],
): readonly NodePacketIns[] {
  return calls.flatMap(({ node }, index) => {
    const [expected, actual] = [predicted, observed].map((steps) => steps[index]?.packetIns ?? []);
    return [...(expected ?? []), ...(actual ?? [])].length === 0
      ? []
      : [{ node, expected: expected ?? [], actual: actual ?? [] }];
  });
}

/** A fabric that has not begun asks, and gets these answers: what it asks then. */
export function replayAnswers(
  fabric: Fabric,
  answers: readonly (readonly SwitchStep[])[],
): ReturnType<Fabric['next']> {
  let asks = fabric.next();
  for (const answer of answers) asks = fabric.next(answer);
  return asks;
}

/** Answers what a fabric asks until it ends. */
export async function runToEnd(
  testbed: CallTarget,
  fabric: Fabric,
  asks: IteratorResult<readonly FabricCall[], Observation>,
): Promise<Observation> {
  let asked = asks;
  while (asked.done !== true) asked = fabric.next(await testbed.call(asked.value));
  return asked.value;
}

function sameOutputs(a: readonly SwitchStep[], b: readonly SwitchStep[]): boolean {
  return isDeepStrictEqual(a.map(framesByPort), b.map(framesByPort));
}

/** The frames out of each port, in their order: the order of ports is the testbed's own. */
function framesByPort({ outputs }: SwitchStep): ReadonlyMap<string, readonly string[]> {
  const frames = new Map<string, string[]>();
  for (const { port, frame } of outputs) {
    const text = Buffer.from(frame).toString('latin1');
    const known = frames.get(port);
    if (known === undefined) frames.set(port, [text]);
    else known.push(text);
  }
  return frames;
}
