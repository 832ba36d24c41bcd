/**
 * What `flowbed run --json` prints: the schema is the source, the types and docs/run.schema.json
 * follow from it.
 */
import { z } from 'zod';
import {
  counts,
  difference,
  inconclusiveCause,
  vector,
  verdict,
} from '../judging/vector-report.js';

export const reportFormat = 'flowbed/run/2';

const traceHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({
    id: 'TraceHash',
    description: 'SHA-256 of everything that was observed; the same seed and image give the same',
  });

const letters = z.array(z.string());

const matrix = z
  .object({
    service: z.string().describe("the first word of the vectors' ids"),
    sources: z.array(z.string()).describe('rows'),
    destinations: z.array(z.string()).describe('columns, as the ids say them'),
    promised: letters.describe(
      'a text a row, a letter a column: + must pass, r must be refused, - must not pass, ' +
        'n nobody holds it, ~ may pass, ! known to diverge, ? nothing promised, blank where no ' +
        'vector asks',
    ),
    observed: letters
      .exactOptional()
      .describe(
        'the same of what was observed: + answered, r refused or rejected, d delivered ' +
          'without an answer, - nothing, ? not played to its end',
      ),
  })
  .meta({ id: 'Matrix' });

const throughput = z
  .object({
    path: z.string().describe('what was measured, the same in every run: `tcp/p1/p4`'),
    unit: z.string().describe('of the samples: `bit/s`, `packets/s`, `connections/s`'),
    samples: z.array(z.number()).describe('in the order of measuring'),
    baseline: z
      .array(z.number())
      .describe('samples of the path that it is held against, taken in turn; may be none'),
  })
  .meta({ id: 'Throughput' });

const stream = z
  .object({
    name: z.string(),
    sent: z.int(),
    lost: z
      .array(
        z.object({
          datagrams: z.int(),
          fromMs: z.number().describe('virtual time at which the first of them was sent'),
          untilMs: z.number().describe('that of the last'),
          during: z.array(z.string()).describe("first words of the vectors' ids, in order"),
        }),
      )
      .describe('those that were not answered, in runs without an answered one between them'),
    notPlayed: z.int().describe('those of which nothing is known'),
  })
  .meta({ id: 'Stream' });

const scenario = z
  .object({
    name: z.string(),
    title: z.string(),
    axes: z.record(z.string(), z.string()),
    verdict,
    traceHash,
    counts,
    durationMs: z
      .number()
      .describe('real time, set-up of the switches included; not part of the trace'),
    policies: z
      .object({
        count: z.int().describe('NetworkPolicies and ClusterNetworkPolicies of the cluster'),
        coverage: z
          .record(z.string(), z.int())
          .describe(
            'how often they say each thing that the policy language has; what stands at zero ' +
              'was not tried',
          ),
      })
      .exactOptional()
      .describe('missing where the cluster has none'),
    services: z
      .object({
        count: z.int().describe('ports of Services of the cluster'),
        notAsked: z
          .array(z.object({ name: z.string(), why: z.string() }))
          .describe('those to which no vector sends'),
      })
      .exactOptional()
      .describe('missing where the cluster has none'),
    known: z
      .array(
        z.object({
          name: z.string(),
          cause: z.string().describe('the sources that contradict each other'),
          vectors: z
            .int()
            .describe('in which it occurs, as expected; their intent is "contradicted"'),
        }),
      )
      .exactOptional()
      .describe('known divergences of the control plane that vectors met'),
    adaptations: z
      .array(z.string())
      .exactOptional()
      .describe(
        'how the flows of the switches differ from what the control plane wants, because ' +
          'their version cannot have it; missing where nothing is',
      ),
    after: z
      .object({ axes: z.record(z.string(), z.string()), what: z.string() })
      .exactOptional()
      .describe(
        'the point of the matrix that the switches were changed from, and the outcome of its ' +
          'network; missing where they came up as they are',
      ),
    program: z
      .array(difference)
      .describe(
        'flows, groups and meters that differ from what the switches should hold, right ' +
          'after programming, after each change, and when all vectors were over',
      ),
    notCompared: z
      .array(z.object({ what: z.string(), why: z.string() }))
      .describe('what no comparison was about, by name'),
    inconclusive: inconclusiveCause.exactOptional(),
    streams: z.array(stream).exactOptional().describe('missing where no vector is of a stream'),
    matrices: z
      .array(matrix)
      .exactOptional()
      .describe(
        'who reaches whom, a table for each service that is asked for; missing where nobody ' +
          'asks anybody, and in older runs',
      ),
    throughput: z
      .array(throughput)
      .exactOptional()
      .describe('what was measured in real time; missing without --throughput'),
    vectors: z.array(vector),
  })
  .meta({ id: 'Scenario' });

export const runReport = z.object({
  schema: z.literal(reportFormat),
  again: z.string().describe('the command that runs this again'),
  seed: z.int(),
  backend: z.string(),
  image: z.string(),
  imageDigest: z.string(),
  versions: z.record(z.string(), z.string()).describe('as the running programs report them'),
  reference: z
    .object({
      backend: z.string(),
      image: z.string(),
      imageDigest: z.string(),
      version: z.string(),
    })
    .exactOptional()
    .describe('the switches that these were compared with, in place of the model'),
  isolation: z
    .object({
      network: z
        .enum(['own', 'shared with the host'])
        .describe('in which network namespace each daemon ran'),
      how: z.string().exactOptional().describe('how it got one of its own'),
      why: z.string().exactOptional().describe('why it got none'),
    })
    .exactOptional()
    .describe(
      'whether the network of the host could reach into the switches; missing in runs of ' +
        'before this was recorded',
    ),
  shard: z
    .object({
      index: z.int().describe('from 1'),
      of: z.int(),
      points: z.array(z.int()).describe('places of its scenarios in the whole run, from 0'),
    })
    .exactOptional()
    .describe('which part of a run it is, with --shard; missing of a whole one'),
  world: z
    .object({
      name: z.string(),
      kernel: z.string().describe('a digest of the kernel of the guest'),
      processor: z.string().describe('what the machine calls it'),
    })
    .exactOptional()
    .describe('the guest in which the run took place; missing where it was this machine'),
  verdict,
  traceHash,
  counts,
  scenarios: z.array(scenario),
});

export type RunReport = z.infer<typeof runReport>;
export type ScenarioReport = z.infer<typeof scenario>;
/** The JSON Schema (draft 2020-12) of `run --json`, as docs/run.schema.json holds it. */
export function runReportSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(runReport), null, 2)}\n`;
}
