/** Points of the matrix that failed alike, reported once. */
import {
  type VerdictKind,
  type Difference,
  whatIsMissing,
  noCounts,
} from '../harness/domain/verdict.js';
import type { ScenarioReport } from '../harness/run/records/run-report.js';
import type { Inconclusive, OnKernel } from '../harness/run/judging/vector-report.js';
import {
  describeInconclusive,
  describeDifferences,
  describeOnKernel,
  headlineOf,
} from './describe-differences.js';

/**
 * What a report for machines says passed or failed: flows and groups right after programming, then
 * a vector each.
 */
export interface Point {
  /** The vector's id, or `program`. */
  readonly id: string;
  readonly verdict: VerdictKind;
  readonly differences: readonly Difference[];
  readonly inconclusive?: Inconclusive;
  readonly onKernel?: OnKernel;
}

function causeOf(cause: string | undefined): Inconclusive | undefined {
  return cause === undefined ? undefined : { cause, evidence: [], remedies: [] };
}

/**
 * What kept the scenario as a whole from a verdict is reported by its first point: a scenario
 * without vectors is no pass.
 */
export function pointsOf(scenario: ScenarioReport): readonly Point[] {
  const missing =
    scenario.inconclusive ??
    causeOf(whatIsMissing({ ...noCounts, program: scenario.counts.program }));
  const verdict =
    scenario.program.length > 0 ? 'diverges' : missing === undefined ? 'conforms' : 'inconclusive';
  return [
    {
      id: 'program',
      verdict,
      differences: scenario.program,
      ...(missing === undefined ? {} : { inconclusive: missing }),
    },
    ...scenario.vectors,
  ];
}

/** The same in one line. */
export function summaryOf({ differences, inconclusive }: Point): string {
  const [first] = differences;
  return first === undefined ? (inconclusive?.cause ?? '') : headlineOf(first);
}

/** Everything there is to say of a point that does not conform. */
export function describePoint({ differences, inconclusive, onKernel }: Point): string {
  return [
    ...describeDifferences(differences),
    ...(onKernel === undefined ? [] : [describeOnKernel(onKernel)]),
    ...(inconclusive === undefined ? [] : describeInconclusive(inconclusive)),
  ].join('\n');
}
