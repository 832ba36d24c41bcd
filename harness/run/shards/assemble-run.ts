/**
 * Scenarios that were run, as one run: verdict, trace hash and counts of the whole follow from its
 * parts.
 */
import { sha256 } from '../../base/files/digest.js';
import { addCounts, worstVerdict } from '../../domain/verdict.js';
import type { RunRecord } from '../records/run-record.js';
import { reportFormat, type RunReport, type ScenarioReport } from '../records/run-report.js';
import type { ScenarioRun } from '../run-scenario.js';

/** What a run reports of itself beside what its scenarios report. */
type RunMetadata = Pick<
  RunReport,
  'again' | 'seed' | 'backend' | 'image' | 'imageDigest' | 'isolation' | 'reference' | 'shard'
>;

export function assembleRun(runs: readonly ScenarioRun[], metadata: RunMetadata): RunRecord {
  const scenarios = runs.map(({ report }) =>
    metadata.reference === undefined ? report : comparedWithReference(report),
  );
  return {
    report: {
      schema: reportFormat,
      ...metadata,
      versions: Object.assign({}, ...runs.map(({ versions }) => versions)) as RunReport['versions'],
      verdict: worstVerdict(scenarios.map(({ verdict }) => verdict)),
      traceHash: sha256(scenarios.map(({ traceHash }) => traceHash).join('\n')),
      counts: addCounts(scenarios.map(({ counts }) => counts)),
      scenarios,
    },
    scenarios: runs.map(({ record }) => record),
  };
}

/** Where switches were compared with others, the model had no part in it. */
function comparedWithReference(report: ScenarioReport): ScenarioReport {
  const rename = (difference: ReportedDifference): ReportedDifference =>
    difference.between === 'model and switch'
      ? { ...difference, between: 'reference and switch' }
      : difference;
  return {
    ...report,
    program: report.program.map(rename),
    vectors: report.vectors.map((vector) => ({
      ...vector,
      differences: vector.differences.map(rename),
    })),
  };
}

type ReportedDifference = ScenarioReport['program'][number];
