/** One vector at three levels: intent, model, switch. */
import type { Intent } from '../nouns/intent.js';
import type { Observation } from '../nouns/observation.js';
import type { FlowCount } from '../nouns/switching.js';
import type { SwitchState } from '../nouns/state.js';
import { noCounts, type Count, type Counts, type Difference } from '../nouns/verdict.js';
import type { Stimulus } from '../nouns/vector.js';
import type { Trace } from '../model/trace.js';
import { compareCounters, type CounterDifference } from './counters.js';
import { compareFrames, type FrameDifference } from './frames.js';
import { judge } from './intent.js';
import { locate, locateDecision, type Location } from './locate.js';
import type { ProgramDifference } from './program.js';
import { compareState, type StateDifference } from './state.js';
import { formatFlowId } from '../nouns/switching.js';

/** What one level saw of a vector. */
export interface Witness {
  readonly observation: Observation;
  readonly counts: readonly FlowCount[];
  /** What the switches remember when all is over. */
  readonly state: SwitchState;
}

export interface VectorCase {
  readonly stimulus: Stimulus;
  readonly intent: Intent;
  readonly model: Witness;
  readonly real: Witness;
  /** The model's traces of the call that both sides first answered differently, and the counters right after it; of the whole vector if they never did. */
  readonly parting: { readonly traces: readonly Trace[]; readonly earlier: readonly Trace[]; readonly modelCounts: readonly FlowCount[]; readonly realCounts: readonly FlowCount[] };
  /** Every port at which frames can be seen, as `node port`. */
  readonly ports: ReadonlySet<string>;
}

export interface VectorComparison {
  readonly counts: Counts;
  /** Whether model and switch part; then `differences` wants to know how the switch's flows stand. */
  readonly parts: boolean;
  differences(program: readonly ProgramDifference[]): readonly Difference[];
}

/** Compares all aspects of one vector. */
export function compareVector({ stimulus, intent, model, real, parting, ports }: VectorCase): VectorComparison {
  const frames = compareFrames(model.observation.frames, real.observation.frames, ports);
  const counters = compareCounters(model.counts, real.counts);
  const state = compareState(model.state, real.state, nodesAmong(ports));
  const counts: Counts = { ...noCounts, intent: { expected: 2, made: 2, skipped: 0 }, frames: frames.frames, silence: frames.silence, counters: counters.count, connections: state.connections, macs: state.macs };
  const parts = frames.differences.length > 0 || counters.differences.length > 0 || state.differences.length > 0;
  return {
    counts,
    parts,
    differences(program) {
      const { differences: counted } = compareCounters(parting.modelCounts, parting.realCounts);
      const at = parts ? locate({ traces: parting.traces, earlier: parting.earlier, frame: frames.differences[0], counters: counted, state: state.differences[0], program }) : locateDecision(parting.traces);
      const found = [
        ...frames.differences.map((difference) => frameDifference(difference)),
        ...counters.differences.map((difference) => counterDifference(difference)),
        ...state.differences.map((difference) => stateDifference(difference)),
        ...intentDifferences(intent, stimulus, model.observation, real.observation, parts),
      ];
      return found.map((difference, index) => finish(difference, index, at));
    },
  };
}

/** What would be compared if real switches could be asked; none of it is made. */
export function expectedCounts(model: Witness, ports: ReadonlySet<string>): Counts {
  const { frames, silence } = compareFrames(model.observation.frames, [], ports);
  const { count: counters } = compareCounters(model.counts, []);
  const { connections, macs } = compareState(model.state, { connections: [], macs: [] }, nodesAmong(ports));
  const unmade = (count: Count): Count => ({ ...count, made: 0 });
  return { ...noCounts, intent: { expected: 2, made: 0, skipped: 0 }, frames: unmade(frames), silence: unmade(silence), counters: unmade(counters), connections: unmade(connections), macs: unmade(macs) };
}

function nodesAmong(ports: ReadonlySet<string>): number {
  return new Set([...ports].map((port) => port.split(' ')[0])).size;
}

type Finding = Omit<Difference, 'at' | 'afterDivergence'>;

/** What follows from the first difference is told as such, and only the first is located. */
function finish(finding: Finding, index: number, at: Location | undefined): Difference {
  return { ...finding, ...(index === 0 && at !== undefined ? { at } : {}), afterDivergence: index > 0 };
}

function frameDifference(difference: FrameDifference): Finding {
  const place = `${difference.direction === 'out' ? 'out of' : 'into'} ${difference.port} on ${difference.node} at ${difference.timeUs} µs`;
  const summaries = { missing: `a frame is missing ${place}`, unexpected: `an unexpected frame went ${place}`, different: `a frame ${place} differs in ${difference.fields.join(', ')}` };
  return {
    aspect: difference.onSilentPort ? 'silence' : 'frames',
    between: 'model and switch',
    summary: summaries[difference.kind],
    expected: difference.expected,
    actual: difference.actual,
  };
}

function counterDifference({ flow, expected, actual }: CounterDifference): Finding {
  const told = (packets: number | undefined) => (packets === undefined ? 'no such flow' : `n_packets=${packets}`);
  return {
    aspect: 'counters',
    between: 'model and switch',
    summary: `${flow.bridge} on ${flow.node} counted otherwise: ${formatFlowId(flow)}`,
    expected: told(expected),
    actual: told(actual),
  };
}

function stateDifference({ aspect, kind, about, fields, expected, actual }: StateDifference): Finding {
  const summaries = { missing: `is not remembered: ${about}`, unexpected: `is remembered without reason: ${about}`, different: `is remembered with another ${fields.join(', ')}: ${about}` };
  return { aspect, between: 'model and switch', summary: summaries[kind], expected, actual };
}

function intentDifferences(intent: Intent, stimulus: Stimulus, model: Observation, real: Observation, parts: boolean): readonly Finding[] {
  const byModel = judge(intent, stimulus, model);
  const byReal = judge(intent, stimulus, real);
  const finding = (between: Finding['between'], broken: { readonly expected: string; readonly actual: string }, who: string): Finding => ({
    aspect: 'intent',
    between,
    summary: `${who}: ${broken.actual}`,
    ...broken,
  });
  return [
    ...(byReal === undefined ? [] : [finding('intent and switch', byReal, !parts && byModel !== undefined ? 'on the switch, as the model predicts' : 'on the switch')]),
    ...(byModel === undefined ? [] : [finding('intent and model', byModel, 'in the model')]),
  ];
}
