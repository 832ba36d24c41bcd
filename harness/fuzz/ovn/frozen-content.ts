/** Cases of northbound content kept in files, so that what was found once is checked for ever. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { OvnContent } from '../../domain/plan/ovn-content.js';
import { InputError } from '../../base/errors/errors.js';
import { northboundTables } from '../../domain/plan/northbound-plan.js';
import type { Stimulus } from '../../domain/test-vector.js';

export interface FrozenContent {
  /** What was wrong, and on which side. */
  readonly why: string;
  /** The versions of OVN that it was found on. */
  readonly found: readonly string[];
  /** What differences stand behind that are not mended. */
  readonly behind?: readonly string[];
  /** What one may stand behind as well, as chance has it. */
  readonly perhaps?: readonly string[];
  /** What is left out of it on the versions that it was found on, and on no other. */
  readonly leftOut?: readonly string[];
  /** What OVN held before, where that matters. */
  readonly before?: OvnContent;
  readonly content: OvnContent;
  readonly stimuli: readonly Stimulus[];
}

const atom = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ row: z.string() }).readonly(),
]);
const columns = z.record(
  z.string(),
  z.union([
    atom,
    z.strictObject({ set: z.array(atom).readonly() }).readonly(),
    z.strictObject({ map: z.record(z.string(), z.string()).readonly() }).readonly(),
  ]),
);
const content = z.strictObject({
  rows: z.array(z.strictObject({ table: z.enum(northboundTables), id: z.string(), columns })),
  columns: z.record(z.string(), columns),
});
const shape = z.strictObject({
  why: z.string(),
  found: z.array(z.string()),
  behind: z.array(z.string()).min(1).exactOptional(),
  perhaps: z.array(z.string()).min(1).exactOptional(),
  leftOut: z.array(z.string()).min(1).exactOptional(),
  before: content.exactOptional(),
  content,
  stimuli: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('ping'), from: z.string(), to: z.string() }),
      z.strictObject({
        kind: z.literal('udp'),
        from: z.string(),
        to: z.string(),
        port: z.int(),
      }),
      z.strictObject({
        kind: z.literal('probe'),
        from: z.string(),
        to: z.string(),
        port: z.int(),
        transmissions: z.int(),
      }),
      z.strictObject({ kind: z.literal('dhcp'), from: z.string() }),
    ]),
  ),
});

export function printFrozen(frozen: FrozenContent): string {
  return `${JSON.stringify(frozen, null, 2)}\n`;
}

/** @throws InputError for a file that is none. */
export async function readFrozen(file: string): Promise<FrozenContent> {
  const result = shape.safeParse(JSON.parse(await readFile(file, 'utf8')));
  if (!result.success) throw new InputError(z.prettifyError(result.error).split('\n'), { file });
  return result.data;
}
