/** What the model alone makes of a script. */
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { dumpFlows } from '../../model/tables/flows/dump-flows.js';
import type { ModelNode } from '../../model/model-node.js';
import { portName } from '../../model/model-bridge.js';
import { applyCall } from '../../model/apply-call.js';
import { stateOf } from '../../model/state-of-node.js';
import type { PacketStimulus } from '../packet-stimulus.js';
import { tracePacket, type TraceResult } from '../trace-packets.js';
import { connectionLines, flowLines, macLines } from '../../dumps/dump-lines.js';
import type { Command, Script, ScriptStep } from './script.js';
import {
  nextPacket,
  noteArrival,
  noteUnsent,
  type PortPlace,
  type SegmentCommand,
  type Talks,
} from './tcp-talk.js';
import { type Version, newest } from '../../model/behaviour.js';
import { preparedNode } from './prepared-node.js';

export interface PlayedStep {
  readonly step: ScriptStep;
  readonly result: StepResult;
}

export type StepResult =
  | { readonly kind: 'packet'; readonly packet: TraceResult }
  /** The link of the port it should come in at is down. */
  | { readonly kind: 'lost'; readonly port: string }
  /** A segment of a connection whose sender has not got what comes before it. */
  | { readonly kind: 'unsent'; readonly why: string }
  | { readonly kind: 'dump'; readonly lines: readonly string[] }
  | { readonly kind: 'done' }
  /** The model does not know its result, and nothing after it runs. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Applies the steps one after the other to a switch with the state that it is given, up to
 * the first that the model does not know.
 * @throws InputError with the line of the script for a change that a switch would refuse, and of a
 *   dump for what cannot be remembered.
 */
export function playScript(
  { target, steps, initialState }: Script,
  version: Version = newest,
): readonly PlayedStep[] {
  const node = preparedNode(target, initialState, version);
  const talks: Talks = new Map();
  const played: PlayedStep[] = [];
  for (const step of steps) {
    const result = atLine(step, () => runCommand(node, step.command, talks));
    played.push({ step, result });
    if (isEnd(result)) break;
  }
  return played;
}

function isEnd(result: StepResult): boolean {
  return (
    result.kind === 'refused' || (result.kind === 'packet' && result.packet.refused !== undefined)
  );
}

function runCommand(node: ModelNode, command: Command, talks: Talks): StepResult {
  try {
    switch (command.kind) {
      case 'inject':
        return inject(node, command.stimulus);
      case 'segment':
        return sendSegment(node, command, talks);
      case 'call':
        applyCall(node, command.call);
        return { kind: 'done' };
      case 'dump':
        return { kind: 'dump', lines: dump(node, command) };
    }
  } catch (error) {
    if (error instanceof Unsupported) return { kind: 'refused', why: error.message };
    throw error;
  }
}

function sendSegment(node: ModelNode, command: SegmentCommand, talks: Talks): StepResult {
  const packet = nextPacket(talks, command);
  if ('unsent' in packet) {
    noteUnsent(talks, command, packet.unsent);
    return { kind: 'unsent', why: packet.unsent };
  }
  const result = inject(node, packet);
  const outputs = result.kind === 'packet' ? result.packet.outputs : [];
  noteArrival(talks, command, outputs, (end) => nameOf(node, end));
  return result;
}

function nameOf(node: ModelNode, { bridge: name, ofport }: PortPlace): string {
  const bridge = node.bridges.find(({ plan }) => plan.name === name);
  return bridge === undefined ? '' : portName(bridge, ofport);
}

function inject(node: ModelNode, stimulus: PacketStimulus): StepResult {
  const port = nameOf(node, stimulus);
  return node.downPorts.has(port)
    ? { kind: 'lost', port }
    : { kind: 'packet', packet: tracePacket(node, stimulus) };
}

function dump(
  node: ModelNode,
  command: Extract<Command, { readonly kind: 'dump' }>,
): readonly string[] {
  const { connections, macs } = stateOf(node);
  switch (command.what) {
    case 'flows':
      return flowLines(
        node.bridges
          .filter(({ plan }) => plan.name === command.bridge)
          .flatMap((bridge) => dumpFlows(bridge, node.nowMs)),
      );
    case 'connections':
      return connectionLines(connections, command.zone);
    case 'macs':
      return macLines(macs, command.bridge);
  }
}

/** A refusal says which line of the script it is about. */
export function atLine<T>({ file, line }: ScriptStep, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InputError && error.place?.file !== file)
      throw new InputError(error.message.replace(/^FLOW: /, ''), { file, line });
    throw error;
  }
}
