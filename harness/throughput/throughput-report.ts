/** What was measured and predicted, as JSON. */
import { z } from 'zod';

const estimate = z
  .strictObject({ value: z.number(), low: z.number(), high: z.number().nullable() })
  .describe('with its interval of 95 %; `high` is null where it has no end');
const verdictKinds = [
  'conforms',
  'slower than the model allows',
  'faster than the model allows',
  'inconclusive: too noisy',
] as const;
const counts = z.record(z.string(), z.number());
const rate = z.strictObject({
  baseline: z.number().describe('median of all trials'),
  path: z.number(),
  predicted: estimate
    .optional()
    .describe('that of the baseline by the ratio of time that is predicted'),
  unit: z.string(),
});

const ratio = z.strictObject({
  need: z
    .enum(['time', 'processor', 'hosts'])
    .describe('how long a unit takes, or how much of processors switches or hosts need for it'),
  measured: estimate.describe('times what the baseline needs, from trials in turn'),
  predicted: estimate,
  verdict: z.enum(verdictKinds),
  why: z.string().optional(),
});

const waiting = z
  .strictObject({
    measured: estimate.describe('shares of the clock, in which nobody on the path works'),
    clean: estimate.describe('of reference paths of the kind, in the calibration'),
    busy: counts.describe(
      'of the clock, that each had of a processor; in vain: main loops without packets',
    ),
    verdict: z.enum(['conforms', 'the path waits', 'inconclusive: too noisy']),
    why: z.string().optional(),
  })
  .describe('the clock, beside what all on the path worked');

const exact = z
  .strictObject({
    what: z.string(),
    expected: z.string(),
    actual: z.string(),
    holds: z.boolean(),
  })
  .describe('what needs no statistics: counters of the switches, frames between nodes');

const result = z.strictObject({
  path: z.string(),
  policies: z.int(),
  measure: z.string(),
  turns: z.int(),
  work: counts.describe('what a unit needs in the model: exact'),
  rate,
  planted: z
    .strictObject({ fault: z.string(), percent: z.number() })
    .optional()
    .describe('what makes the path slower, and how many percent less it then carried'),
  exact: z.array(exact),
  ratios: z.array(ratio),
  waiting,
});

const calibration = z.strictObject({
  measure: z.string(),
  from: z.enum(['now', 'before']).describe('measured now, or kept from before'),
  nanoseconds: counts.describe('of processors, that each kind of work needs in switches'),
  missed: z.record(z.string(), z.number()).describe('by path, relative to what was measured'),
  hosts: counts.describe(
    'nanoseconds of processors that a unit needs at both ends, and in a proxy',
  ),
});

export const throughputReport = z.strictObject({
  schema: z.literal(1),
  backend: z.string(),
  switching: z.enum(['in the kernel', 'in ovs-vswitchd']),
  scheduling: z.enum(['before all else', 'as usual']),
  image: z.string(),
  versions: z.record(z.string(), z.string()),
  machine: z.string(),
  leftOut: z.array(z.string()).describe('measures that were not made, and why'),
  calibrations: z.array(calibration),
  results: z.array(result),
  verdict: z.enum(['conforms', 'diverges', 'inconclusive']),
});
export type ThroughputReport = z.infer<typeof throughputReport>;
export type ThroughputResult = ThroughputReport['results'][number];

/** Diverging goes before all; a path that nothing can be said of is no path that conforms. */
export function verdictOf(results: readonly ThroughputResult[]): ThroughputReport['verdict'] {
  const verdicts = results.flatMap(({ ratios, waiting }) => [
    ...ratios.map(({ verdict }) => verdict),
    waiting.verdict,
  ]);
  if (results.some(({ exact: checks }) => checks.some(({ holds }) => !holds))) return 'diverges';
  if (verdicts.some((one) => /^(slower|faster|the path waits)/.test(one))) return 'diverges';
  return verdicts.every((one) => one === 'conforms') && verdicts.length > 0
    ? 'conforms'
    : 'inconclusive';
}

export function throughputSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(throughputReport), undefined, 2)}\n`;
}
