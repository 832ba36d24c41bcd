/** A store of ten million rows, as 60 nights of 2,000 vectors at 83 points leave it. */
import { mkdir, stat } from 'node:fs/promises';
import { within } from '../../harness/base/files/path-part.js';
import { columnTypes, historyFormat, type HistoryRow } from '../../harness/history/history-row.js';
import { nightsFolder } from '../../harness/history/night-files.js';
import { formatOfNight, nightOrder } from '../../harness/history/write-night.js';

const [nights, points, vectors] = [60, 83, 2008] as const;

export interface LargeStore {
  readonly rows: number;
  readonly bytes: number;
  /** One that every point has, and that changed in the last night. */
  readonly vector: string;
}

/**
 * What each column is in SQL, of vector `v` at point `p` in night `n`; of the point where v < 0.
 */
const values: Readonly<Record<keyof HistoryRow, string>> = {
  format: `'${historyFormat}'`,
  night: `'night-' || lpad(n::VARCHAR, 2, '0')`,
  at: `TIMESTAMP '2026-09-01 02:00:00' + to_days(n)`,
  machine: `'lab'`,
  level: `CASE WHEN v < 0 THEN 'point' ELSE 'vector' END`,
  scenario: `'bench/s' || p::VARCHAR`,
  axes: `'nodes=' || (p % 3)::VARCHAR`,
  backend: `'sim'`,
  image: `'trixie'`,
  seed: '1',
  vector:
    `CASE WHEN v < 0 THEN '' ELSE ` +
    `'tcp/p' || (v // 45)::VARCHAR || '/p' || (v % 45)::VARCHAR END`,
  versions: `MAP {'ovs-vswitchd': '3.5.0', 'ovsdb-server': '3.5.0'}`,
  inputs: `MAP {'image': 'a', 'program': n::VARCHAR, 'plan': p::VARCHAR}`,
  verdict: `CASE WHEN n = ${nights - 1} AND v = 7 THEN 'diverges' ELSE 'conforms' END`,
  gates: 'true',
  trace: `md5((p * 10000 + v)::VARCHAR) || md5((v * 10000 + p)::VARCHAR)`,
  counters:
    `MAP {'n1 br-int table=0, priority=' || (v % 50)::VARCHAR: abs(v) % 90 + 1, ` +
    `'n1 br-int table=70, priority=' || (v % 200)::VARCHAR: abs(v) % 30 + 1}`,
  work: `MAP {'frames seen': v % 60 + 2, 'compared counters': v % 20 + 1}`,
  converged_us: 'v % 900 + 40',
  samples: '[]::DOUBLE[]',
  baseline: '[]::DOUBLE[]',
  unit: `''`,
  duration_ms: 'NULL',
  memory_kib: 'NULL',
  aspect: `''`,
  place: `''`,
  summary: `''`,
  folder: `'runs/' || (n * ${points} + p)::VARCHAR`,
};

export async function writeLargeStore(folder: string): Promise<LargeStore> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await mkdir(nightsFolder(folder), { recursive: true });
  let bytes = 0;
  for (let night = 0; night < nights; night++) {
    const name = `night-${String(night).padStart(2, '0')}`;
    const file = within(nightsFolder(folder), name, '.parquet');
    const at = new Date(Date.UTC(2026, 8, 1 + night, 2)).toISOString().replace('.000', '');
    const columns = Object.entries(values)
      .map(
        ([column, value]) =>
          `(${value})::${columnTypes[column as keyof HistoryRow]} AS "${column}"`,
      )
      .join(', ');
    const format = formatOfNight({ format: historyFormat, night: name, at });
    await connection.run(
      `COPY (SELECT ${columns} FROM (SELECT ${night} AS n, p, v FROM range(${points}) a(p), ` +
        `range(-1, ${vectors}) b(v)) ${nightOrder}) TO '${file}' (${format})`,
    );
    bytes += (await stat(file)).size;
  }
  connection.closeSync();
  return { rows: nights * points * (vectors + 1), bytes, vector: 'tcp/p0/p7' };
}
