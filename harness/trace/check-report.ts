/**
 * What `flowbed check --json` prints: the schema is the source, the types and
 * docs/check.schema.json follow from it.
 */
import { z } from 'zod';
import type { Unavailable } from '../base/errors/errors.js';
import { describeCounterDifference } from '../compare/compare-counters.js';
import { agrees, type CheckResult } from './check-packets.js';
import type { ScriptCheck } from './script/check-script.js';

const difference = z
  .object({
    aspect: z.enum(['frames', 'packet-ins', 'counters', 'connections', 'macs', 'flows']),
    summary: z.string(),
    expected: z.string().describe('what the model predicts'),
    actual: z.string().describe('what the switch did'),
  })
  .meta({ id: 'Difference' });

const image = z
  .object({
    image: z.string(),
    version: z.string().exactOptional().describe('of ovs-vswitchd, as it tells itself'),
    verdict: z.enum(['conforms', 'diverges', 'inconclusive']),
    compared: z
      .object({
        frames: z.int(),
        silent: z.int(),
        packetIns: z.int(),
        counters: z.int(),
        entries: z.int(),
      })
      .exactOptional()
      .describe('how many comparisons of each aspect were made'),
    differences: z.array(difference),
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
  result: CheckResult,
): CheckedImage {
  const of = (packet: number) => (packets > 1 ? ` of packet ${packet}` : '');
  return {
    image: name,
    version,
    verdict: agrees(result) ? 'conforms' : 'diverges',
    compared: result.compared,
    differences: [
      ...result.frames.map(({ kind, port, fields, packet, expected, actual }) => ({
        aspect: 'frames' as const,
        summary: `${kind} frame out of ${port}${of(packet)}${listed(fields)}`,
        expected,
        actual,
      })),
      ...result.packetIns.map(({ kind, controller, bridge, fields, expected, actual }) => ({
        aspect: 'packet-ins' as const,
        summary:
          `${kind} packet-in of ${bridge} for controllers with id ` +
          `${controller}${listed(fields)}`,
        expected,
        actual,
      })),
      ...result.counters.map((difference) => ({
        aspect: 'counters' as const,
        ...describeCounterDifference(difference),
      })),
      ...result.state.map(({ aspect, kind, about, expected, actual }) => ({
        aspect,
        summary: `${kind}: ${about}`,
        expected,
        actual,
      })),
    ],
  };
}

function listed(fields: readonly string[]): string {
  return fields.length === 0 ? '' : `: ${fields.join(', ')}`;
}

/** The same of a script: what differs at the step where model and switch part. */
export function checkedScript(
  name: string,
  version: string,
  { compared, divergence }: ScriptCheck,
): CheckedImage {
  if (divergence === undefined)
    return { image: name, version, verdict: 'conforms', compared, differences: [] };
  const { step, result, dump } = divergence;
  const differences: CheckedImage['differences'] = [
    ...checkedImage(name, version, 1, result).differences,
    ...dump.map(({ kind, line }) => ({
      aspect: 'flows' as const,
      summary: `${kind} flow`,
      expected: kind === 'missing' ? line.trim() : 'no such line',
      actual: kind === 'missing' ? 'no such line' : line.trim(),
    })),
  ];
  return {
    image: name,
    version,
    verdict: 'diverges',
    compared,
    differences: differences.map((each) => ({
      ...each,
      summary: `line ${step.line}, ${step.text}: ${each.summary}`,
    })),
  };
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
