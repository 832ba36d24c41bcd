/** Dumps kept in files, so that what was found once is checked for ever. */
import { z } from 'zod';
import { InputError } from '../../base/errors/errors.js';
import type { DumpCase } from './dump-case.js';

const shape = z.strictObject({
  /** What was wrong, and on which side. */
  why: z.string(),
  /** The versions it was found on. */
  found: z.array(z.string()),
  /** Why it is not compared, where it is not: a regular expression. */
  skipped: z.string().exactOptional(),
  settings: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('column'),
        table: z.string(),
        row: z.string(),
        column: z.string(),
        key: z.string().exactOptional(),
        value: z.array(z.string()),
      }),
      z.strictObject({ kind: z.literal('flag'), port: z.string(), flag: z.string() }),
      z.strictObject({ kind: z.literal('fragments'), value: z.string() }),
      z.strictObject({
        kind: z.enum(['flow', 'group', 'meter', 'option']),
        bridge: z.string().exactOptional(),
        text: z.string(),
      }),
      z.strictObject({ kind: z.literal('bond'), members: z.array(z.string()) }),
      z.strictObject({ kind: z.literal('hashes'), bit: z.int().nonnegative() }),
      z.strictObject({ kind: z.literal('second bridge') }),
      z.strictObject({ kind: z.literal('no database') }),
    ]),
  ),
  packets: z.array(
    z.strictObject({ port: z.string(), frame: z.string().regex(/^([0-9a-f]{2}){14,}$/) }),
  ),
});

export interface FrozenDump extends DumpCase {
  readonly why: string;
  readonly found: readonly string[];
  readonly skipped?: string;
}

export function printFrozenDump({ why, found, skipped, settings, packets }: FrozenDump): string {
  const known = { why, found, ...(skipped === undefined ? {} : { skipped }), settings, packets };
  return `${JSON.stringify(known, null, 2)}\n`;
}

/** @throws InputError for a file that is none. */
export function parseFrozenDump(text: string, file: string): FrozenDump {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InputError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      file,
    });
  }
  const result = shape.safeParse(json);
  if (!result.success) throw new InputError(z.prettifyError(result.error).split('\n'), { file });
  return result.data;
}
