/** What a report says of one vector. */
import { z } from 'zod';
import type { Unsupported } from '../../base/errors/errors.js';
import { Unavailable } from '../../base/errors/errors.js';
import { passNames } from '../../domain/test-vector.js';
import { aspects } from '../../domain/verdict.js';

export const verdict = z.enum(['conforms', 'diverges', 'inconclusive']).meta({ id: 'Verdict' });

const count = z
  .object({ expected: z.int(), made: z.int(), skipped: z.int() })
  .meta({ id: 'Count' });

export const counts = z
  .object(
    Object.fromEntries(aspects.map((aspect) => [aspect, count])) as Record<
      (typeof aspects)[number],
      typeof count
    >,
  )
  .meta({
    id: 'Counts',
    description: 'Comparisons by aspect: how many were expected, made, and skipped',
  });

const flowId = z
  .object({
    node: z.string(),
    bridge: z.string(),
    table: z.int(),
    priority: z.int(),
    match: z.string().describe('as ovs-ofctl prints it; empty for the table-miss flow'),
  })
  .meta({ id: 'Flow' });

const tableMiss = z
  .object({
    node: z.string(),
    bridge: z.string(),
    table: z.int(),
    nearest: z
      .array(
        z.object({
          flow: flowId,
          needs: z.string().describe('what the packet would have had to be to match it'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'TableMiss', description: 'A table in which no flow matches' });

export const difference = z
  .object({
    aspect: z.enum(aspects),
    between: z.enum([
      'intent and model',
      'intent and switch',
      'model and switch',
      'reference and switch',
      'OpenFlow and ovn-trace',
    ]),
    pass: z
      .enum(passNames)
      .exactOptional()
      .describe(
        'the pass of the vector in which it showed: cold, again, cached, or its sibling in ' +
          'one field',
      ),
    summary: z.string(),
    expected: z.string(),
    actual: z.string(),
    at: z
      .union([
        z.object({ flow: flowId, field: z.string().exactOptional(), because: z.string() }),
        z.object({ miss: tableMiss, because: z.string() }),
        z.object({ host: z.string(), because: z.string() }),
      ])
      .exactOptional()
      .describe('the first flow and field, table without a match, or host at which the two part'),
    afterDivergence: z
      .boolean()
      .describe('it follows from an earlier difference of the same vector'),
  })
  .meta({ id: 'Difference' });

export const inconclusiveCause = z
  .object({ cause: z.string(), evidence: z.array(z.string()), remedies: z.array(z.string()) })
  .meta({ id: 'Inconclusive' });

export type Inconclusive = z.infer<typeof inconclusiveCause>;

/** Why there is no verdict, for the report. */
export function inconclusive(cause: Unavailable | Unsupported): Inconclusive {
  return cause instanceof Unavailable
    ? { cause: cause.message, evidence: [...cause.evidence], remedies: [...cause.remedies] }
    : { cause: cause.message, evidence: [], remedies: [] };
}

/** What a kernel's datapath did with a vector that had diverged on the sim. */
export const onKernel = z
  .object({
    kind: z
      .enum(['confirmed', 'model only', 'inconclusive'])
      .describe(
        'confirmed: the same as the switches that diverged; model only: something else; ' +
          'inconclusive: it was not played there',
      ),
    what: z.string().describe('how much was compared, the first difference, or why not'),
  })
  .meta({ id: 'OnKernel' });

export type OnKernel = z.infer<typeof onKernel>;

export const vector = z
  .object({
    id: z.string(),
    stimulus: z.looseObject({ kind: z.string(), from: z.string() }),
    intent: z.looseObject({ kind: z.string() }),
    sibling: z
      .object({
        differs: z.string().describe('the field that differs, with its value'),
        stimulus: z.looseObject({ kind: z.string(), from: z.string() }),
        intent: z.looseObject({ kind: z.string() }),
      })
      .exactOptional()
      .describe('what the last pass sends'),
    observed: z
      .object({
        kind: z
          .enum(['answered', 'refused', 'rejected', 'delivered', 'nothing'])
          .describe(
            'what its sender got: an answer, a reset, an ICMP error; else whether ' +
              'somebody got it',
          ),
        by: z.array(z.string()).describe('who got it, in order of time'),
      })
      .exactOptional()
      .describe(
        'its outcome on the switches, in the first pass; missing where it was not played ' +
          'to its end',
      ),
    stream: z
      .object({
        name: z.string(),
        sentMs: z.number().describe('virtual time since the first vector'),
      })
      .exactOptional()
      .describe('the stream of datagrams that it is one of'),
    verdict: z
      .enum([...verdict.options, 'known-divergence'])
      .describe('known-divergence: it diverges, and --known has an entry for it'),
    knownDivergence: z
      .object({ cause: z.string(), expires: z.string() })
      .exactOptional()
      .describe('the entry of --known, of a vector with that verdict'),
    counts,
    work: z
      .record(z.string(), z.int())
      .exactOptional()
      .describe(
        'what the model needed for it, the same on every run: lookups, recirculations, …; ' +
          'missing without --throughput',
      ),
    differences: z.array(difference),
    inconclusive: inconclusiveCause.exactOptional(),
    onKernel: onKernel
      .exactOptional()
      .describe("of a finding's first vector, where a kernel was asked"),
  })
  .meta({ id: 'Vector' });

export type VectorReport = z.infer<typeof vector>;
