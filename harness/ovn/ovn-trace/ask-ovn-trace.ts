/** Asks the image's own ovn-trace(8), which reads the southbound database of a zone. */
import { Unavailable } from '../../base/errors/errors.js';
import { shellLine } from '../../base/text/shell-line.js';
import type { LogicalPacket, LogicalTrace, Supposition } from '../../domain/logical-trace.js';
import type { Image } from '../../ovs/process/image.js';
import { runProgram, type ProgramResult } from '../../ovs/process/run-program.js';
import type { FlowSource } from '../cookies.js';
import type { Zone } from '../zone.js';
import { microflow } from './microflow.js';
import {
  answersOfDaemons,
  established,
  type DaemonAnswer,
  type TraceQuestion,
} from './ovn-trace-daemon.js';
import { ctOption } from './ct-option.js';
import { readOvnTrace, type PrintedTrace } from './read-ovn-trace.js';

/** CS_SRC_NAT and CS_DST_NAT. */
const translated = 0xc0;

/** More than any path asks the tracker. */
const roundsMax = 32;

/** What is known of a zone's logical flows. */
export interface KnownFlows {
  readonly byCookie: ReadonlyMap<string, string>;
  readonly effects: ReadonlyMap<string, string>;
}

export function knownFlows(sources: readonly FlowSource[]): KnownFlows {
  return {
    byCookie: new Map(sources.map(({ cookie, text }) => [cookie, text])),
    effects: new Map(
      sources.flatMap(({ text, effect }) => (effect === undefined ? [] : [[text, effect]])),
    ),
  };
}

/**
 * ovn-trace is given what the connection tracker says where it asks: for each ct_next in turn, as
 * it comes upon it. It may end itself (25.03: by an assertion at a question for a neighbor that a
 * router answers, by SIGSEGV at load balancers). @throws Unavailable with what it says where it
 * fails otherwise.
 */
export async function askOvnTrace(
  image: Pick<Image, 'command'>,
  zone: TracedZone,
  packets: readonly LogicalPacket[],
  known: KnownFlows,
): Promise<readonly LogicalTrace[]> {
  const tracer = ovnTraceOf(image);
  const textOf = (flow: string) => known.byCookie.get(`0x${flow.replace(/^0+(?=.)/, '')}`) ?? flow;
  const traces = new Map<LogicalPacket, LogicalTrace>();
  let asked: readonly Asked[] = packets.map((packet) => ({
    packet,
    microflow: microflow(packet.logicalPort, packet.frame, packet.mark),
    states: packet.ctStates ?? [],
  }));
  for (let round = 0; asked.length > 0; round++) {
    if (round === roundsMax) throw endless(zone, asked);
    const answers = await answersOfDaemons(tracer, zone, asked);
    const again: Asked[] = [];
    for (const [index, question] of asked.entries()) {
      const answer: Answer = answers[index] ?? (await answerOfProgram(tracer, zone, question));
      const printed = readOvnTrace(answer.printed);
      const { packet } = question;
      const states =
        answer.crash === undefined ? wantedStates(printed, textOf, packet) : question.states;
      const end = endOfAgreement(states, answer.states);
      if (end === undefined)
        traces.set(packet, traceOf({ ...question, states }, printed, textOf, known, answer.crash));
      else again.push({ ...question, states: states.slice(0, end), taken: printed.tracked.length });
    }
    asked = again;
  }
  return packets.map((packet) => traces.get(packet) as LogicalTrace);
}

/**
 * How many of the states that are wanted are to be given the next time: up to the first one that
 * was another, for behind it the path may be another. Undefined where those were given, and what
 * it takes by itself behind them.
 */
function endOfAgreement(wanted: readonly number[], given: readonly number[]): number | undefined {
  const other = wanted.findIndex((state, at) => state !== (given[at] ?? established));
  if (other !== -1) return other + 1;
  return given.slice(wanted.length).some((state) => state !== established)
    ? wanted.length
    : undefined;
}

type TracedZone = Pick<Zone, 'name' | 'south' | 'whileAlive'>;

interface Asked extends TraceQuestion {
  readonly packet: LogicalPacket;
}

interface Answer extends DaemonAnswer {
  readonly crash?: string;
}

