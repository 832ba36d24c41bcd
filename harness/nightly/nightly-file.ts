/** The matrix of a night, as people write it in YAML. */
import { z } from 'zod';
import { readAs, readYaml } from '../base/text/yaml.js';

const names = z.array(z.string().min(1)).min(1);
const values = z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1)]));

const selector = z
  .strictObject({
    scenario: z.string().exactOptional().describe('a name; * stands for any characters'),
    axes: z.record(z.string(), z.string()).exactOptional(),
    image: z.string().exactOptional(),
    backend: z.string().exactOptional(),
    seed: z.int().exactOptional(),
  })
  .meta({ id: 'Selector', description: 'the points of which all of this holds' });

export type Selector = z.infer<typeof selector>;

const measure = z
  .strictObject({
    name: z.string().min(1),
    unit: z.string().default(''),
    command: names.describe(
      'a program and its arguments; each number that it prints on a line of its own is a ' +
        'sample; it exits with 0 where all is well, with 1 where something diverges; it finds ' +
        'Flowbed in $FLOWBED_ROOT, and a folder that outlives a kill in $FLOWBED_NIGHT',
    ),
    gates: z.boolean().default(false),
    limit_minutes: z.number().positive().default(60).describe('after them it is killed'),
  })
  .meta({ id: 'Measure', description: 'a program that is run behind the last point' });

export type Measure = z.infer<typeof measure>;

const matrix = {
  scenarios: names
    .exactOptional()
    .describe('names, * for any characters, or files; all where it is missing'),
  set: values.default({}).describe('values of axes; the usual ones of each where it is missing'),
  images: names.default(['trixie']),
  backends: names.exactOptional().describe('the first of ./flowbed doctor where it is missing'),
  seeds: z.array(z.int().min(0)).min(1).default([1]),
};

const nightMatrix = z
  .strictObject(matrix)
  .meta({ id: 'Matrix', description: 'scenarios x axes x images x backends x seeds' });

export type NightMatrix = z.infer<typeof nightMatrix>;

export const nightlyFile = z.strictObject({
  ...matrix,
  beside: z.array(nightMatrix).default([]).describe('further matrices'),
  passes: z.enum(['all', 'cold']).default('all'),
  work: z
    .enum(['counted', 'left out'])
    .default('left out')
    .describe('whether each vector is kept with what it needs: lookups, recirculations, …'),
  include: z
    .array(
      z.strictObject({
        scenario: z.string().min(1),
        axes: z.record(z.string(), z.string()).default({}),
        image: z.string().min(1),
        backend: z.string().exactOptional(),
        seed: z.int().min(0).default(1),
      }),
    )
    .default([])
    .describe('points beside those of the matrix'),
  exclude: z.array(selector).default([]),
  gate: z
    .array(selector)
    .exactOptional()
    .describe('the points that decide about the exit code; all where it is missing'),
  budget_minutes: z
    .number()
    .positive()
    .exactOptional()
    .describe('once they are over, no further point begins'),
  measures: z.array(measure).default([]).describe('programs that measure or check something'),
});

export type NightlyFile = z.infer<typeof nightlyFile>;

/** @throws InputError with the place of what is wrong. */
export function readNightlyFile(text: string, file: string): NightlyFile {
  return readAs(readYaml(text, file), nightlyFile);
}

/** The JSON Schema of the file, as docs/nightly.schema.json holds it. */
export function nightlySchema(): string {
  return `${JSON.stringify(z.toJSONSchema(nightlyFile, { io: 'input' }), null, 2)}\n`;
}
