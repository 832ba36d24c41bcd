/** Whether a run noticed its fault, and blamed the right place. */
import { fieldOf, tableOf } from '../domain/location.js';
import type { Difference } from '../domain/verdict.js';
import type { ScenarioReport } from '../run/records/run-report.js';
import type { Fault } from './fault.js';

export type FaultResult =
  /**
   * Noticed, and every finding names the right table (and the right field among them), or what kept
   * the run from a verdict.
   */
  | ({
      readonly kind: 'caught';
      readonly fault: Fault;
      readonly vectors: number;
      readonly first: string;
    } & ({ readonly finding: Difference } | { readonly cause: string }))
  | {
      readonly kind: 'misplaced';
      readonly fault: Fault;
      readonly vectors: number;
      readonly first: string;
      readonly finding: Difference;
    }
  | { readonly kind: 'unnoticed'; readonly fault: Fault; readonly why: string };

/** Every finding, of the program or of a vector, is about what was planted. */
function judgeBySummary(
  report: ScenarioReport,
  fault: Extract<Fault, { readonly summary: RegExp }>,
): FaultResult {
  const diverging = report.vectors.filter(({ verdict }) => verdict === 'diverges');
  const findings = [
    ...report.program,
    ...diverging.flatMap(({ differences }) =>
      differences.filter(({ afterDivergence }) => !afterDivergence),
    ),
  ];
  const wrong = findings.find(
    ({ aspect, summary }) => aspect !== fault.aspect || !fault.summary.test(summary),
  );
  const finding = wrong ?? findings[0];
  if (finding === undefined) return { kind: 'unnoticed', fault, why: 'nothing was found' };
  const first = diverging[0]?.id ?? 'the flows themselves';
  const seen = { fault, vectors: diverging.length, first, finding };
  return wrong === undefined ? { kind: 'caught', ...seen } : { kind: 'misplaced', ...seen };
}

/** What a timeline ends at is what the fault has brought about. */
function judgeByFirst(
  report: ScenarioReport,
  fault: Extract<Fault, { readonly kind: 'program source' }>,
): FaultResult {
  const diverging = report.vectors.filter(({ verdict }) => verdict === 'diverges');
  const [finding] = [...report.program, ...diverging.flatMap(({ differences }) => differences)];
  if (finding === undefined) return { kind: 'unnoticed', fault, why: 'nothing was found' };
  const first = diverging[0]?.id ?? 'what the program has left';
  const isThere =
    finding.aspect === fault.aspect && fault.found.test(`${first}: ${finding.summary}`);
  const seen = { fault, vectors: diverging.length, first, finding };
  return isThere ? { kind: 'caught', ...seen } : { kind: 'misplaced', ...seen };
}

export function judgeFault(report: ScenarioReport, fault: Fault): FaultResult {
  const diverging = report.vectors.filter(({ verdict }) => verdict === 'diverges');
  const inconclusiveVectors = report.vectors.flatMap(({ id, inconclusive }) =>
    inconclusive === undefined ? [] : [{ id, cause: inconclusive.cause }],
  );
  const [first] = inconclusiveVectors;
  if (fault.kind === 'no cache') {
    const noticed =
      first !== undefined &&
      diverging.length === 0 &&
      inconclusiveVectors.length === report.vectors.length &&
      inconclusiveVectors.every(({ cause }) => cause.includes('cached path was not seen'));
    return noticed
      ? {
          kind: 'caught',
          fault,
          vectors: inconclusiveVectors.length,
          first: first.id,
          cause: first.cause,
        }
      : { kind: 'unnoticed', fault, why: `the run ${report.verdict}` };
  }
  if (fault.kind === 'bindings') {
    const cause = report.inconclusive?.cause ?? '';
    return fault.cause.test(cause)
      ? { kind: 'caught', fault, vectors: 0, first: 'the bindings themselves', cause }
      : { kind: 'unnoticed', fault, why: cause === '' ? `the run ${report.verdict}` : cause };
  }
  if (report.verdict !== 'diverges')
    return {
      kind: 'unnoticed',
      fault,
      why: report.inconclusive?.cause ?? first?.cause ?? `the run ${report.verdict}`,
    };
  if (fault.kind === 'program source') return judgeByFirst(report, fault);
  if ('summary' in fault) return judgeBySummary(report, fault);
  const findings =
    fault.kind === 'program'
      ? report.program
      : diverging.flatMap(({ differences }) =>
          differences.filter(({ afterDivergence }) => !afterDivergence),
        );
  const [finding] = findings;
  if (finding === undefined)
    return {
      kind: 'unnoticed',
      fault,
      why: fault.kind === 'program' ? 'no flow was reported otherwise' : 'no vector diverged',
    };
  const isElsewhere = ({ at }: Difference) => {
    const table = at === undefined ? undefined : tableOf(at);
    return table?.table !== fault.table || table?.bridge !== (fault.bridge ?? 'br-int');
  };
  const wrong =
    fault.table === undefined || fault.kind === 'program' ? undefined : findings.find(isElsewhere);
  const named =
    (fault.field === undefined ||
      findings.some(({ at }) => at !== undefined && fieldOf(at).includes(fault.field ?? ''))) &&
    findings.some(({ aspect }) => aspect === fault.aspect) &&
    (fault.kind !== 'northbound rows' || diverging[0]?.id === fault.shownBy) &&
    (fault.pass === undefined || findings.every(({ pass }) => pass === fault.pass));
  const seen = {
    fault,
    vectors: diverging.length,
    first: fault.kind === 'program' ? 'the flows themselves' : (diverging[0]?.id ?? ''),
    finding: wrong ?? finding,
  };
  return wrong === undefined && named
    ? { kind: 'caught', ...seen }
    : { kind: 'misplaced', ...seen };
}
