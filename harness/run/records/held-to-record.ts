/** What switches did when a recorded vector was played again, held to its record. */
import { compareCounters, describeCounterDifference } from '../../compare/compare-counters.js';
import { compareFrames } from '../../compare/compare-frames.js';
import { compareState } from '../../compare/compare-state.js';
import type { FrameEvent, Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { FinalState } from '../../domain/switch-state.js';
import { formatFlowId, type FlowCount } from '../../domain/switching.js';
import { withoutKernelChoices } from '../../testbeds/netns/kernel-choices.js';
import { readObservation, type RecordedOutcome, type RecordedPass } from './run-record.js';

/**
 * What is held to the record: what switches remember is another thing on another datapath, and
 * counters of flows are asked for where they are what differed.
 */
export type HeldToRecord = 'everything' | 'frames and notes' | 'frames, notes and counters';

export interface PlayedAgain extends FinalState {
  readonly observations: readonly Observation[];
}

/** The first difference in words; undefined where there is none. */
export function differenceFromRecord(
  recorded: RecordedOutcome,
  now: PlayedAgain,
  held: HeldToRecord,
  plan: ClusterPlan,
): string | undefined {
  const frames = framesDifference(recorded.passes, now.observations, held, plan);
  if (frames !== undefined || held === 'frames and notes') return frames;
  const counter = counterDifference(recorded.counts, now.counts);
  if (counter !== undefined || held === 'frames, notes and counters') return counter;
  return stateDifference(recorded, now);
}

/** The same of frames and notes alone. */
export function framesDifference(
  passes: readonly RecordedPass[],
  observations: readonly Observation[],
  held: HeldToRecord,
  plan: ClusterPlan,
): string | undefined {
  const asCompared = held === 'everything' ? (event: FrameEvent) => event : withoutChoices(plan);
  return passes.flatMap(
    (pass, index) => firstDifference(pass, observations[index], asCompared) ?? [],
  )[0];
}

/** What kernels choose in outer headers is put to what is the same everywhere. */
function withoutChoices({ nodes }: ClusterPlan): (event: FrameEvent) => FrameEvent {
  // Frames come in at one node as they left another.
  const asChosen = nodes.map((node) => withoutKernelChoices(node));
  return (event) => ({
    ...event,
    frame: asChosen.reduce((frame, choose) => choose(frame), event.frame),
  });
}

function firstDifference(
  recorded: RecordedPass,
  now: Observation | undefined,
  asCompared: (event: FrameEvent) => FrameEvent,
): string | undefined {
  const before = readObservation(recorded);
  const after = now ?? { frames: [], notes: [] };
  const pass = recorded.pass.name === 'cold' ? '' : `, ${recorded.pass.name} pass`;
  const [frame] = compareFrames(
    before.frames.map(asCompared),
    after.frames.map(asCompared),
    new Set(),
  ).differences;
  if (frame !== undefined)
    return (
      `${frame.direction === 'in' ? 'into' : 'out of'} ${frame.port} on ${frame.node} at ` +
      `${frame.timeUs} µs${pass}: recorded ${frame.expected}, now ${frame.actual}`
    );
  const notePair = (index: number) =>
    [before.notes[index], after.notes[index]].map((note) => JSON.stringify(note));
  const note = Array.from(
    { length: Math.max(before.notes.length, after.notes.length) },
    (_, index) => index,
  ).find((index) => notePair(index)[0] !== notePair(index)[1]);
  return note === undefined
    ? undefined
    : `note ${note + 1} of the hosts${pass}: recorded ${notePair(note)[0]}, now ` +
        `${notePair(note)[1]}`;
}

function counterDifference(
  before: readonly FlowCount[],
  now: readonly FlowCount[],
): string | undefined {
  const [counter] = compareCounters(before, now).differences;
  if (counter === undefined) return undefined;
  const { expected, actual } = describeCounterDifference(counter);
  return (
    `${formatFlowId(counter.flow)} of ${counter.flow.bridge} on ${counter.flow.node}: ` +
    `recorded ${expected}, now ${actual}`
  );
}

function stateDifference(before: FinalState, now: FinalState): string | undefined {
  const [entry] = compareState(before.state, now.state, 0).differences;
  return entry === undefined
    ? undefined
    : `${entry.about}: recorded ${entry.expected}, now ${entry.actual}`;
}
