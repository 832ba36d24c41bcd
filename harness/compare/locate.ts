/**
 * The first table, flow and field at which model and switch diverge, from the model's trace and the
 * switch's counters and flows.
 */
import { formatFlowId, type FlowId } from '../domain/switching.js';
import type { FlowLocation } from '../domain/location.js';
import type { Trace, TraceStep } from '../model/trace/trace.js';
import { flowKey, type CounterDifference } from './compare-counters.js';
import type { FrameDifference } from './compare-frames.js';
import type { ProgramDifference } from './compare-program.js';
import type { StateDifference } from './compare-state.js';
import { openflowField } from './openflow-field.js';

/** A flow, group or meter of the switch that differs from what it should be. */
type ProgramEntry = Omit<ProgramDifference, 'differs'>;

/** What is known about one vector that diverged. */
export interface Evidence {
  /** The model's traces, in the order of the frames. */
  readonly traces: readonly Trace[];
  /**
   * Those of the vector's frames before: all was alike then, but a flow that differs may have
   * left its mark.
   */
  readonly earlier: readonly Trace[];
  readonly frame: FrameDifference | undefined;
  readonly counters: readonly CounterDifference[];
  /** Flows that one side alone has, and that no packet met. */
  readonly unmatched?: readonly CounterDifference[];
  /** What is remembered otherwise, where nothing else differs. */
  readonly state?: StateDifference | undefined;
  /** Flows and groups of the switch that differ from what they should be, read after the vector. */
  readonly program: readonly ProgramEntry[];
}

/**
 * Walks the model's path and stops at the first flow that the switch holds otherwise; where there
 * is none, at the first whose counters differ. Where all of these agree, the flow that last wrote
 * the wrong field, or that did the output.
 */
export function locate(evidence: Evidence): FlowLocation | undefined {
  const field = openflowField(evidence.frame);
  const onPath = firstOnPath(evidence);
  if (onPath !== undefined)
    return field === undefined || onPath.field !== undefined ? onPath : { ...onPath, field };
  return fromFrame(evidence, field) ?? offPath(evidence) ?? fromState(evidence);
}

function firstOnPath({ traces, earlier, counters, program }: Evidence): FlowLocation | undefined {
  const counted = new Map(counters.map((difference) => [flowKey(difference.flow), difference]));
  // Packets of a vector share flows: what they count there is no evidence about one of them.
  for (const step of [...stepsOf(earlier), ...stepsOf(traces)]) {
    const location = programDifferenceAt(step, program);
    if (location !== undefined) return location;
  }
  for (const step of stepsOf(traces)) {
    const flow = step.kind === 'lookup' ? step.flow : undefined;
    const counter = flow === undefined ? undefined : counted.get(flowKey(flow));
    if (flow !== undefined && counter !== undefined)
      return { flow, because: `${describeCounts(counter)}${flowTakenInstead(flow, counters)}` };
  }
  return undefined;
}

function stepsOf(traces: readonly Trace[]): readonly TraceStep[] {
  return traces.flatMap(({ steps }) => steps);
}

/**
 * The flow that packets matched there, or that led to a group there, where the switch holds it, or
 * the group, otherwise.
 */
function programDifferenceAt(
  step: TraceStep,
  program: readonly ProgramEntry[],
): FlowLocation | undefined {
  if (step.kind === 'lookup' && step.flow !== undefined) {
    const { flow } = step;
    const difference = flowsAmong(program).find(({ of }) => flowKey(of) === flowKey(flow));
    if (difference === undefined) return undefined;
    const because =
      difference.actual === undefined
        ? 'the switch does not hold this flow'
        : `the switch holds it as: ${difference.actual}`;
    return {
      flow,
      because,
      ...(difference.field === undefined ? {} : { field: difference.field }),
    };
  }
  if (step.kind !== 'group') return undefined;
  const { flow, group } = step;
  const difference = program.find(
    ({ of }) =>
      'group' in of && of.node === flow.node && of.bridge === flow.bridge && of.group === group,
  );
  if (difference === undefined) return undefined;
  return {
    flow,
    because:
      difference.actual === undefined
        ? `the switch does not hold group ${group}, which it leads to`
        : `it leads to a group that the switch holds as: ${difference.actual}`,
  };
}

function flowsAmong(
  program: readonly ProgramEntry[],
): readonly (ProgramEntry & { readonly of: FlowId })[] {
  return program.flatMap(({ of, ...difference }) => ('table' in of ? [{ ...difference, of }] : []));
}

