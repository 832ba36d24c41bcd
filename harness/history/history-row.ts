/** What a store keeps of a run: rows of points, of vectors and of measurements. */
import { z } from 'zod';

/** Changes with the meaning of a column; a store of another version is refused. */
export const historyFormat = 'flowbed/history/2';

const texts = z.record(z.string(), z.string());
const numbers = z.record(z.string(), z.int());

export const historyRow = z.strictObject({
  format: z.literal(historyFormat),
  night: z.string().describe('the run that wrote it; a file of the store has one night'),
  at: z.iso.datetime().describe('when that run began, UTC'),
  machine: z.string().describe('host name'),
  level: z
    .enum(['point', 'vector', 'measure'])
    .describe('what the row is about: a point of a matrix, a vector of it, a measurement'),
  scenario: z.string().describe('of a measurement: its name'),
  axes: z.string().describe('`nodes=2 tunnel=geneve`'),
  backend: z.string(),
  image: z.string(),
  seed: z.int(),
  vector: z
    .string()
    .describe('its id; of a measurement of a scenario its path; empty at level point'),
  versions: texts.describe('as the running programs report them'),
  inputs: texts.describe(
    'digests of all that the result follows from: image, program, topology, plan, vectors, …',
  ),
  verdict: z.enum(['conforms', 'diverges', 'inconclusive', 'known-divergence']),
  gates: z.boolean().describe('whether the point decides about the exit code of its night'),
  trace: z.string().describe('SHA-256 of all that was observed; empty where nothing was'),
  counters: numbers.describe('packets by flow, as `n1 br-int table=70, priority=200,…`'),
  work: numbers.describe(
    'exact, the same on every run: frames, connections, learned MACs, comparisons by aspect, and ' +
      'as `work lookups` what the model needed for the vector, where --throughput asked for it',
  ),
  converged_us: z
    .int()
    .nullable()
    .describe('virtual time of the last frame of the first pass, where there is one'),
  samples: z.array(z.number()).describe('of a measurement, in the order of measuring'),
  baseline: z
    .array(z.number())
    .describe('samples of the path that it is held against, taken in turn with them; may be none'),
  unit: z.string().describe('of the samples'),
  duration_ms: z.number().nullable().describe('real time of a point'),
  memory_kib: z.int().nullable().describe('peak of the process that judged, until then'),
  aspect: z.string().describe('of the first difference; empty where there is none'),
  place: z.string().describe('its node, bridge, table and field'),
  summary: z.string().describe('the first difference, or why there is no verdict, in words'),
  folder: z.string().describe('the run folder, from where the project lies'),
});

export type HistoryRow = z.infer<typeof historyRow>;

/** The same point, vector or measurement in every night has the same key. */
export function keyOf(row: HistoryRow): string {
  const { level, scenario, axes, backend, image, seed, vector } = row;
  return JSON.stringify([level, scenario, axes, backend, image, seed, vector]);
}

/** Columns, as DuckDB names types. */
export const columnTypes: Readonly<Record<keyof HistoryRow, string>> = {
  format: 'VARCHAR',
  night: 'VARCHAR',
  at: 'TIMESTAMP',
  machine: 'VARCHAR',
  level: 'VARCHAR',
  scenario: 'VARCHAR',
  axes: 'VARCHAR',
  backend: 'VARCHAR',
  image: 'VARCHAR',
  seed: 'BIGINT',
  vector: 'VARCHAR',
  versions: 'MAP(VARCHAR, VARCHAR)',
  inputs: 'MAP(VARCHAR, VARCHAR)',
  verdict: 'VARCHAR',
  gates: 'BOOLEAN',
  trace: 'VARCHAR',
  counters: 'MAP(VARCHAR, BIGINT)',
  work: 'MAP(VARCHAR, BIGINT)',
  converged_us: 'BIGINT',
  samples: 'DOUBLE[]',
  baseline: 'DOUBLE[]',
  unit: 'VARCHAR',
  duration_ms: 'DOUBLE',
  memory_kib: 'BIGINT',
  aspect: 'VARCHAR',
  place: 'VARCHAR',
  summary: 'VARCHAR',
  folder: 'VARCHAR',
};

/** The JSON Schema of a row, as docs/history.schema.json holds it. */
export function historyRowSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(historyRow), null, 2)}\n`;
}
