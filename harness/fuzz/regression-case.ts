/**
 * Cases kept in files, so that what was found once is checked for ever: texts as ovs-ofctl reads
 * them, frames in hexadecimal.
 */
import { z } from 'zod';
import { InputError } from '../base/errors/errors.js';
import type { CaseStep, FuzzCase } from './fuzz-case.js';
import { bridges } from './fuzz-network.js';

const packet = { port: z.string(), frame: z.string().regex(/^([0-9a-f]{2}){14,}$/) };

const step = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('packet'), ...packet }),
  z.strictObject({ kind: z.literal('advance'), ms: z.int().positive() }),
  z.strictObject({
    kind: z.literal('change'),
    bridge: z.enum(bridges),
    lines: z.array(z.string()),
  }),
  z.strictObject({ kind: z.literal('link'), port: z.string(), state: z.enum(['up', 'down']) }),
  z.strictObject({
    kind: z.literal('flush'),
    zone: z.int().exactOptional(),
    tuple: z.string().exactOptional(),
  }),
]);

const shape = z
  .strictObject({
    /** What was wrong, and on which side. */
    why: z.string(),
    /** The versions it was found on. */
    found: z.array(z.string()),
    groups: z.array(z.string()),
    flows: z.array(z.string()),
    beyond: z.array(z.string()).default([]),
    afar: z.array(z.string()).exactOptional(),
    underlay: z.array(z.string()).exactOptional(),
    /** Where nothing happens but packets, they are called frames. */
    steps: z.array(step).optional(),
    frames: z.array(z.strictObject(packet)).optional(),
  })
  .refine(
    ({ steps, frames }) => (steps === undefined) !== (frames === undefined),
    'expected frames, or steps',
  );

export interface RegressionCase extends FuzzCase {
  readonly why: string;
  readonly found: readonly string[];
}

export function printRegression({
  why,
  found,
  groups,
  flows,
  beyond,
  afar,
  underlay,
  steps,
}: RegressionCase): string {
  const frames = steps.flatMap((each) =>
    each.kind === 'packet' ? [{ port: each.port, frame: hexOf(each.frame) }] : [],
  );
  const played = frames.length === steps.length ? { frames } : { steps: steps.map(printStep) };
  return (
    JSON.stringify(
      {
        why,
        found,
        groups,
        flows,
        ...(beyond.length === 0 ? {} : { beyond }),
        ...(afar === undefined ? {} : { afar }),
        ...(underlay === undefined ? {} : { underlay }),
        ...played,
      },
      null,
      2,
    ) + '\n'
  );
}

/** A step as JSON has it: bytes in hexadecimal. */
export function printStep(each: CaseStep): object {
  return each.kind === 'packet' ? { ...each, frame: hexOf(each.frame) } : each;
}

function hexOf(frame: Uint8Array): string {
  return Buffer.from(frame).toString('hex');
}

/** @throws InputError for a file that is none. */
export function parseRegression(text: string, file: string): RegressionCase {
  const result = shape.safeParse(readJson(text, file));
  if (!result.success) throw new InputError(z.prettifyError(result.error).split('\n'), { file });
  const {
    frames = [],
    steps = frames.map((frame) => ({ kind: 'packet' as const, ...frame })),
    ...rest
  } = result.data;
  return {
    ...rest,
    steps: steps.map(
      (each): CaseStep =>
        each.kind === 'packet'
          ? { ...each, frame: Uint8Array.from(Buffer.from(each.frame, 'hex')) }
          : each,
    ),
  };
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      file,
    });
  }
}
