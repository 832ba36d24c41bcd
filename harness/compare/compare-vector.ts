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
import { compareCounters } from './compare-counters.js';
import { compareFrames } from './compare-frames.js';
import { comparePacketIns } from './compare-packet-ins.js';
import {
  counterFinding,
  frameFinding,
  packetInFinding,
  stateFinding,
  unmatchedFinding,
} from './describe-finding.js';
import { locate, locateDecision, type Location } from './locate.js';
import type { ProgramDifference } from './compare-program.js';
import { compareState } from './compare-state.js';
import { unmatchedSince, type InitialCounts } from './unmatched.js';
import type { ComparedPass, NodePacketIns } from './compared-pass.js';
import { cacheCount } from './cache-count.js';
import { intentDifferences } from './intent-differences.js';
import { bothLevels, nodesAmong } from './expected-counts.js';

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
export function compareVector({
  passes,
  initial,
  model,
  real,
  divergence,
  ports,
  nodes,
}: VectorCase): VectorComparison {
  const compared = passes.map((played) => ({
    ...played,
    frames: compareFrames(played.model.frames, played.real.frames, ports),
    packetIns: compareNodes(played.packetIns, nodes),
  }));
  const counters = compareCounters(model.counts, real.counts);
  const unmatched = unmatchedSince(initial, counters.unmatched);
  const state = compareState(model.state, real.state, nodesAmong(ports));
  const frameDifferences = compared.flatMap(({ pass, frames }) =>
    frames.differences.map((difference) => ({ pass: pass.name, difference })),
  );
  const packetIns = compared.flatMap(({ pass, packetIns: found }) =>
    found.findings.map((finding) => ({ ...finding, pass: pass.name })),
  );
  const diverges =
    frameDifferences.length > 0 ||
    packetIns.length > 0 ||
    counters.differences.length > 0 ||
    unmatched.length > 0 ||
    state.differences.length > 0;
  return {
    counts: addCounts([
      ...compared.map(({ frames, packetIns }) => ({
        ...noCounts,
        intent: bothLevels,
        frames: frames.frames,
        silence: frames.silence,
        'packet-ins': packetIns.count,
      })),
      {
        ...noCounts,
        cache: cacheCount(passes),
        counters: counters.count,
        connections: state.connections,
        macs: state.macs,
      },
    ]),
    diverges,
    differences(program) {
      const promises = passes.map((played) => ({
        played,
        broken: intentDifferences(played, diverges),
      }));
      const found = [
        ...frameDifferences.map(({ pass, difference }) => ({
          ...frameFinding(difference, ` at ${difference.timeUs} µs`),
          pass,
        })),
        ...packetIns,
        ...counters.differences.map((difference) => counterFinding(difference)),
        ...unmatched.map((difference) => unmatchedFinding(difference)),
        ...state.differences.map((difference) => stateFinding(difference)),
        ...promises.flatMap(({ broken }) => broken),
      ];
      const locateFirst = () => {
        if (!diverges)
          return locateDecision(
            promises.flatMap(({ played, broken }) =>
              broken.length > 0 ? [played.traces] : [],
            )[0] ?? [],
          );
        const { differences: counted } = compareCounters(
          divergence.modelCounts,
          divergence.realCounts,
        );
        return locate({
          traces: divergence.traces,
          earlier: divergence.earlier,
          frame: frameDifferences[0]?.difference,
          counters: counted,
          unmatched,
          state: state.differences[0],
          program,
        });
      };
      return found.map((finding, index) =>
        index === 0 ? withLocation(finding, locateFirst()) : { ...finding, afterDivergence: true },
      );
    },
  };
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
