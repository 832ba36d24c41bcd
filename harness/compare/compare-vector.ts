/** One vector at three levels: intent, model, switch. */
import type { Intent } from '../domain/intent.js';
import type { Observation } from '../domain/observation.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { FlowCount, CacheLookups, PacketIn } from '../domain/switching.js';
import type { FinalState } from '../domain/switch-state.js';
import {
  addCounts,
  aspects,
  noCounts,
  type Count,
  type Counts,
  type Difference,
  type Finding,
} from '../domain/verdict.js';
import type { Pass } from '../domain/test-vector.js';
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
import { judgeIntent } from './judge-intent.js';
import { locate, locateDecision, type Location } from './locate.js';
import type { ProgramDifference } from './compare-program.js';
import { compareState } from './compare-state.js';
import { unmatchedSince, type InitialCounts } from './unmatched.js';

/** One pass as both sides saw it. */
export interface ComparedPass {
  readonly pass: Pass;
  readonly intent: Intent;
  readonly model: Observation;
  readonly real: Observation;
  /** What the real datapaths' caches were asked. */
  readonly lookups: CacheLookups;
  /** What the model's packets went through. */
  readonly traces: readonly Trace[];
  readonly packetIns: readonly NodePacketIns[];
}

/** What the controllers of one node were packetIns, after one call. */
export interface NodePacketIns {
  readonly node: string;
  readonly expected: readonly PacketIn[];
  readonly actual: readonly PacketIn[];
}

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

/** What would be compared if real switches could be asked; none of it is made. */
export function expectedCounts(
  observations: readonly Observation[],
  depth: 'all' | 'cold',
  { counts, state }: FinalState,
  ports: ReadonlySet<string>,
): Counts {
  const { count: counters } = compareCounters(counts, []);
  const { connections, macs } = compareState(
    state,
    { connections: [], macs: [] },
    nodesAmong(ports),
  );
  const expected = addCounts([
    ...observations.map((observation) => {
      const { frames, silence } = compareFrames(observation.frames, [], ports);
      return { ...noCounts, intent: bothLevels, frames, silence };
    }),
    {
      ...noCounts,
      cache: { expected: depth === 'all' ? 1 : 0, made: 0, skipped: 0 },
      counters,
      connections,
      macs,
    },
  ]);
  return Object.fromEntries(
    aspects.map((aspect) => [aspect, { ...expected[aspect], made: 0 }]),
  ) as unknown as Counts;
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

const bothLevels: Count = { expected: 2, made: 2, skipped: 0 };

/**
 * One pass must be the cache's alone. A vector that parted before it could come to that has nothing
 * of it to compare, and neither has one whose frames enter no switch.
 */
export function cacheCount(
  passes: readonly (PassLookups & { readonly model: Observation })[],
): Count {
  const isExpected = passes.some(
    (played) => isWarm(played) && played.model.frames.some(({ direction }) => direction === 'in'),
  );
  return {
    expected: isExpected ? 1 : 0,
    made: isExpected && passes.some(isCached) ? 1 : 0,
    skipped: 0,
  };
}

export interface PassLookups {
  readonly pass: Pick<Pass, 'name'>;
  /** What the real datapaths' caches were asked during it. */
  readonly lookups: CacheLookups;
}

/** Whether the datapaths' caches answered all packets of a pass, and there were some. */
export function isCached(played: PassLookups): boolean {
  return isWarm(played) && played.lookups.hit > 0 && played.lookups.missed === 0;
}

/** Whether a pass asks for what is in the caches since the one before it. */
export function isWarm({ pass }: Pick<PassLookups, 'pass'>): boolean {
  return pass.name === 'again' || pass.name === 'cached';
}

function nodesAmong(ports: ReadonlySet<string>): number {
  return new Set([...ports].map((port) => port.split(' ')[0])).size;
}

/** Only the first difference is located: what follows from it is packetIns as such. */
function withLocation(finding: Finding, at: Location | undefined): Difference {
  return { ...finding, ...(at === undefined ? {} : { at }), afterDivergence: false };
}

function intentDifferences(
  { pass, intent, model, real }: ComparedPass,
  diverges: boolean,
): readonly Finding[] {
  const byModel = judgeIntent(intent, pass.stimulus, model);
  const byReal = judgeIntent(intent, pass.stimulus, real);
  const finding = (
    between: Finding['between'],
    broken: { readonly expected: string; readonly actual: string },
    who: string,
  ): Finding => ({
    aspect: 'intent',
    between,
    pass: pass.name,
    summary: `${who}: ${broken.actual}`,
    ...broken,
  });
  return [
    ...(byReal === undefined
      ? []
      : [
          finding(
            'intent and switch',
            byReal,
            !diverges && byModel !== undefined
              ? 'on the switch, as the model predicts'
              : 'on the switch',
          ),
        ]),
    ...(byModel === undefined ? [] : [finding('intent and model', byModel, 'in the model')]),
  ];
}
