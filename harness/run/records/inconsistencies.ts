/**
 * What in a run's folder contradicts the rest of it: hashes, counts, verdicts and inputs, reported
 * again from what the folder itself holds.
 */
import { canonicalJson, sha256 } from '../../base/files/digest.js';
import {
  addCounts,
  aspects,
  noCounts,
  verdictOn,
  worstVerdict,
  type Counts,
} from '../../domain/verdict.js';
import { unknownNames } from '../shapes/plan-problems.js';
import { sealOf, recordedInputs, type RunManifest } from './manifest.js';
import type { RunRecord, VectorRecord } from './run-record.js';
import type { RunReport, ScenarioReport } from './run-report.js';
import type { VectorReport } from '../judging/vector-report.js';
import { traceHashOf, traceOf } from './trace-hash.js';

export interface Inconsistency {
  /** Of the folder: `report.json` */
  readonly file: string;
  /** `scenarios[0].traceHash: expected …, got …` */
  readonly what: string;
}

/** Everything that does not fit; nothing of a folder that is as its run left it. */
export function findInconsistencies(
  manifest: RunManifest,
  record: RunRecord,
): readonly Inconsistency[] {
  const { report, scenarios } = record;
  if (report.scenarios.length === 0)
    return [{ file: 'report.json', what: 'scenarios: there are none, and a run has at least one' }];
  if (scenarios.length !== report.scenarios.length) {
    return [
      {
        file: 'record.json',
        what:
          `scenarios: report.json has ${report.scenarios.length}, and here are ` + scenarios.length,
      },
    ];
  }
  return [
    ...inReport(report),
    ...scenarios.flatMap((scenario, index) => {
      const scenarioReport = report.scenarios[index];
      const path = `scenarios[${index}]`;
      return scenarioReport === undefined
        ? []
        : [
            ...unknownNames(scenario, path).map((what) => ({ file: 'record.json', what })),
            ...inRecord(scenario.vectors, scenarioReport, path),
          ];
    }),
    ...inManifest(manifest, record),
  ];
}

function inManifest(manifest: RunManifest, record: RunRecord): readonly Inconsistency[] {
  const fromRecord = Object.entries(recordedInputs(record));
  const fields = new Map<string, unknown>(Object.entries(manifest));
  return [
    ...fromRecord.flatMap(([name, value]) =>
      differing('manifest.json', name, value, fields.get(name)),
    ),
    ...differing('manifest.json', 'seal', sealOf(manifest), manifest.seal),
  ];
}

/** The parts of a report against its wholes. */
function inReport({ scenarios, verdict, traceHash, counts }: RunReport): readonly Inconsistency[] {
  const file = 'report.json';
  return [
    ...scenarios.flatMap((scenario, index) => inScenario(scenario, `scenarios[${index}]`)),
    ...differing(
      file,
      'verdict',
      worstVerdict(scenarios.map((scenario) => scenario.verdict)),
      verdict,
    ),
    ...differing(
      file,
      'traceHash',
      sha256(scenarios.map((scenario) => scenario.traceHash).join('\n')),
      traceHash,
    ),
    ...differing(file, 'counts', addCounts(scenarios.map((scenario) => scenario.counts)), counts),
  ];
}

function inScenario(
  { vectors, program, inconclusive, verdict, counts }: ScenarioReport,
  path: string,
): readonly Inconsistency[] {
  const file = 'report.json';
  const sum = addCounts(vectors.map((vector) => vector.counts));
  const ofProgram = { ...noCounts, program: lessThan(counts.program, sum.program) };
  const parts = [
    verdictOn(program, ofProgram),
    ...vectors.map((vector) => vector.verdict),
    ...(inconclusive === undefined ? [] : (['inconclusive'] as const)),
  ];
  const ids = vectors.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  return [
    ...impossibleCounts(counts, `${path}.counts`),
    ...vectors.flatMap((vector, index) => inVector(vector, `${path}.vectors[${index}]`)),
    ...(twice === undefined ? [] : [{ file, what: `${path}.vectors: two are called ${twice}` }]),
    ...(vectors.length === 0 && inconclusive === undefined
      ? [{ file, what: `${path}.vectors: there are none, and no reason why` }]
      : []),
    ...differing(file, `${path}.verdict`, worstVerdict(parts), verdict),
    ...differing(file, `${path}.counts`, { ...sum, program: counts.program }, counts),
  ];
}

