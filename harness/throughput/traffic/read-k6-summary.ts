/** What k6 hands to `handleSummary`: rates, percentiles, checks. */
import { z } from 'zod';
import { Unavailable } from '../../base/errors/errors.js';

const metric = <T extends z.ZodType>(values: T) => z.object({ values });
const summary = z.object({
  metrics: z.object({
    http_reqs: metric(z.object({ count: z.number(), rate: z.number() })),
    http_req_duration: metric(
      z.object({
        med: z.number(),
        'p(90)': z.number(),
        'p(95)': z.number(),
        'p(99)': z.number(),
        max: z.number(),
      }),
    ),
    http_req_failed: metric(z.object({ rate: z.number() })),
  }),
  root_group: z.object({
    checks: z.array(z.object({ name: z.string(), passes: z.number(), fails: z.number() })),
  }),
});

export interface HttpResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Of how long requests took. */
  readonly milliseconds: z.infer<typeof summary>['metrics']['http_req_duration']['values'];
  /** The share of requests that were not answered, or with an error. */
  readonly failed: number;
  readonly checks: readonly {
    readonly name: string;
    readonly passes: number;
    readonly fails: number;
  }[];
}

/** @throws Unavailable for what is no summary. */
export function readSummary(printed: string): HttpResult {
  const found = summary.safeParse(parsed(printed));
  if (!found.success)
    throw new Unavailable(
      'k6 has printed no summary that is known',
      ['it is tested with k6 1.8: k6 version'],
      [z.prettifyError(found.error), printed.slice(0, 200)],
    );
  const { metrics, root_group: group } = found.data;
  return {
    requests: metrics.http_reqs.values.count,
    requestsPerSecond: metrics.http_reqs.values.rate,
    milliseconds: metrics.http_req_duration.values,
    failed: metrics.http_req_failed.values.rate,
    checks: group.checks,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What does not hold, in words; nothing where all requests were answered as they should be. */
export function judgeHttp({ requests, failed, checks }: HttpResult): readonly string[] {
  return [
    ...(requests === 0 ? ['no request was made'] : []),
    ...(failed === 0 ? [] : [`${(failed * 100).toFixed(2)} % of ${requests} requests failed`]),
    ...checks
      .filter(({ fails }) => fails > 0)
      .map(
        ({ name, passes, fails }) => `"${name}": ${fails} of ${passes + fails} times it was not`,
      ),
  ];
}
