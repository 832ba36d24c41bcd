/** Packets a second: the model, beside ofproto/trace and the slow path of the same switch. */
import { type SentFrame, type Traffic, packetsOf } from './busy-traffic.js';
import { type NodeSize, busyNode } from './busy-node.js';
import { openImage } from '../images/images.js';
import { openSim } from '../harness/testbeds/sim/sim.js';
import { buildNode } from '../harness/model/build-node.js';
import type { Cost } from './cost.js';
import { processorOf, cost, sum } from './cost.js';
import { median } from './describe-machine.js';
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import type { NodePlan } from '../harness/domain/plan/cluster-plan.js';
import { connectUnixctl } from '../harness/ovs/unixctl.js';
import type { OvsSwitches } from '../harness/testbeds/ovs-switches.js';
import type { ModelNode } from '../harness/model/model-node.js';
import { receiveFrame } from '../harness/model/receive-frame.js';
import { resetNode } from '../harness/model/reset-node.js';

/** Costs of one round each: of the model, and of the same switch in three ways. */
export interface RoundCosts {
  readonly model: Cost;
  /** The slow path. */
  readonly slow: Cost;
  /** `ofproto/trace`, one command at a time, and many. */
  readonly one: Cost;
  readonly many: Cost;
}

/** The same packets through the model, the real switch's slow path, and its ofproto/trace. */
export async function rates(size: NodeSize, traffic: Traffic): Promise<readonly string[]> {
  const plan = busyNode(size);
  const turns = packetsOf(plan, packetsARound, traffic);
  const packets = turns.flat();
  const model = buildNode(plan);
  const sim = await openSim({ nodes: [plan] }, await openImage('trixie', console.error));
  const costs: RoundCosts[] = [];
  try {
    const traced = await connectTracer(sim, plan);
    for (let round = 0; round < warmingRounds; round++) throughModel(model, packets);
    for (let round = 0; round < rounds; round++)
      costs.push(await measureRound(model, sim, plan, turns, traced));
    traced.close();
  } finally {
    await sim.close();
  }
  const rate = (way: keyof RoundCosts, by: keyof Cost) =>
    packets.length / median(costs.map((one) => one[way][by]));
  const ofModel = (by: keyof Cost) => roundsInARow * rate('model', by);
  const beside = (way: keyof RoundCosts, by: keyof Cost) => [
    thousands(rate(way, by)),
    (ofModel(by) / rate(way, by)).toFixed(1),
  ];
  const { hit, missed } = model.megaflows?.stats ?? { hit: 0, missed: 0 };
  return [
    `${thousands(size.flows)} (${thousands(size.parts)})`,
    traffic,
    `${((100 * missed) / (hit + missed)).toFixed(0)} %`,
    thousands(ofModel('processor')),
    ...beside('one', 'wall'),
    ...beside('many', 'both'),
    ...beside('many', 'processor'),
    ...beside('slow', 'processor'),
  ];
}

/** A client of the switch's socket, which traces packets and empties its cache. */
export interface Tracer {
  /** Seconds of the processor that the switch has used. */
  processor(): Promise<number>;
  trace(packet: SentFrame): Promise<void>;
  purge(): Promise<void>;
  close(): void;
}

export async function connectTracer(sim: OvsSwitches, plan: NodePlan): Promise<Tracer> {
  const { vswitchd } = sim.daemons.get(plan.node) ?? { vswitchd: process.pid };
  const unixctl = await connectUnixctl(join(sim.dir, plan.node, 'ovs-vswitchd.ctl'), {
    name: 'ovs-vswitchd',
    whyEnded: () => Promise.resolve(new Unavailable('ovs-vswitchd has ended')),
  });
  const ports = new Map(
    plan.bridges.flatMap((bridge) =>
      bridge.ports.map(({ name, ofport }) => [name, ofport] as const),
    ),
  );
  await unixctl.call('upcall/disable-megaflows'); // or else one packet would answer for many
  return {
    processor: () => processorOf(vswitchd),
    trace: async ({ port, frame }) =>
      void (await unixctl.call(
        'ofproto/trace',
        'br-int',
        `in_port=${ports.get(port)}`,
        Buffer.from(frame).toString('hex'),
      )),
    purge: async () => void (await unixctl.call('revalidator/purge')),
    close: () => {
      unixctl.close();
    },
  };
}

/** @throws Error where the cache answered a packet, or the switch gave other frames. */

export async function measureRound(
  model: ModelNode,
  sim: OvsSwitches,
  plan: NodePlan,
  turns: readonly (readonly SentFrame[])[],
  traced: Tracer,
): Promise<RoundCosts> {
  const packets = turns.flat();
  const ofModel = await cost(() => {
    for (let time = 0; time < roundsInARow; time++) throughModel(model, packets);
  });
  await sim.reset();
  const { hit, missed } = sim.lookups();
  const frames: SentFrame[] = [];
  const ofTurns: Cost[] = [];
  for (const packets of turns) {
    await traced.purge(); // what is cached of a turn would answer for the next
    ofTurns.push(
      await cost(async () => {
        frames.push(...(await throughSwitch(sim, plan.node, packets)));
      }, traced.processor),
    );
  }
  if (sim.lookups().hit > hit || sim.lookups().missed - missed < packets.length)
    throw new Error('the cache has answered');
  if (textOf(frames) !== textOf(throughModel(model, packets)))
    throw new Error('model and switch differ');
  const one = await cost(async () => {
    for (const packet of packets) await traced.trace(packet);
  }, traced.processor);
  const many = await cost(async () => {
    for (let at = 0; at < packets.length; at += inFlight)
      await Promise.all(packets.slice(at, at + inFlight).map((packet) => traced.trace(packet)));
  }, traced.processor);
  return { model: ofModel, slow: sum(ofTurns), one, many };
}

/** Each time with nothing kept of earlier packets. */

export function throughModel(
  model: ModelNode,
  packets: readonly SentFrame[],
): readonly SentFrame[] {
  resetNode(model);
  model.generations.program++;
  const found: SentFrame[] = [];
  for (const { port, frame } of packets)
    for (const output of receiveFrame(model, port, frame).step.outputs) found.push(output);
  return found;
}

export async function throughSwitch(
  sim: OvsSwitches,
  node: string,
  packets: readonly SentFrame[],
): Promise<readonly SentFrame[]> {
  const found: SentFrame[] = [];
  for (const [port, frames] of byPort(packets))
    found.push(...((await sim.call([{ kind: 'receive', node, port, frames }]))[0]?.outputs ?? []));
  return found;
}

/**
 * In an order that does not depend on that of the packets: the same text for the same frames at the
 * same ports.
 */

export function textOf(frames: readonly SentFrame[]): string {
  return frames
    .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
    .sort()
    .join('\n');
}

export function byPort(packets: readonly SentFrame[]): ReadonlyMap<string, readonly Uint8Array[]> {
  const found = new Map<string, Uint8Array[]>();
  for (const { port, frame } of packets) found.set(port, [...(found.get(port) ?? []), frame]);
  return found;
}

export const rounds = 3;

/** Until the code that runs is the one that was optimized. */

export const warmingRounds = 5;
export const packetsARound = 6000;

/**
 * The model is over with one of them before it has had to clean up behind itself: it is timed with
 * several.
 */

export const roundsInARow = 5;

/** Commands that a client of the switch's socket asks for before it waits for answers. */
export const inFlight = 16;

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}
