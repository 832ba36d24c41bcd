/**
 * What surrounds the switches: wires, the network between nodes, and the hosts' stacks, in virtual time. It never
 * calls a switch: it yields calls and is resumed with their results, so that the synchronous model and real
 * switches need no second copy.
 */
import { assert } from '../base/errors.js';
import { formatMac } from '../base/address.js';
import type { FrameEvent, HostNote, Observation } from '../nouns/observation.js';
import type { ClusterPlan, InterfacePlan } from '../nouns/plan.js';
import type { FabricCall, SwitchStep } from '../nouns/switching.js';
import type { Stimulus } from '../nouns/vector.js';
import { createAgenda } from './agenda.js';
import { createHost, type Draws, type Effect, type Host, type Timer } from './host.js';
import { begin, isAwaited, receive, wake } from './stack.js';

/** How long a frame takes from a host to its switch port and back, and between two nodes. */
export const latencyUs = { port: 10, underlay: 100 } as const;

/** A vector that causes more frames than this goes round in circles. */
export const framesMax = 10_000;

type Entry =
  | { readonly kind: 'to-switch'; readonly node: string; readonly port: string; readonly frame: Uint8Array }
  | { readonly kind: 'to-host'; readonly host: Host; readonly via: InterfacePlan; readonly frame: Uint8Array }
  | { readonly kind: 'wake'; readonly host: Host; readonly timer: Timer };
type ToSwitch = Extract<Entry, { kind: 'to-switch' }>;

/** Carries out one stimulus among fresh hosts until nothing more happens, or `framesMax` frames were not enough for it. */
export function* runStimulus(plan: ClusterPlan, stimulus: Stimulus, random: Draws): Generator<readonly FabricCall[], Observation, readonly SwitchStep[]> {
  const wiring = wire(plan, stimulus, random);
  const agenda = createAgenda<Entry>();
  const frames: FrameEvent[] = [];
  const notes: HostNote[] = [];

  const carryOut = (host: Host, nowUs: number, effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'send') agenda.put(nowUs + latencyUs.port, { kind: 'to-switch', ...wiring.placeOf(host, effect.via), frame: effect.frame });
      else if (effect.kind === 'wake') agenda.put(nowUs + effect.delayUs, { kind: 'wake', host, timer: effect.timer });
      else notes.push({ ...effect.note, host: host.plan.name, timeUs: nowUs });
    }
  };
  const deliver = (asked: readonly { readonly node: string }[], steps: readonly SwitchStep[], nowUs: number): void => {
    assert(steps.length === asked.length, 'a step for every call');
    asked.forEach(({ node }, index) => {
      for (const { port, frame } of byPort(steps[index]?.outputs ?? [])) {
        frames.push({ timeUs: nowUs, node, port, direction: 'out', frame });
        for (const { delayUs, entry } of wiring.beyond(node, port, frame)) agenda.put(nowUs + delayUs, entry);
      }
    });
  };

  const sender = wiring.host(stimulus.from);
  carryOut(sender, 0, begin(sender, stimulus));
  let switchTimeMs = 0;
  for (let nowUs = agenda.nextTime(isLive); nowUs !== undefined; nowUs = agenda.nextTime(isLive)) {
    const elapsedMs = Math.floor(nowUs / 1000) - switchTimeMs;
    if (elapsedMs > 0) deliver(plan.nodes, yield plan.nodes.map(({ node }) => ({ kind: 'advance', node, ms: elapsedMs })), nowUs);
    switchTimeMs += elapsedMs;
    const due = agenda.take(nowUs);
    for (const entry of due) {
      if (entry.kind === 'to-host') carryOut(entry.host, nowUs, receive(entry.host, entry.via, entry.frame));
      else if (entry.kind === 'wake') carryOut(entry.host, nowUs, wake(entry.host, entry.timer));
    }
    for (const round of rounds(due.filter((entry) => entry.kind === 'to-switch'))) {
      for (const { node, port, frame } of round) frames.push({ timeUs: nowUs, node, port, direction: 'in', frame });
      deliver(round, yield round.map(({ node, port, frame }) => ({ kind: 'receive', node, port, frames: [frame] })), nowUs);
    }
    if (frames.length > framesMax) {
      notes.push({ kind: 'endless', host: stimulus.from, timeUs: nowUs });
      break;
    }
  }
  return { frames, notes };
}

function isLive(entry: Entry): boolean {
  return entry.kind !== 'wake' || isAwaited(entry.host, entry.timer);
}

/** Frames that are due at one instant, in rounds of at most one a node, so that no order is left to chance. */
function rounds(due: readonly ToSwitch[]): readonly (readonly ToSwitch[])[] {
  const sorted = [...due].sort((a, b) => compareText(a.node, b.node) || compareText(a.port, b.port));
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

interface Wiring {
  host(name: string): Host;
  /** The switch port at the other end of a host's interface. */
  placeOf(host: Host, via: InterfacePlan): { readonly node: string; readonly port: string };
  /** Where a frame goes that left a switch port: to a host, to other nodes, or nowhere. */
  beyond(node: string, port: string, frame: Uint8Array): readonly { readonly delayUs: number; readonly entry: Entry }[];
}

function wire(plan: ClusterPlan, stimulus: Stimulus, random: Draws): Wiring {
  const interjection = stimulus.kind === 'tcp' ? stimulus.interjection : undefined;
  const hosts = new Map<string, { readonly host: Host; readonly node: string }>();
  const behind = new Map<string, { readonly host: Host; readonly via: InterfacePlan }>();
  for (const { node, hosts: hostPlans } of plan.nodes) {
    for (const hostPlan of hostPlans) {
      const host = createHost(hostPlan, random, interjection);
      hosts.set(hostPlan.name, { host, node });
      for (const via of hostPlan.interfaces) behind.set(`${node} ${via.port}`, { host, via });
    }
  }
  const uplinks = plan.nodes.flatMap(({ node, bridges }) => bridges.flatMap((bridge) => bridge.ports.flatMap((port) => (port.kind === 'uplink' ? [{ node, port }] : []))));
  const find = (name: string) => {
    const found = hosts.get(name);
    assert(found !== undefined, `no host ${name} in the plan`);
    return found;
  };
  return {
    host: (name) => find(name).host,
    placeOf: (host, via) => ({ node: find(host.plan.name).node, port: via.port }),
    beyond(node, port, frame) {
      const end = behind.get(`${node} ${port}`);
      if (end !== undefined) return [{ delayUs: latencyUs.port, entry: { kind: 'to-host', ...end, frame } }];
      if (!uplinks.some((uplink) => uplink.node === node && uplink.port.name === port)) return [];
      // The network between nodes is one switch that knows every node's address.
      const destination = formatMac(frame);
      const toAll = ((frame[0] ?? 0) & 1) === 1;
      return uplinks
        .filter((uplink) => (uplink.node !== node || uplink.port.name !== port) && (toAll || uplink.port.mac === destination))
        .map((uplink) => ({ delayUs: latencyUs.underlay, entry: { kind: 'to-switch', node: uplink.node, port: uplink.port.name, frame } }));
    },
  };
}
