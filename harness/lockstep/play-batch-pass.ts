/**
 * Many vectors at once, between two resets: each has hosts of its own, and what they send at one
 * time goes through the switches in one call. Their packets must not meet, so that it does not
 * matter how a switch orders them: different addresses or ports, no fragments, no learning flows.
 */
import { isDeepStrictEqual } from 'node:util';
import { assert, Unsupported } from '../base/errors/errors.js';
import { memoriesOf, type VectorRandomness, type KnownNeighbours } from '../fabric/stack/host.js';
import { runStimulus } from '../fabric/fabric.js';
import type { Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { FabricCall, SwitchStep } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import type { Oracle } from '../model/ambiguity.js';
import type { Reference } from '../testbeds/reference.js';
import type { Testbed } from '../testbeds/testbed.js';
import { oracleFrom } from './oracle.js';

/** What one of them sends, and what its sender puts into it. */
export interface BatchedStimulus {
  readonly stimulus: Stimulus;
  readonly draws: VectorRandomness;
}

/**
 * `parted`: at some call the switches let other frames out than the model; what each vector then
 * met is not known.
 */
export type BatchPassResult =
  | { readonly kind: 'alike'; readonly observations: readonly Observation[] }
  | { readonly kind: 'diverged'; readonly where: string };

type ReceiveCall = Extract<FabricCall, { readonly kind: 'receive' }>;

/** A vector under way. */
interface RunningVector {
  readonly fabric: ReturnType<typeof runStimulus>;
  pendingCalls: IteratorResult<readonly FabricCall[], Observation>;
}

/**
 * One frame that a player sends, and where its steps go: at the place of its call among
 * those that the player waits for.
 */
interface PendingFrame {
  readonly steps: SwitchStep[];
  readonly index: number;
  readonly call: ReceiveCall;
}

/**
 * Plays them on both sides. The model takes frames one by one and so knows what each leads to; the
 * switches take all frames of a port in one call, and what comes out of a port must be, frame by
 * frame and byte by byte, what the model says, in whatever order.
 * @throws Unsupported where the model cannot predict.
 */
export async function playBatchPass(
  model: Reference,
  real: Testbed,
  plan: ClusterPlan,
  stimuli: readonly BatchedStimulus[],
  known: KnownNeighbours,
): Promise<BatchPassResult> {
  const vectors = stimuli.map(({ stimulus, draws }): RunningVector => {
    const fabric = runStimulus(plan, stimulus, draws, memoriesOf(known));
    return { fabric, pendingCalls: fabric.next() };
  });
  for (;;) {
    const waiting = vectors.filter(({ pendingCalls }) => pendingCalls.done !== true);
    if (waiting.length === 0)
      return {
        kind: 'alike',
        observations: vectors.map(({ pendingCalls }) => observationOf(pendingCalls)),
      };
    const sending = waiting.filter((vector) => callsOf(vector)[0]?.kind === 'receive');
    if (sending.length === 0) {
      await advanceAll([model, real], plan, waiting);
      continue;
    }
    const where = await sendAll(model, real, sending);
    if (where !== undefined) return { kind: 'diverged', where };
  }
}

function observationOf(pendingCalls: RunningVector['pendingCalls']): Observation {
  assert(pendingCalls.done === true, 'a vector that is over');
  return pendingCalls.value;
}

/**
 * All frames that are to be sent, in calls of one port a node; undefined when both sides did the
 * same.
 */
async function sendAll(
  model: Reference,
  real: Testbed,
  vectors: readonly RunningVector[],
): Promise<string | undefined> {
  const made = vectors.map((vector) => ({ player: vector, steps: [] as SwitchStep[] }));
  for (const round of inRounds(
    made.flatMap(({ player: vector, steps }) =>
      callsOf(vector).map((call, index): PendingFrame => ({ steps, index, call: receiving(call) })),
    ),
  )) {
    const ports = round.map(
      (frames): PortRound => ({ frames, predicted: [], observed: [], unsent: [] }),
    );
    for (const port of ports) await predict(model, real, port);
    const unsent = ports.filter((port) => port.unsent.length > 0);
    for (const [index, step] of (await real.call(unsent.map(callFor))).entries())
      unsent[index]?.observed.push(step);
    for (const { frames, predicted, observed } of ports) {
      if (observed.some(hasPacketIns)) return 'packet-ins';
      const [expected, seen] = [predicted, observed].map((steps) =>
        steps.flatMap(outputTexts).sort(),
      );
      if (!isDeepStrictEqual(seen, expected))
        return (
          `what came out of ${callAt(frames).node} when ${frames.length} frames went into ` +
          callAt(frames).port
        );
    }
  }
  for (const { player: vector, steps } of made) vector.pendingCalls = vector.fabric.next(steps);
  return undefined;
}

/** What goes into one port of a node. */
interface PortRound {
  readonly frames: readonly PendingFrame[];
  readonly predicted: SwitchStep[];
  readonly observed: SwitchStep[];
  /** What the model took and the switches did not yet. */
  unsent: PendingFrame[];
}

/**
 * The model takes the frames. Where the switch must be asked what it did with one, that and those
 * before it are sent first.
 */
async function predict(model: Reference, real: Testbed, port: PortRound): Promise<void> {
  const send = async () => {
    port.observed.push(...(await real.call([callFor(port)])));
    port.unsent = [];
  };
  const whenSent =
    <T>(ask: () => Promise<T>) =>
    async () => {
      if (port.unsent.length > 0) await send();
      return await ask();
    };
  const oracle: Oracle = {
    ...oracleFrom({ counts: whenSent(real.counts), state: whenSent(real.state) }),
    equivalentFlows: 'first',
  };
  for (const frame of port.frames) {
    port.unsent.push(frame);
    const [step] = await model.call([frame.call], oracle);
    assert(step !== undefined, 'a step for every call');
    if (hasPacketIns(step))
      throw new Unsupported('controllers get packet-ins, which a batch cannot compare');
    frame.steps[frame.index] = step;
    port.predicted.push(step);
  }
}

function callFor({ frames, unsent }: PortRound): ReceiveCall {
  return { ...callAt(frames), frames: unsent.flatMap(({ call }) => call.frames), areApart: true };
}

function hasPacketIns({ packetIns = [] }: SwitchStep): boolean {
  return packetIns.length > 0;
}

/**
 * Time passes for all of them as soon as nobody sends any more: as much as the most impatient waits
 * for.
 */
async function advanceAll(
  testbeds: readonly Testbed[],
  { nodes }: ClusterPlan,
  vectors: readonly RunningVector[],
): Promise<void> {
  const ms = Math.min(...vectors.map(waitOf));
  for (const testbed of testbeds) {
    const steps = await testbed.call(nodes.map(({ node }) => ({ kind: 'advance', node, ms })));
    if (steps.some((step) => step.outputs.length > 0 || hasPacketIns(step)))
      throw new Unsupported(
        'frames came out while time passed, which cannot be attributed to a vector of ' + 'a batch',
      );
  }
  for (const vector of vectors) {
    const left = waitOf(vector) - ms;
    vector.pendingCalls =
      left === 0
        ? vector.fabric.next(nodes.map(() => ({ outputs: [] })))
        : { done: false, value: nodes.map(({ node }) => ({ kind: 'advance', node, ms: left })) };
  }
}

/** What comes out, as texts that are the same for the same frame at the same port. */
function outputTexts({ outputs }: SwitchStep): readonly string[] {
  return outputs.map(
    ({ port, frame }) =>
      `${port} ${Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('latin1')}`,
  );
}

function callsOf({ pendingCalls }: RunningVector): readonly FabricCall[] {
  assert(pendingCalls.done !== true, 'a vector under way');
  return pendingCalls.value;
}

function receiving(call: FabricCall): ReceiveCall {
  assert(call.kind === 'receive', 'a vector sends, or waits');
  return call;
}

/** Milliseconds, the same on all nodes. */
function waitOf(vector: RunningVector): number {
  const [call] = callsOf(vector);
  assert(call?.kind === 'advance', 'a vector waits that does not send');
  return call.ms;
}

/** By node and port, and these in rounds of one port a node. */
function inRounds(
  frames: readonly PendingFrame[],
): readonly (readonly (readonly PendingFrame[])[])[] {
  const byNode = new Map<string, Map<string, PendingFrame[]>>();
  for (const frame of frames) {
    const ports = byNode.get(frame.call.node) ?? new Map<string, PendingFrame[]>();
    byNode.set(frame.call.node, ports);
    const port = ports.get(frame.call.port) ?? [];
    ports.set(frame.call.port, port);
    port.push(frame);
  }
  const queues = [...byNode.values()].map((ports) => [...ports.values()]);
  const length = Math.max(...queues.map((queue) => queue.length));
  return Array.from({ length }, (_, index) =>
    queues.flatMap((queue) => queue.slice(index, index + 1)),
  );
}

function callAt([first]: readonly PendingFrame[]): ReceiveCall {
  assert(first !== undefined, 'a port that nothing is sent into is not called');
  return first.call;
}