async function answerOfProgram(
  tracer: Pick<Image, 'command'>,
  { name, south, whileAlive }: TracedZone,
  { states, microflow }: Asked,
): Promise<Answer> {
  const options = states.map(ctOption);
  const result = await whileAlive(
    runProgram(tracer, 'ovn-nbctl', [`--db=unix:${south.socket}`, ...options, microflow]),
  );
  const crash = crashOf(result);
  if (crash !== undefined) return { printed: '', states, crash };
  if (result.failure !== undefined)
    throw new Unavailable(
      `ovn-trace of zone ${name} cannot follow ${microflow}`,
      [],
      [result.failure],
    );
  return { printed: result.stdout, states };
}

/** @param crash it then says nothing. */
function traceOf(
  { packet, microflow, states }: Asked,
  printed: PrintedTrace,
  textOf: (flow: string) => string,
  { effects }: KnownFlows,
  crash: string | undefined,
): LogicalTrace {
  const command = commandOf(states, microflow);
  if (crash !== undefined) return { command, flows: [], effects, outputs: [], supposed: [], crash };
  return {
    command,
    flows: printed.flows.map(textOf),
    effects,
    outputs: printed.outputs
      .filter(({ type }) => type === '' || type === 'localport')
      .map(({ port }) => port),
    supposed: [
      ...printed.supposed,
      ...translatedIn(printed, states),
      ...otherMarks(printed, textOf, packet),
    ],
  };
}

function commandOf(states: readonly number[], microflow: string): string {
  return shellLine(['ovn-trace', ...states.map(ctOption), microflow]);
}

function endless({ name }: TracedZone, [first]: readonly Asked[]): Unavailable {
  return new Unavailable(
    `ovn-trace of zone ${name} asks the connection tracker without end: ` +
      (first === undefined ? '' : commandOf(first.states, first.microflow)),
  );
}

/** An assertion of its own that failed, or a signal by which a program ends itself. */
function crashOf({ failure, signal }: ProgramResult): string | undefined {
  const [assertion] = /assertion .* failed\b.*/.exec(failure ?? '') ?? [];
  return assertion ?? (signal === 'SIGSEGV' || signal === 'SIGABRT' ? signal : undefined);
}

/** Of the image, whose package has it beside ovn-nbctl. */
function ovnTraceOf(image: Pick<Image, 'command'>): Pick<Image, 'command'> {
  const [file, ...args] = image
    .command('ovn-nbctl')
    .map((part) => part.replace(/ovn-nbctl$/, 'ovn-trace'));
  return { command: () => [file ?? '', ...args] };
}

/** Up to the first flow that OpenFlow has not asked at: from there the paths have parted. */
function wantedStates(
  { tracked }: PrintedTrace,
  textOf: (flow: string) => string,
  { ctState }: Pick<LogicalPacket, 'ctState'>,
): readonly number[] {
  const states = numbered(tracked, textOf).map(({ flow, nth }) => ctState(flow, nth));
  const end = states.indexOf(undefined);
  return (end === -1 ? states : states.slice(0, end)) as readonly number[];
}

/** Flows that ask, each with how often it has asked before. */
function numbered(
  tracked: PrintedTrace['tracked'],
  textOf: (flow: string) => string,
): readonly { readonly flow: string; readonly nth: number }[] {
  const times = new Map<string, number>();
  return tracked.map((one) => {
    const flow = textOf(one.flow);
    const nth = times.get(flow) ?? 0;
    times.set(flow, nth + 1);
    return { flow, nth };
  });
}

/**
 * `--ct` says nothing of ct_mark, and no action but ct_clear changes it: it is the packet's until
 * then, and 0 from there on (OVN utilities/ovn-trace.c).
 */
function otherMarks(
  { tracked }: PrintedTrace,
  textOf: (flow: string) => string,
  { ctMark, mark = 0 }: Pick<LogicalPacket, 'ctMark' | 'mark'>,
): readonly Supposition[] {
  return numbered(tracked, textOf).flatMap(({ flow, nth }, index): readonly Supposition[] => {
    const seen = ctMark?.(flow, nth);
    const { next: from = 0, isCleared } = tracked[index] ?? {};
    if (seen === undefined || seen === (isCleared === true ? 0 : mark)) return [];
    const to = tracked[index + 1]?.next ?? Infinity;
    return [{ what: 'the connection has another mark', from, to, field: 'ct_mark' }];
  });
}

/**
 * Of a connection that is translated it takes the state alone, and leaves addresses as they are.
 */
function translatedIn(
  { tracked }: PrintedTrace,
  states: readonly number[],
): readonly Supposition[] {
  return tracked.flatMap(({ next }, index) =>
    ((states[index] ?? 0) & translated) === 0
      ? []
      : [{ what: 'the connection translates the packet', from: next }],
  );
}
