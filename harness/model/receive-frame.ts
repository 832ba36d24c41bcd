/** The reference switch of one node: frames in, frames out, and why. */
import { assert, InputError, Unpredictable, Unsupported } from '../base/errors/errors.js';
import type { FlowCount, SwitchStep } from '../domain/switching.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { deviceArpReply, isArp } from '../packet/protocols/link/device-arp.js';
import { rulesOf } from './tables/flow-tables.js';
import { expireFlows } from './tables/flows/expire-flows.js';
import { countedBy } from './tables/flows/flow-record.js';
import { lostInKernel } from './packet/lost-in-kernel.js';
import { bridgeNamed, idOf, type ModelNode } from './model-node.js';
import type { PortLocation } from './model-bridge.js';
import { parsePacket } from './packet/parse-packet.js';
import type { FrameRun } from './xlate/frame-run.js';
import type { Frozen } from './xlate/frozen.js';
import { processFrame, processResumed } from './xlate/recirculate.js';
import { takeLearned } from './xlate/waiting-packets.js';
import { ageSnooping } from './l2/multicast-snooping.js';
import type { Trace } from './trace/trace.js';
import { AmbiguousOutcome } from './ambiguity.js';

/**
 * Sends one frame into the port called `port`.
 * @throws Unsupported when a flow does something that the model does not know; the message names
 *   the flow.
 */
export function receiveFrame(
  node: ModelNode,
  port: string,
  frame: Uint8Array,
): { readonly step: SwitchStep; readonly trace: Trace } {
  const place = findPort(node, port);
  const lost = node.downPorts.has(port)
    ? `the link of ${port} is down`
    : lostInKernel(node, place, frame);
  if (lost !== undefined)
    return {
      step: { outputs: [], packetIns: [] },
      trace: { node: node.name, port, frame, steps: [{ kind: 'drop', why: lost }] },
    };
  const passage = frameRunAt(node);
  try {
    processFrame(passage, place.bridge, parsePacket(frame, place.number, node.tagsMax));
    answerByDevices(passage);
    for (const bridge of passage.shortenedBridges) expireFlows(bridge, node.nowMs);
    for (const { snooping } of node.bridges)
      if (snooping !== undefined) ageSnooping(snooping, node.nowMs);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    const flow = passage.steps.findLast((step) => step.kind === 'lookup');
    const message =
      `${error.message}, at a frame into ${port} of ${node.name}, table ` + (flow?.table ?? '?');
    throw error instanceof AmbiguousOutcome
      ? new AmbiguousOutcome(message, error.node, error.ambiguity)
      : error instanceof Unpredictable
        ? new Unpredictable(message)
        : new Unsupported(message);
  }
  node.work.copies += Math.max(0, passage.outputs.length - 1);
  node.work.controller += passage.packetIns.length;
  // A stable sort: frames of one port keep their order.
  if (passage.outputs.length > 1)
    passage.outputs.sort((a, b) => (a.port < b.port ? -1 : a.port > b.port ? 1 : 0));
  return {
    step: { outputs: passage.outputs, packetIns: passage.packetIns },
    trace: { node: node.name, port, frame, steps: passage.steps },
  };
}

export function frameRunAt(node: ModelNode, resumed: Frozen[] = []): FrameRun {
  return {
    node,
    outputs: [],
    packetIns: [],
    resumed,
    steps: [],
    edits: [],
    shortenedBridges: [],
    jammedPorts: [],
    recirculations: 0,
  };
}

/**
 * ovn-controller learns who was announced to it: what comes out of the packets that have waited.
 * @throws Unsupported where it is not known in which order.
 */
export function continueLearned(node: ModelNode): SwitchStep['outputs'] {
  const ready = takeLearned(node.learning).map((frozen) => ({
    ...frozen,
    bridge: bridgeNamed(node, frozen.bridge.plan.name),
  }));
  if (ready.length === 0) return [];
  const passage = frameRunAt(node, ready);
  processResumed(passage);
  return passage.outputs;
}

/**
 * The devices of LOCAL ports where tunnels end answer ARP by themselves: what they say comes in at
 * once.
 */
function answerByDevices(passage: FrameRun): void {
  const { length } = passage.outputs;
  for (let index = 0; index < length; index++) {
    const { port = '', frame = noFrame } = passage.outputs[index] ?? {};
    if (!isArp(frame)) continue;
    const bridge = passage.node.bridges.find(
      ({ plan }) => plan.name === port && plan.underlay !== undefined,
    );
    const answer =
      bridge?.plan.underlay === undefined
        ? undefined
        : deviceArpReply(frame, { ip: bridge.plan.underlay.ip, mac: bridge.plan.mac });
    if (bridge === undefined || answer === undefined) continue;
    passage.steps.push({ kind: 'answer', bridge: bridge.plan.name });
    processFrame(
      { ...passage, recirculations: 0 },
      bridge,
      parsePacket(answer, reservedPorts.LOCAL, passage.node.tagsMax),
    );
  }
}

const noFrame = new Uint8Array();

/** What every flow of the node counted since the last reset, also those at zero. */
export function flowCounts(node: ModelNode): readonly FlowCount[] {
  return node.bridges.flatMap((bridge) =>
    rulesOf(bridge.tables).map((rule) => ({
      flow: idOf(node, bridge, rule),
      ...countedBy(bridge, rule),
    })),
  );
}

function findPort({ name: node, portsByName }: ModelNode, name: string): PortLocation {
  const place = portsByName.get(name);
  if (place === undefined) throw new InputError(`node ${node} has no port "${name}"`);
  assert(
    place.bridge.ports.get(place.number)?.kind !== 'tunnel',
    `frames come out of tunnel port ${name}, never from outside`,
  );
  return place;
}
