/** Asks the image's own ovn-trace(8), which reads the southbound database of a zone. */
import { Unavailable } from '../../base/errors/errors.js';
import { shellLine } from '../../base/text/shell-line.js';
import type { LogicalPacket, LogicalTrace, Supposition } from '../../domain/logical-trace.js';
import type { Image } from '../../ovs/process/image.js';
import { runProgram, type ProgramResult } from '../../ovs/process/run-program.js';
import type { FlowSource } from '../cookies.js';
import type { Zone } from '../zone.js';
import { microflow } from './microflow.js';
import { answersOfDaemons, type DaemonAnswer } from './ovn-trace-daemon.js';
import { ctOption } from './ct-option.js';
import { readOvnTrace, type PrintedTrace } from './read-ovn-trace.js';

/** CS_SRC_NAT and CS_DST_NAT. */
const translated = 0xc0;

/** More than any path has. */
const questionsMax = 32;

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
  const first = await answersOfDaemons(
    tracer,
    zone,
    packets.map(({ logicalPort, frame, mark, ctStates = [] }) => ({
      states: ctStates,
      microflow: microflow(logicalPort, frame, mark),
    })),
  );
  const traces: LogicalTrace[] = [];
  for (const [index, packet] of packets.entries())
    traces.push(await askUntilItKnows(tracer, zone, packet, known, first[index]));
  return traces;
}

type TracedZone = Pick<Zone, 'name' | 'south' | 'whileAlive'>;

/** @param first what a daemon says, with the states that it was given. */
async function askUntilItKnows(
  tracer: Pick<Image, 'command'>,
  { name, south, whileAlive }: TracedZone,
  asked: LogicalPacket,
  { byCookie, effects }: KnownFlows,
  first: DaemonAnswer | undefined,
): Promise<LogicalTrace> {
  const { logicalPort, frame, mark, ctStates = [] } = asked;
  const packet = microflow(logicalPort, frame, mark);
  const textOf = (flow: string) => byCookie.get(`0x${flow.replace(/^0+(?=.)/, '')}`) ?? flow;
  let said = first?.states ?? ctStates;
  for (let question = 0; question < questionsMax; question++) {
    const states = said.map(ctOption);
    const result: ProgramResult =
      question === 0 && first !== undefined
        ? { stdout: first.printed, failure: undefined }
        : await whileAlive(
            runProgram(tracer, 'ovn-nbctl', [`--db=unix:${south.socket}`, ...states, packet]),
          );
    const { stdout, failure } = result;
    const crash = crashOf(result);
    if (crash !== undefined)
      return {
        command: shellLine(['ovn-trace', ...states, packet]),
        flows: [],
        effects,
        outputs: [],
        supposed: [],
        crash,
      };
    if (failure !== undefined)
      throw new Unavailable(`ovn-trace of zone ${name} cannot follow ${packet}`, [], [failure]);
    const printed = readOvnTrace(stdout);
    const wanted = wantedStates(printed, textOf, asked);
    const other = wanted.findIndex((state, index) => state !== said[index]);
    if (other === -1 && said.length <= wanted.length)
      return {
        command: shellLine(['ovn-trace', ...states, packet]),
        flows: printed.flows.map(textOf),
        effects,
        outputs: printed.outputs
          .filter(({ type }) => type === '' || type === 'localport')
          .map(({ port }) => port),
        supposed: [
          ...printed.supposed,
          ...translatedIn(printed, said),
          ...otherMarks(printed, textOf, asked),
        ],
      };
    said = other === -1 ? wanted : wanted.slice(0, other + 1);
  }
  throw new Unavailable(
    `ovn-trace of zone ${name} asks the connection tracker without end: ` +
      shellLine(['ovn-trace', ...said.map(ctOption), packet]),
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
