/**
 * What `flowbed check --json` prints: the schema is the source, the types and
 * docs/check.schema.json follow from it.
 */
import { z } from 'zod';
import { assert, type Unavailable } from '../base/errors/errors.js';
import type { Aspect, Counts, Finding } from '../domain/verdict.js';
import type { CheckResult } from './check-packets.js';
import type { WordsCheck } from './compare-words.js';
import type { ScriptCheck } from './script/check-script.js';

const compared = [
  'frames',
  'silence',
  'packet-ins',
  'counters',
  'connections',
  'macs',
  'program',
] as const satisfies readonly Aspect[];

const difference = z
  .object({
    aspect: z
      .enum([...compared, 'words'])
      .describe('words: what the switch itself makes of FLOW, by its ofproto/trace'),
    summary: z.string(),
    expected: z.string().describe('what the model predicts'),
    actual: z.string().describe('what the switch did'),
  })
  .meta({ id: 'Difference' });

const image = z
  .object({
    image: z.string(),
    version: z.string().exactOptional().describe('of ovs-vswitchd, as it says itself'),
    verdict: z.enum(['conforms', 'diverges', 'inconclusive']),
    compared: z
      .object(
        Object.fromEntries(compared.map((aspect) => [aspect, z.int()])) as Record<
          (typeof compared)[number],
          z.ZodInt
        >,
      )
      .exactOptional()
      .describe('how many comparisons of each aspect were made'),
    words: z
      .object({ compared: z.int(), left: z.string().exactOptional() })
      .exactOptional()
      .describe("how much of the switch's own reading of FLOW was compared, and what was not"),
    differences: z.array(difference),
    unsent: z
      .array(z.object({ line: z.int(), command: z.string(), why: z.string() }))
      .exactOptional()
      .describe('segments of inject-tcp that were not sent: what comes before them was lost'),
    inconclusive: z
      .object({ cause: z.string(), evidence: z.array(z.string()), remedies: z.array(z.string()) })
      .exactOptional(),
  })
  .meta({ id: 'Image' });

export const checkReport = z
  .object({ images: z.array(image) })
  .meta({ title: 'What flowbed check --json prints' });

export type CheckedImage = z.infer<typeof image>;

/** The text of docs/check.schema.json. */
export function checkSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(checkReport), null, 2)}\n`;
}

export function checkedImage(
  name: string,
  version: string,
  packets: number,
  { counts, findings }: CheckResult,
  words?: WordsCheck,
): CheckedImage {
  const misread = words?.differences ?? [];
  return {
    image: name,
    version,
    verdict: findings.length + misread.length === 0 ? 'conforms' : 'diverges',
    compared: madeIn(counts),
    ...(words === undefined
      ? {}
      : {
          words: {
            compared: words.compared,
            ...(words.left === undefined ? {} : { left: words.left }),
          },
        }),
    differences: [
      ...misread.map((one) => ({ aspect: 'words' as const, ...one })),
      ...findings.map(({ step, ...finding }) =>
        differenceOf(
          finding,
          packets > 1 && step !== undefined && step < packets ? `packet ${step + 1}: ` : '',
        ),
      ),
    ],
  };
}

/** The same of a script: what differs at the step where model and switch diverge. */
export function checkedScript(
  name: string,
  version: string,
  { counts, divergence, unsent }: ScriptCheck,
): CheckedImage {
  const { step, findings } = divergence ?? { findings: [] };
  return {
    image: name,
    version,
    verdict: divergence === undefined ? 'conforms' : 'diverges',
    compared: madeIn(counts),
    differences: findings.map((finding) =>
      differenceOf(finding, step === undefined ? '' : `line ${step.line}, ${step.text}: `),
    ),
    ...(unsent.length === 0
      ? {}
      : {
          unsent: unsent.map(({ step: { line, text }, why }) => ({ line, command: text, why })),
        }),
  };
}

function differenceOf(
  { aspect, summary, expected, actual }: Finding,
  place: string,
): CheckedImage['differences'][number] {
  assert(isCompared(aspect), `check compares no ${aspect}`);
  return { aspect, summary: `${place}${summary}`, expected, actual };
}

function isCompared(aspect: Aspect): aspect is (typeof compared)[number] {
  return compared.some((one) => one === aspect);
}

function madeIn(counts: Counts): NonNullable<CheckedImage['compared']> {
  return Object.fromEntries(compared.map((aspect) => [aspect, counts[aspect].made])) as NonNullable<
    CheckedImage['compared']
  >;
}

/** An image of which nothing is known, and why. */
export function inconclusiveImage(
  name: string,
  { message, evidence, remedies }: Pick<Unavailable, 'message' | 'evidence' | 'remedies'>,
): CheckedImage {
  return {
    image: name,
    verdict: 'inconclusive',
    differences: [],
    inconclusive: { cause: message, evidence: [...evidence], remedies: [...remedies] },
  };
}
