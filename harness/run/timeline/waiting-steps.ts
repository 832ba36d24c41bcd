/**
 * Vectors of a timeline that ovn-trace is asked about in one go: what it reads stays as it is
 * between two events.
 */
import { Unavailable } from '../../base/errors/errors.js';
import type { LogicalPassage } from '../../compare/logical/logical-passages.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { SequenceStep } from '../../domain/timeline.js';
import { addCounts, noCounts } from '../../domain/verdict.js';
import { checkPassagesLogically } from '../judging/logical-check.js';
import { inconclusive } from '../judging/vector-report.js';
import { verdictFrom, type JudgedStep, type TimelineRun } from './timeline-run.js';

/** A step with everything judged but what ovn-trace says of it. */
export interface WaitingStep {
  readonly judged: JudgedStep;
  /** What ovn-trace is to be asked. */
  readonly passages?: readonly LogicalPassage[];
}

/**
 * Whether ovn-trace may be asked about a step after the next one as well: not where that changes
 * what it reads. Routers learn the neighbours of a network outside (`localnet`, ovn-nb(5)) from
 * packets, into MAC_Binding.
 */
export function mayWait(
  { northbound }: ClusterPlan,
  { judged }: WaitingStep,
  next: SequenceStep | undefined,
): boolean {
  const learns = northbound?.zones.some(({ rows }) =>
    rows.some(({ columns }) => columns['type'] === 'localnet'),
  );
  const isBetweenEvents = judged.step.kind === 'vector' && next?.kind === 'vector';
  return learns === false && isBetweenEvents && judged.verdict === 'conforms';
}

/** Each with what ovn-trace says of it; the first alone, where it cannot be asked. */
export async function checked(
  run: TimelineRun,
  waiting: readonly WaitingStep[],
): Promise<readonly JudgedStep[]> {
  try {
    return await withFindings(run, waiting);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return unchecked(waiting)
      .slice(0, 1)
      .map((one) => ({ ...one, verdict: 'inconclusive', inconclusive: inconclusive(error) }));
  }
}

async function withFindings(
  { real, agentState: { plan } }: TimelineRun,
  waiting: readonly WaitingStep[],
): Promise<readonly JudgedStep[]> {
  const asked = waiting.filter(({ passages = [] }) => passages.length > 0);
  const found = await checkPassagesLogically(
    real,
    plan,
    asked.map(({ passages = [] }) => passages),
  );
  const findings = new Map(found.map((one, index) => [asked[index], one]));
  return waiting.map((one) => {
    const finding = findings.get(one);
    if (finding === undefined) return one.judged;
    const counts = addCounts([one.judged.counts, { ...noCounts, 'ovn-trace': finding.count }]);
    const differences = [...one.judged.differences, ...finding.differences];
    return { ...one.judged, ...verdictFrom(differences, counts) };
  });
}

/** Each with its checks skipped: ovn-trace has not been asked. */
export function unchecked(waiting: readonly WaitingStep[]): readonly JudgedStep[] {
  return waiting.map(({ judged, passages = [] }) => {
    const count = { expected: passages.length, made: 0, skipped: passages.length };
    const counts = addCounts([judged.counts, { ...noCounts, 'ovn-trace': count }]);
    return { ...judged, counts };
  });
}
