/** Cases kept in files, so that what was found once is looked at for ever: texts as ovs-ofctl reads them, frames in hexadecimal. */
import { z } from 'zod';
import { InputError } from '../base/errors.js';
import type { FuzzCase } from './case.js';

const shape = z.strictObject({
  /** What was wrong, and on which side. */
  why: z.string(),
  /** The versions it was found on. */
  found: z.array(z.string()),
  groups: z.array(z.string()),
  flows: z.array(z.string()),
  frames: z.array(z.strictObject({ port: z.string(), frame: z.string().regex(/^([0-9a-f]{2}){14,}$/) })),
});

export interface FrozenCase extends FuzzCase {
  readonly why: string;
  readonly found: readonly string[];
}

export function printFrozen({ why, found, groups, flows, frames }: FrozenCase): string {
  return `${JSON.stringify({ why, found, groups, flows, frames: frames.map(({ port, frame }) => ({ port, frame: Buffer.from(frame).toString('hex') })) }, null, 2)}\n`;
}

/** @throws InputError for a file that is none. */
export function parseFrozen(text: string, file: string): FrozenCase {
  const result = shape.safeParse(readJson(text, file));
  if (!result.success) throw new InputError(z.prettifyError(result.error), { file });
  const { frames, ...rest } = result.data;
  return { ...rest, frames: frames.map(({ port, frame }) => ({ port, frame: Uint8Array.from(Buffer.from(frame, 'hex')) })) };
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, { file });
  }
}
