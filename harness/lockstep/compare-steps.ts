/** What both sides answered, call by call: frames, silent ports and packet-ins. */
import { compareFrames, type FrameDifference } from '../compare/compare-frames.js';
import { comparePacketIns } from '../compare/compare-packet-ins.js';
import { frameFinding, packetInFinding } from '../compare/describe-finding.js';
import type { FrameEvent } from '../domain/observation.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { SwitchStep } from '../domain/switching.js';
import { addCounts, noCounts, type Counts, type Finding } from '../domain/verdict.js';
import type { LateFrame } from '../testbeds/testbed.js';

/** Both answers to one call; `index` is that of its step. */
export interface AnsweredStep {
  readonly index: number;
  readonly expected: SwitchStep;
  readonly actual: SwitchStep;
}

/** What steps are compared at. */
export interface ComparedPlace {
  readonly node: string;
  /** Every port at which frames can be seen. */
  readonly ports: readonly string[];
  /** Those whose controllers listen. */
  readonly bridges: readonly BridgePlan[];
}

export interface StepComparison {
  readonly counts: Counts;
  /** In the order of steps: what follows the first may only be its consequence. */
  readonly findings: readonly Finding[];
}

/** @param lateFrames frames that came out unasked when all was over: they stand behind the last. */
export function compareSteps(
  { node, ports, bridges }: ComparedPlace,
  steps: readonly AnsweredStep[],
  lateFrames: readonly LateFrame[] = [],
): StepComparison {
  const places = new Set(ports.map((port) => `${node} ${port}`));
  const compared = steps.map(({ index, expected, actual }) => {
    const frames = compareFrames(eventsOf(node, expected), eventsOf(node, actual), places);
    const packetIns = comparePacketIns(bridges, expected.packetIns ?? [], actual.packetIns ?? []);
    return {
      counts: {
        ...noCounts,
        frames: frames.frames,
        silence: frames.silence,
        'packet-ins': packetIns.count,
      },
      findings: [
        ...frames.differences.map((difference) => ({ ...outOf(difference), step: index })),
        ...packetIns.differences.map((difference) => ({
          ...packetInFinding(difference),
          step: index,
        })),
      ],
    };
  });
  const late = lateFrames.map((frame): FrameEvent => ({ ...frame, timeUs: 0, direction: 'out' }));
  return {
    counts: addCounts(compared.map(({ counts }) => counts)),
    findings: [
      ...compared.flatMap(({ findings }) => findings),
      ...compareFrames([], late, new Set()).differences.map((difference) => ({
        ...outOf(difference),
        step: (steps.at(-1)?.index ?? -1) + 1,
      })),
    ],
  };
}

/** Steps have no time, and each has all ports. */
function outOf(difference: FrameDifference): Finding {
  return frameFinding({ ...difference, onSilentPort: false });
}

function eventsOf(node: string, { outputs }: SwitchStep): readonly FrameEvent[] {
  return outputs.map(({ port, frame }) => ({ timeUs: 0, node, port, direction: 'out', frame }));
}