function inVector(
  { differences, counts, verdict, knownDivergence }: VectorReport,
  path: string,
): readonly Inconsistency[] {
  return [
    ...impossibleCounts(counts, `${path}.counts`),
    ...differing(
      'report.json',
      `${path}.verdict`,
      knownDivergence !== undefined && differences.length > 0
        ? 'known-divergence'
        : verdictOn(differences, counts),
      verdict,
    ),
  ];
}

function lessThan(whole: Counts['program'], part: Counts['program']): Counts['program'] {
  return {
    expected: whole.expected - part.expected,
    made: whole.made - part.made,
    skipped: whole.skipped - part.skipped,
  };
}

function impossibleCounts(counts: Counts, path: string): readonly Inconsistency[] {
  return aspects
    .filter((aspect) => {
      const { expected, made, skipped } = counts[aspect];
      return made < 0 || skipped < 0 || made + skipped > expected;
    })
    .map((aspect) => ({
      file: 'report.json',
      what: `${path}.${aspect}: ${JSON.stringify(counts[aspect])} cannot be`,
    }));
}

/** What was recorded of vectors against what is reported of them. */
function inRecord(
  vectors: readonly VectorRecord[],
  scenarioReport: ScenarioReport,
  path: string,
): readonly Inconsistency[] {
  const file = 'record.json';
  const names = (ids: readonly { readonly id: string }[]) => ids.map(({ id }) => id);
  const [recorded, reported] = [
    names(vectors.map(({ vector }) => vector)),
    names(scenarioReport.vectors),
  ];
  const place = Array.from(
    { length: Math.max(recorded.length, reported.length) },
    (_, index) => index,
  ).find((index) => recorded[index] !== reported[index]);
  if (place !== undefined)
    return [
      {
        file,
        what:
          `${path}.vectors[${place}]: report.json has ${reported[place] ?? 'none'}, and ` +
          `here is ${recorded[place] ?? 'none'}`,
      },
    ];
  return [
    ...vectors.flatMap((kept, index) =>
      inVectorRecord(kept, scenarioReport.vectors[index], `${path}.vectors[${index}]`),
    ),
    ...differing(
      'report.json',
      `${path}.traceHash`,
      traceHashOf(vectors),
      scenarioReport.traceHash,
    ),
  ];
}

function inVectorRecord(
  { vector, real: alone, together: batched }: VectorRecord,
  vectorReport: VectorReport | undefined,
  path: string,
): readonly Inconsistency[] {
  const file = 'record.json';
  if (alone === undefined && batched === undefined && vectorReport?.verdict !== 'inconclusive')
    return [
      {
        file,
        what:
          `${path}: report.json has a verdict, ${vectorReport?.verdict}, and here is ` +
          'nothing that was ' +
          'seen',
      },
    ];
  if (alone !== undefined && batched !== undefined)
    return [{ file, what: `${path}: it ran alone (real) or in a batch, not both` }];
  return [
    ...differing(file, `${path}.vector.stimulus`, vectorReport?.stimulus, vector.stimulus),
    ...(batched?.passes === undefined
      ? []
      : differing(
          file,
          `${path}.together.observed`,
          sha256(traceOf(vector.id, batched.passes, batched.left)),
          batched.observed,
        )),
  ];
}

function differing(
  file: string,
  path: string,
  expected: unknown,
  actual: unknown,
): readonly Inconsistency[] {
  const [wanted, got] = [expected, actual].map((value) =>
    value === undefined ? 'nothing' : canonicalJson(value),
  );
  return wanted === got
    ? []
    : [{ file, what: `${path}: expected ${shortened(wanted)}, got ${shortened(got)}` }];
}

function shortened(text = ''): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
