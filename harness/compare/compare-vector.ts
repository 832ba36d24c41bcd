/** One vector at three levels: intent, model, switch. */
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { FlowCount } from '../domain/switching.js';
import type { FinalState } from '../domain/switch-state.js';
import {
  addCounts,
  noCounts,
  type Count,
  type Counts,
  type Difference,
  type Finding,
} from '../domain/verdict.js';
import type { Trace } from '../model/trace/trace.js';
import {
  compareCounters,
  type CounterDifference,
  type CounterComparison,
} from './compare-counters.js';
import { compareFrames, type FrameDifference, type FrameComparison } from './compare-frames.js';
import { comparePacketIns } from './compare-packet-ins.js';
import {
  counterFinding,
  frameFinding,
  packetInFinding,
  stateFinding,
  unmatchedFinding,
} from './describe-finding.js';
import type { Location } from '../domain/location.js';
import { locate } from './locate.js';
import { locateBroken } from './locate-broken.js';
import type { ProgramDifference } from './compare-program.js';
import { compareState, type StateComparison } from './compare-state.js';
import { unmatchedSince, type InitialCounts } from './unmatched.js';
import type { ComparedPass, NodePacketIns } from './compared-pass.js';
import { cacheCount } from './cache-count.js';
import { intentDifferences } from './intent-differences.js';
import { bothLevels, nodesAmong } from './expected-counts.js';
import type { PassName } from '../domain/test-vector.js';

export interface VectorCase {
  /** Flows that one side alone had then are packetIns elsewhere; missing where none may be. */
  readonly initial?: InitialCounts;
  /** Those that were played. */
  readonly passes: readonly ComparedPass[];
  readonly model: FinalState;
  readonly real: FinalState;
  /**
   * The model's traces of the call that both sides first answered differently, and the counters
   * right after it; of the whole vector if they never did.
   */
  readonly divergence: {
    readonly traces: readonly Trace[];
    readonly earlier: readonly Trace[];
    readonly modelCounts: readonly FlowCount[];
    readonly realCounts: readonly FlowCount[];
  };
  /** Every port at which frames can be seen, as `node port`. */
  readonly ports: ReadonlySet<string>;
  /** With the controllers that listen. */
  readonly nodes: readonly Pick<NodePlan, 'node' | 'bridges'>[];
}

export interface VectorComparison {
  readonly counts: Counts;
  /**
   * Whether model and switch diverge; then `differences` wants to know how the switch's flows
   * stand.
   */
  readonly diverges: boolean;
  differences(program: readonly ProgramDifference[]): readonly Difference[];
}

/** Compares all aspects of one vector. */
export function compareVector(vector: VectorCase): VectorComparison {
  const found = compareLevels(vector);
  const { passes, counters, unmatched, state } = found;
  const diverges =
    found.frameDifferences.length > 0 ||
    found.packetInFindings.length > 0 ||
    counters.differences.length > 0 ||
    unmatched.length > 0 ||
    state.differences.length > 0;
  return {
    counts: addCounts([
      ...passes.map(({ frames, packetIns }) => ({
        ...noCounts,
        intent: bothLevels,
        frames: frames.frames,
        silence: frames.silence,
        'packet-ins': packetIns.count,
      })),
      {
        ...noCounts,
        cache: cacheCount(vector.passes),
        counters: counters.count,
        connections: state.connections,
        macs: state.macs,
      },
    ]),
    diverges,
    differences(program) {
      const promises = vector.passes.map((played) => ({
        played,
        broken: intentDifferences(played, diverges),
      }));
      const locateFirst = () => {
        if (diverges) return locateDivergence(vector.divergence, found, program);
        const first = promises.find(({ broken }) => broken.length > 0)?.played;
        return first && locateBroken({ ...first, stimulus: first.pass.stimulus, seen: first.real });
      };
      return [...findingsOf(found), ...promises.flatMap(({ broken }) => broken)].map(
        (finding, index) =>
          index === 0
            ? withLocation(finding, locateFirst())
            : { ...finding, afterDivergence: true },
      );
    },
  };
}

/** Where model and switch differ, by aspect. */
interface LevelComparison {
  readonly passes: readonly {
    readonly frames: FrameComparison;
    readonly packetIns: { readonly count: Count };
  }[];
  readonly frameDifferences: readonly {
    readonly pass: PassName;
    readonly difference: FrameDifference;
  }[];
  readonly packetInFindings: readonly (Finding & { readonly pass: PassName })[];
  readonly counters: CounterComparison;
  readonly unmatched: readonly CounterDifference[];
  readonly state: StateComparison;
}

function compareLevels({
  passes,
  initial,
  model,
  real,
  ports,
  nodes,
}: VectorCase): LevelComparison {
  const compared = passes.map((played) => ({
    pass: played.pass.name,
    frames: compareFrames(played.model.frames, played.real.frames, ports),
    packetIns: compareNodes(played.packetIns, nodes),
  }));
  const counters = compareCounters(model.counts, real.counts);
  return {
    passes: compared,
    frameDifferences: compared.flatMap(({ pass, frames }) =>
      frames.differences.map((difference) => ({ pass, difference })),
    ),
    packetInFindings: compared.flatMap(({ pass, packetIns }) =>
      packetIns.findings.map((finding) => ({ ...finding, pass })),
    ),
    counters,
    unmatched: unmatchedSince(initial, counters.unmatched),
    state: compareState(model.state, real.state, nodesAmong(ports)),
  };
}

/** Model against switch, in words. */
function findingsOf(found: LevelComparison): readonly Finding[] {
  return [
    ...found.frameDifferences.map(({ pass, difference }) => ({
      ...frameFinding(difference, ` at ${difference.timeUs} µs`),
      pass,
    })),
    ...found.packetInFindings,
    ...found.counters.differences.map((difference) => counterFinding(difference)),
    ...found.unmatched.map((difference) => unmatchedFinding(difference)),
    ...found.state.differences.map((difference) => stateFinding(difference)),
  ];
}

function locateDivergence(
  divergence: VectorCase['divergence'],
  found: LevelComparison,
  program: readonly ProgramDifference[],
): Location | undefined {
  const { differences: counters } = compareCounters(divergence.modelCounts, divergence.realCounts);
  return locate({
    traces: divergence.traces,
    earlier: divergence.earlier,
    frame: found.frameDifferences[0]?.difference,
    counters,
    unmatched: found.unmatched,
    state: found.state.differences[0],
    program,
  });
}

/** All packet-ins of a node, in order: a bridge and controller at a time. */
function compareNodes(
  packetIns: readonly NodePacketIns[],
  nodes: VectorCase['nodes'],
): { readonly findings: readonly Finding[]; readonly count: Count } {
  const compared = nodes.map(({ node, bridges }) => {
    const own = packetIns.filter((one) => one.node === node);
    return comparePacketIns(
      bridges,
      own.flatMap(({ expected }) => expected),
      own.flatMap(({ actual }) => actual),
    );
  });
  const made = compared.reduce((sum, { count }) => sum + count.made, 0);
  return {
    findings: compared.flatMap(({ differences }) => differences.map(packetInFinding)),
    count: { expected: made, made, skipped: 0 },
  };
}

/** Only the first difference is located: what follows from it is packetIns as such. */
function withLocation(finding: Finding, at: Location | undefined): Difference {
  return { ...finding, ...(at === undefined ? {} : { at }), afterDivergence: false };
}
