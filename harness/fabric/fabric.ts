/**
 * What surrounds the switches: wires, the network between nodes, and the hosts' stacks, in virtual
 * time. It never calls a switch: it yields calls and is resumed with their results, so that the
 * synchronous model and real switches need no second copy.
 */
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { assert } from '../base/errors/errors.js';
import type { FrameEvent, HostFrame, HostNote, Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { InterfacePlan } from '../domain/plan/host-plan.js';
import type { FabricCall, SwitchStep } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import { createEventQueue } from './event-queue.js';
import {
  noMemories,
  type VectorRandomness,
  type Effect,
  type Host,
  type HostMemories,
  type Timer,
} from './stack/host.js';
import { isTimerPending, receive, fireTimer } from './stack/host-stack.js';
import { startStimulus } from './stack/start-stimulus.js';
import { connectWires, type Arrival } from './wiring.js';

/** A vector that causes more frames than this goes round in circles. */
export const framesMax = 10_000;

type Entry = Arrival | { readonly kind: 'wake'; readonly host: Host; readonly timer: Timer };
type ToSwitch = Extract<Entry, { kind: 'to-switch' }>;

/**
 * Plays one stimulus until nothing more happens, or `framesMax` frames were not enough for
 * it.
 * @param memories what hosts know from before, and remember for later; without them hosts are
 *   fresh.
 */
export function* runStimulus(
  plan: ClusterPlan,
  stimulus: Stimulus,
  random: VectorRandomness,
  memories: HostMemories = noMemories(),
): Generator<readonly FabricCall[], Observation, readonly SwitchStep[]> {
  const { clock } = memories;
  const startUs = clock.nowUs;
  const wiring = connectWires(plan, stimulus, random, memories);
  const queue = createEventQueue<Entry>();
  const frames: FrameEvent[] = [];
  const notes: HostNote[] = [];
  const hostFrames: HostFrame[] = [];
  const applyEffects = (host: Host, nowUs: number, effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'send') {
        const { frame } = effect;
        hostFrames.push({ timeUs: nowUs, host: host.plan.name, kind: 'sent', frame });
        for (const { delayUs, arrival } of wiring.fromHost(host, effect.via, effect.frame))
          queue.put(nowUs + delayUs, arrival);
      } else if (effect.kind === 'wake')
        queue.put(nowUs + effect.delayUs, { kind: 'wake', host, timer: effect.timer });
      else notes.push({ ...effect.note, host: host.plan.name, timeUs: nowUs });
    }
  };
  const deliver = (
    asked: readonly { readonly node: string }[],
    steps: readonly SwitchStep[],
    nowUs: number,
  ): void => {
    assert(steps.length === asked.length, 'a step for every call');
    asked.forEach(({ node }, index) => {
      for (const { port, frame } of byPort(steps[index]?.outputs ?? [])) {
        frames.push({ timeUs: nowUs, node, port, direction: 'out', frame });
        for (const { delayUs, arrival } of wiring.fromSwitch(node, port, frame))
          queue.put(nowUs + delayUs, arrival);
      }
    });
  };

  const sender = wiring.host(stimulus.from);
  const unasked = unaskedCalls(plan, stimulus);
  if (unasked.length > 0) deliver(unasked, yield unasked, 0);
  else applyEffects(sender, 0, startStimulus(sender, stimulus));
  let switchTimeMs = 0;
  for (let nowUs = queue.nextTime(isLive); nowUs !== undefined; nowUs = queue.nextTime(isLive)) {
    clock.nowUs = startUs + nowUs;
    const elapsedMs = Math.floor(nowUs / 1000) - switchTimeMs;
    if (elapsedMs > 0) deliver(plan.nodes, yield advanceCalls(plan, elapsedMs), nowUs);
    switchTimeMs += elapsedMs;
    const due = queue.take(nowUs);
    for (const entry of due) {
      if (entry.kind === 'to-host') {
        const { kind, effects } = arriveAt(entry);
        hostFrames.push({ timeUs: nowUs, host: entry.host.plan.name, kind, frame: entry.frame });
        applyEffects(entry.host, nowUs, effects);
      } else if (entry.kind === 'wake')
        applyEffects(entry.host, nowUs, fireTimer(entry.host, entry.timer));
    }
    for (const round of rounds(due.filter((entry) => entry.kind === 'to-switch'))) {
      for (const { node, port, frame } of round)
        frames.push({ timeUs: nowUs, node, port, direction: 'in', frame });
      deliver(round, yield round.map(receiveCall), nowUs);
    }
    if (frames.length > framesMax) {
      notes.push({ kind: 'endless', host: stimulus.from, timeUs: nowUs });
      break;
    }
  }
  return { frames, notes, hostFrames };
}

function advanceCalls({ nodes }: ClusterPlan, ms: number): readonly FabricCall[] {
  return nodes.map(({ node }) => ({ kind: 'advance', node, ms }));
}

function receiveCall({ node, port, frame }: ToSwitch): FabricCall {
  return { kind: 'receive', node, port, frames: [frame] };
}

function arriveAt({ host, via, frame }: Extract<Entry, { kind: 'to-host' }>): {
  readonly kind: HostFrame['kind'];
  readonly effects: readonly Effect[];
} {
  const ownBefore = host.own.packets;
  const effects = receive(host, via, frame);
  return { kind: isInTransit(host, via, frame, ownBefore) ? 'in transit' : 'arrived', effects };
}

/** A router forwards, or drops, what is sent to its interface and is not for itself. */
function isInTransit(
  { plan, own }: Host,
  { mac }: InterfacePlan,
  frame: Uint8Array,
  ownBefore: number,
): boolean {
  const isRouter = plan.kind.endsWith('-node') || plan.forwarding !== undefined;
  return isRouter && own.packets === ownBefore && formatMac(frame) === mac;
}

/** What comes out of switches without a frame into them: no host begins it. */
function unaskedCalls({ nodes }: ClusterPlan, stimulus: Stimulus): readonly FabricCall[] {
  if (stimulus.kind === 'announcement') {
    const { from: node, copy, address } = stimulus;
    return [{ kind: 'announce', node, copy, ...(address === undefined ? {} : { address }) }];
  }
  // It was sent before, and has come out of the switches by now.
  return stimulus.kind === 'ping' && stimulus.waited === true
    ? nodes.map(({ node }) => ({ kind: 'advance', node, ms: 0 }))
    : [];
}

function isLive(entry: Entry): boolean {
  return entry.kind !== 'wake' || isTimerPending(entry.host, entry.timer);
}

/**
 * Frames that are due at one instant, in rounds of at most one a node, so that no order is left to
 * chance.
 */
function rounds(due: readonly ToSwitch[]): readonly (readonly ToSwitch[])[] {
  const sorted = [...due].sort(
    (a, b) => compareText(a.node, b.node) || compareText(a.port, b.port),
  );
  const result: ToSwitch[][] = [];
  for (const entry of sorted) {
    const round = result.find((candidate) => candidate.every(({ node }) => node !== entry.node));
    if (round === undefined) result.push([entry]);
    else round.push(entry);
  }
  return result;
}

/** Sorted by port; frames of one port keep their order. */
function byPort(outputs: SwitchStep['outputs']): SwitchStep['outputs'] {
  return [...outputs].sort((a, b) => compareText(a.port, b.port));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