function describeCounts({ expected, actual }: CounterDifference): string {
  const [packets, others] = [expected?.packets ?? 0, actual?.packets ?? 0];
  if (packets !== others)
    return `the model's packets matched it ${packets} times, the switch's ${others} times`;
  return (
    `packets matched it ${packets} times on both sides, with ${expected?.bytes ?? 0} bytes in ` +
    `the model and ${actual?.bytes ?? 0} on the switch`
  );
}

/** The flow of the same table that the switch took, if one counted more than it should. */
function flowTakenInstead(flow: FlowId, counters: readonly CounterDifference[]): string {
  const other = counters.find(
    (difference) =>
      difference.flow.node === flow.node &&
      difference.flow.bridge === flow.bridge &&
      difference.flow.table === flow.table &&
      (difference.actual?.packets ?? 0) > (difference.expected?.packets ?? 0),
  );
  return other === undefined ? '' : `; there it took ${formatFlowId(other.flow)}`;
}

/**
 * Path and flows agree, so the fault is in what a flow did: who wrote the field, or who sent the
 * frame out.
 */
function fromFrame(
  { traces, frame }: Evidence,
  field: string | undefined,
): FlowLocation | undefined {
  if (frame === undefined) return undefined;
  const trace =
    traces.findLast(
      ({ node, steps }) =>
        node === frame.node &&
        steps.some((step) => step.kind === 'output' && step.port === frame.port),
    ) ??
    traces.findLast(
      ({ node, steps }) => node === frame.node && steps.some((step) => step.kind === 'output'),
    );
  const steps: readonly TraceStep[] = trace?.steps ?? [];
  const writer =
    field === undefined
      ? undefined
      : steps.findLast((step) => step.kind === 'write' && step.field === field);
  if (writer?.kind === 'write' && field !== undefined)
    return {
      flow: writer.flow,
      field,
      because:
        'the flow that last wrote this field; the path and the flows are the same on both sides',
    };
  const sender = steps.findLast((step) => step.kind === 'output');
  if (sender?.kind !== 'output') return undefined;
  return {
    flow: sender.flow,
    ...(field === undefined ? {} : { field }),
    because:
      'the path and the flows are the same on both sides up to this output: what differs ' +
      'happened past it, on the wire',
  };
}

/** The model's packet went nowhere near what differs: a flow of the switch's own. */
function offPath({ counters, unmatched = [], program }: Evidence): FlowLocation | undefined {
  const [counter] = counters;
  if (counter !== undefined) return { flow: counter.flow, because: describeCounts(counter) };
  const [alone] = unmatched;
  if (alone !== undefined)
    return {
      flow: alone.flow,
      because:
        `${alone.actual === undefined ? 'the model' : 'the switch'} alone has this flow; no ` +
        'packet met it',
    };
  const [difference] = flowsAmong(program);
  return difference === undefined
    ? undefined
    : {
        flow: difference.of,
        because: `the switch holds it as: ${difference.actual ?? 'no such flow'}`,
      };
}

/**
 * Path, flows and frames agree, so the fault is in the state that a flow left: who asked the
 * tracker last, or who let the bridge learn.
 */
function fromState({ traces, state }: Evidence): FlowLocation | undefined {
  if (state === undefined) return undefined;
  const steps = traces.filter(({ node }) => node === state.node).flatMap((trace) => trace.steps);
  const wroteState = (step: TraceStep) =>
    state.aspect === 'connections'
      ? step.kind === 'write' && step.field === 'ct_state'
      : step.kind === 'output' && step.by === 'NORMAL';
  const step = steps.findLast(wroteState);
  if (
    step === undefined ||
    step.kind === 'lookup' ||
    step.kind === 'answer' ||
    step.flow === undefined
  )
    return undefined;
  return {
    flow: step.flow,
    because:
      'the last flow that ' +
      `${state.aspect === 'connections' ? 'asked the connection tracker' : 'let the bridge learn'}; ` +
      'the path and the flows are the same on both sides',
  };
}

/** The flow at which the model dropped or sent out a packet that intent had judged otherwise. */
export function locateDecision(traces: readonly Trace[]): FlowLocation | undefined {
  const steps = traces.flatMap((trace) => trace.steps);
  const last = steps.findLast(
    (step) => (step.kind === 'drop' && step.flow !== undefined) || step.kind === 'output',
  );
  if (last?.kind === 'drop' && last.flow !== undefined)
    return { flow: last.flow, because: `model and switch drop it here: ${last.why}` };
  if (last?.kind === 'output')
    return { flow: last.flow, because: `model and switch send it out of ${last.port} here` };
  return undefined;
}
