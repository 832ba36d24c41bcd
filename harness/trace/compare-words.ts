/**
 * The user's own words, as the switch's ofproto/trace reads them, against what the model has made
 * of them: where the reader is wrong, both sides would be sent the same wrong packet.
 */
import { InputError, Unavailable } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import { newest, parseVersion } from '../model/behaviour.js';
import type { Action } from '../openflow/actions/actions.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { word, type FlowKey } from '../packet/flow-key/flow-key.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import { readDatapathPorts } from './datapath-ports.js';
import { comparable, outputsOf, readOfprotoAnswer } from './ofproto-answer.js';
import type { PacketStimulus } from './packet-stimulus.js';
import { preparedNode } from './script/prepared-node.js';
import type { InitialState } from './script/script.js';
import { tracePacket, type TraceResult } from './trace-packets.js';
import { actionsIn, type TraceNode } from './trace-tree.js';

/** What is given to ofproto/trace. */
export interface AskedWords {
  /** `[BRIDGE] FLOW [PACKET]`. */
  readonly words: readonly string[];
  /** What the model makes of the packet before anything has come in. */
  readonly predicted: TraceResult;
}

/** What a switch of this version makes of the packet, by the model. */
export function predictWords(
  target: DumpedSwitch,
  initialState: InitialState,
  stimulus: PacketStimulus,
  version: string,
): TraceResult {
  return tracePacket(preparedNode(target, initialState, parseVersion(version) ?? newest), stimulus);
}

/** What was compared, and what differs. */
export interface WordsCheck {
  readonly compared: number;
  readonly differences: readonly {
    readonly summary: string;
    readonly expected: string;
    readonly actual: string;
  }[];
  /** Why nothing, or not all, was compared. */
  readonly left?: string;
}

/**
 * The same of a packet that is not sent into a port, for this reason: the switch's ofproto/trace
 * alone is asked. @throws Unavailable where it has not answered: then nothing is known.
 */
export function withoutPacket(read: WordsCheck, why: string): WordsCheck {
  if (read.compared === 0) throw new Unavailable(`${why}, and ${read.left ?? 'nothing was read'}`);
  const left = [`the packet is not sent: ${why}`, ...(read.left === undefined ? [] : [read.left])];
  return { ...read, left: left.join('; ') };
}

/** Asks the switch once it is as in the dumps, and has seen no packet. */
export async function compareWords(
  { words, predicted }: AskedWords,
  real: Pick<OvsSwitches, 'ask'>,
  node: string,
  bridges: readonly BridgePlan[],
): Promise<WordsCheck> {
  const asked = words.map((word) => JSON.stringify(word)).join(' ');
  const answer = await real.ask(node, 'ofproto/trace', ...words).catch((error: unknown) => {
    if (error instanceof InputError) return error;
    throw error;
  });
  if (answer instanceof InputError)
    return {
      compared: 0,
      differences: [],
      left: `the words of FLOW are not compared: ${answer.message}`,
    };
  const read = readOfprotoAnswer(answer);
  const [first] = predicted.translations;
  if (read === undefined || first === undefined)
    return {
      compared: 0,
      differences: [],
      left: 'the words of FLOW are not compared: no packet is followed',
    };
  const outputs = outputsOf(read.actions);
  const isWhole =
    predicted.translations.length === 1 &&
    outputs !== undefined &&
    !learns(first.nodes, first.start);
  const ports = isWhole ? await portNames(real, node) : new Map<number, string>();
  const down = new Set(
    bridges.flatMap((bridge) => bridge.ports.flatMap((p) => (p.link === 'down' ? [p.name] : []))),
  );
  const sent = (outputs ?? [])
    .map((number) => ports.get(number) ?? String(number))
    .filter((name) => !down.has(name));
  const pairs = [
    ['the packet that FLOW describes', comparable(first.startFlow), read.flow],
    ...(predicted.refused === undefined && !actionsIn(first.nodes).some(isLearn)
      ? [
          [
            'the packet at the end of it',
            comparable(first.endFlow ?? first.startFlow),
            read.finalFlow,
          ],
        ]
      : []),
    ...(isWhole && predicted.refused === undefined
      ? [
          [
            'the ports that it goes out of',
            namesOf(predicted.outputs.map(({ port }) => port)),
            namesOf(sent),
          ],
        ]
      : []),
  ] as const;
  const differences = pairs
    .filter(([, expected, actual]) => expected !== actual)
    .map(([what = '', expected = '', actual = '']) => ({
      summary: `${what}, by ofproto/trace ${asked}`,
      ...apart(expected, actual),
    }));
  return {
    compared: pairs.length,
    differences,
    ...(isWhole
      ? {}
      : {
          left: 'ports of ofproto/trace are not compared: it does not follow the packet to its end',
        }),
  };
}

const isLearn = ({ kind }: Action) => kind === 'learn';

/**
 * Whether what the packet teaches the switch decides where it goes itself: to ofproto/trace it
 * teaches nothing.
 */
function learns(nodes: readonly TraceNode[], start: FlowKey): boolean {
  const isToItself = [0, 1].every((at) => start[word.ethSrc + at] === start[word.ethDst + at]);
  return actionsIn(nodes).some(
    (action) =>
      isLearn(action) ||
      (isToItself && action.kind === 'output' && action.port === reservedPorts.NORMAL),
  );
}

function namesOf(ports: readonly string[]): string {
  return ports.length === 0 ? 'none' : [...ports].toSorted().join(',');
}

/** The fields that differ: the others would bury them. */
function apart(one: string, other: string): { readonly expected: string; readonly actual: string } {
  const [ours, theirs] = [one.split(','), other.split(',')];
  const only = (these: readonly string[], those: readonly string[]) =>
    these.filter((field) => !those.includes(field)).join(',') || 'nothing more';
  return { expected: only(ours, theirs), actual: only(theirs, ours) };
}

async function portNames(
  real: Pick<OvsSwitches, 'ask'>,
  node: string,
): Promise<ReadonlyMap<number, string>> {
  const shown = readDatapathPorts(await real.ask(node, 'dpif/show'), 'dpif/show', {
    bridges: [],
    datapath: undefined,
  });
  return new Map(shown.map(({ number, name }) => [number, name]));
}
