/**
 * A report of conformance, in the spirit of network-policy-api's conformance profiles: what was
 * tested, on what, with what result.
 */
import { placeInTable } from '../domain/location.js';
import { promisesCounted } from '../domain/promise-kind.js';
import { z } from 'zod';
import { readAs, readYaml } from '../base/text/yaml.js';
import type { RunReport, ScenarioReport } from '../run/records/run-report.js';
import type { VectorReport } from '../run/judging/vector-report.js';

export const conformanceFormat = 'flowbed/conformance/1';

const counts = z.strictObject({
  passed: z.int().min(0),
  failed: z.int().min(0),
  inconclusive: z.int().min(0).describe('without a verdict: never counted as passed'),
  known: z.int().min(0).describe('known divergences'),
});

const result = z.enum(['passed', 'failed', 'inconclusive']);

const feature = z.strictObject({
  name: z.string().describe('the first word of the ids of its vectors'),
  result,
  vectors: counts,
  failures: z
    .array(z.strictObject({ vector: z.string(), place: z.string(), summary: z.string() }))
    .exactOptional()
    .describe('the first ten of them'),
  known: z
    .array(z.strictObject({ vector: z.string(), cause: z.string() }))
    .exactOptional()
    .describe('known divergences, each with its cause'),
});

const scenario = z.strictObject({
  name: z.string(),
  title: z.string(),
  axes: z.record(z.string(), z.string()),
  result,
  traceHash: z.string().describe('of all that was observed; a repetition gives the same'),
  promised: z
    .record(z.string(), z.int().min(0))
    .exactOptional()
    .describe('how many vectors must pass, must not pass, go to nobody: by kind of promise'),
  features: z.array(feature),
  known: z
    .array(z.strictObject({ name: z.string(), cause: z.string(), vectors: z.int() }))
    .exactOptional()
    .describe('promises that the control plane is known to break, as expected'),
  skipped: z
    .array(z.strictObject({ what: z.string(), why: z.string() }))
    .describe('what was not compared, with the reason'),
  inconclusive: z.string().exactOptional().describe('why there is no result'),
});

export const conformanceReport = z.strictObject({
  schema: z.literal(conformanceFormat),
  implementation: z.strictObject({
    backend: z.string(),
    image: z.string(),
    imageDigest: z.string(),
    versions: z.record(z.string(), z.string()).describe('as the running programs report them'),
  }),
  seed: z.int(),
  again: z.string().describe('the command that runs it again'),
  result,
  traceHash: z.string(),
  profiles: z.array(
    z.strictObject({ name: z.string(), result, vectors: counts, scenarios: z.array(scenario) }),
  ),
});

export type ConformanceReport = z.infer<typeof conformanceReport>;
/** What a report says of one scenario. */
export type ScenarioEntry = z.infer<typeof scenario>;
type Counts = z.infer<typeof counts>;
type Result = z.infer<typeof result>;

const maxFailures = 10;

export function conformanceOf(report: RunReport): ConformanceReport {
  const { seed, again, backend, image, imageDigest, versions, verdict, traceHash } = report;
  const names = [...new Set(report.scenarios.map(({ name }) => profileOf(name)))];
  return {
    schema: conformanceFormat,
    implementation: { backend, image, imageDigest, versions },
    seed,
    again,
    result: resultOf(verdict),
    traceHash,
    profiles: names.map((name) => {
      const own = report.scenarios.filter((one) => profileOf(one.name) === name);
      const scenarios = own.map(scenarioEntry);
      return {
        name,
        result: worstOf(scenarios.map((one) => one.result)),
        vectors: countsOf(own.flatMap(({ vectors }) => vectors)),
        scenarios,
      };
    }),
  };
}

/** `antrea` of `antrea/encap`. */
function profileOf(name: string): string {
  return name.split('/')[0] ?? name;
}

function resultOf(verdict: VectorReport['verdict']): Result {
  if (verdict === 'diverges') return 'failed';
  return verdict === 'inconclusive' ? 'inconclusive' : 'passed';
}

/** Of nothing nothing is passed. */
export function worstOf(results: readonly Result[]): Result {
  if (results.includes('failed')) return 'failed';
  return results.includes('inconclusive') || results.length === 0 ? 'inconclusive' : 'passed';
}

function countsOf(vectors: readonly VectorReport[]): Counts {
  const count = (verdict: VectorReport['verdict']) =>
    vectors.filter((vector) => vector.verdict === verdict).length;
  return {
    passed: count('conforms'),
    failed: count('diverges'),
    inconclusive: count('inconclusive'),
    known: count('known-divergence'),
  };
}

/** What a report says of it. */
export function scenarioEntry(report: ScenarioReport): ScenarioEntry {
  const { name, title, axes, verdict, traceHash, vectors, notCompared, known, inconclusive } =
    report;
  const features = [...new Set(vectors.map(featureOf))];
  return {
    name,
    title,
    axes,
    result: resultOf(verdict),
    traceHash,
    promised: Object.fromEntries(promisesCounted(vectors.map(({ intent }) => intent))),
    features: features.map((one) =>
      featureReport(
        one,
        vectors.filter((vector) => featureOf(vector) === one),
      ),
    ),
    ...(known === undefined ? {} : { known }),
    skipped: notCompared,
    ...(inconclusive === undefined ? {} : { inconclusive: inconclusive.cause }),
  };
}

/** Counts of the whole of which these are the parts. */
export function addedCounts(parts: readonly { readonly vectors: Counts }[]): Counts {
  const sum = (name: keyof Counts) => parts.reduce((all, { vectors }) => all + vectors[name], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    inconclusive: sum('inconclusive'),
    known: sum('known'),
  };
}

function featureOf({ id }: VectorReport): string {
  return id.split('/')[0] ?? id;
}

function featureReport(name: string, vectors: readonly VectorReport[]): z.infer<typeof feature> {
  const failures = vectors
    .filter(({ verdict }) => verdict === 'diverges')
    .slice(0, maxFailures)
    .map(({ id, differences }) => {
      const first = differences.find(({ at }) => at !== undefined) ?? differences[0];
      return {
        vector: id,
        place: first?.at === undefined ? '' : placeInTable(first.at),
        summary: first?.summary ?? '',
      };
    });
  const known = vectors.flatMap(({ id, knownDivergence }) =>
    knownDivergence === undefined ? [] : [{ vector: id, cause: knownDivergence.cause }],
  );
  return {
    name,
    result: worstOf(vectors.map(({ verdict }) => resultOf(verdict))),
    vectors: countsOf(vectors),
    ...(failures.length === 0 ? {} : { failures }),
    ...(known.length === 0 ? {} : { known }),
  };
}

/** @throws InputError with the place of what is wrong. */
export function readConformanceReport(text: string, file: string): ConformanceReport {
  return readAs(readYaml(text, file), conformanceReport);
}

/** As docs/conformance.schema.json holds it. */
export function conformanceSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(conformanceReport), null, 2)}\n`;
}
