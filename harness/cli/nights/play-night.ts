/** Points of a night that share their switches: each is stored as soon as it was played. */
import { writeFile } from 'node:fs/promises';
import { renderHtml } from '../../../reports/html/html.js';
import { attempt } from '../../base/errors/outcome.js';
import { InputError, Unavailable, Unsupported } from '../../base/errors/errors.js';
import { mapConcurrently } from '../../base/concurrency/map-concurrently.js';
import {
  formatAxes,
  rowsOfRecord,
  unplayedRow,
  type NightContext,
} from '../../history/rows-of-record.js';
import type { OpenNight } from '../../history/open-night.js';
import type { NightlyFile } from '../../nightly/nightly-file.js';
import { formatNightPoint, gatesNight, type NightPoint } from '../../nightly/points-of-night.js';
import { writeRunFolder } from '../../run/records/run-folder.js';
import { backends } from '../../testbeds/registry.js';
import type { Context } from '../context.js';
import { nightReport } from './history-page.js';
import { openMatrixRun, recordOf } from '../runs/matrix-run.js';
import { playPoint, type MatrixRun } from '../runs/play-point.js';
import { commandLine } from '../runs/run.js';
import { runSpecOf, type RunOptions } from '../runs/run-spec.js';

export interface Night {
  readonly context: Context;
  readonly file: NightlyFile;
  readonly open: OpenNight;
  /** A digest of this program. */
  readonly program: string;
  readonly machine: string;
}

/** @param isOver whether no further point begins. */
export async function playNightPoints(
  night: Night,
  points: readonly NightPoint[],
  isOver: () => boolean,
): Promise<void> {
  const [first] = points;
  if (first === undefined || isOver()) return;
  const { context, file } = night;
  const options: RunOptions = {
    image: first.image,
    backend: first.backend,
    seed: String(first.seed),
    passes: file.passes,
    throughput: file.work === 'counted',
  };
  const request = { names: [], options, points };
  const missing = await whatIsMissing(first.backend);
  if (missing !== undefined) {
    for (const point of points) await finishUnplayed(night, point, missing);
    return;
  }
  const opened = await attempt(async () =>
    openMatrixRun(context, request, await runSpecOf(context.root, request)),
  );
  if (opened.kind === 'unavailable') {
    for (const point of points) await finishUnplayed(night, point, opened.cause.message);
    return;
  }
  await mapConcurrently(opened.value.pool.concurrency, [...points.entries()], ([index, point]) =>
    isOver() ? Promise.resolve() : playOne(night, opened.value, index, point),
  );
}

/** Why this machine, or this version of Flowbed, has no such testbed. */
async function whatIsMissing(name: string): Promise<string | undefined> {
  const backend = backends.find((one) => one.name === name);
  if (backend === undefined)
    return (
      `no backend ${name} here: this version has ` + `${backends.map((one) => one.name).join(', ')}`
    );
  const missing = (await backend.doctor()).find(({ kind }) => kind === 'missing');
  return missing === undefined ? undefined : `no backend ${name} here: ${missing.text}`;
}

async function playOne(
  night: Night,
  matrixRun: MatrixRun,
  index: number,
  point: NightPoint,
): Promise<void> {
  const { context, open } = night;
  const asked = matrixRun.spec.points[index];
  if (asked === undefined) return;
  const played = await attempt(() => playPoint(matrixRun, index, asked)).catch(asRefused);
  if (played.kind === 'unavailable') {
    await finishUnplayed(night, point, played.cause.message);
    return;
  }
  const record = await recordOf(
    matrixRun,
    [played.value],
    againOf(context.root, point, night.file),
  );
  const logs = matrixRun.logs
    .filter(({ name }) => name.startsWith(`point-${index + 1}/`))
    .map((log) => ({ ...log, name: log.name.replace(/^point-\d+/, 'point-1') }));
  const stored = await attempt(() => writeRunFolder(context.root, record, logs));
  if (stored.kind === 'unavailable')
    throw new Unavailable(
      `the run folder of ${formatNightPoint(point)} cannot be written: ${stored.cause.message}`,
      [...stored.cause.remedies, 'what is finished stays: --resume continues behind it'],
    );
  const folder = stored.value;
  if (record.report.verdict !== 'conforms')
    await writeFile([context.root, folder, nightReport].join('/'), await renderHtml(record));
  await open.finish(formatNightPoint(point), rowsOfRecord(record, contextOf(night, point, folder)));
}

/**
 * A scenario that is wrong at one point, or holds what the model does not know, leaves the others.
 */
function asRefused(error: unknown): { readonly kind: 'unavailable'; readonly cause: Error } {
  if (error instanceof InputError || error instanceof Unsupported)
    return { kind: 'unavailable', cause: error };
  throw error;
}

async function finishUnplayed(night: Night, point: NightPoint, why: string): Promise<void> {
  const { scenario, axes, backend, image, seed } = point;
  const row = unplayedRow(
    { scenario, axes: formatAxes(axes), backend, image, seed },
    why,
    contextOf(night, point, ''),
  );
  await night.open.finish(formatNightPoint(point), [row]);
}

function contextOf(
  { file, open, program, machine }: Night,
  point: NightPoint,
  folder: string,
): NightContext {
  return {
    night: open.night,
    at: open.at,
    machine,
    program,
    memoryKib: process.resourceUsage().maxRSS,
    gates: gatesNight(file, point),
    folder,
  };
}

function againOf(
  root: string,
  { scenario, axes, image, backend, seed }: NightPoint,
  { passes }: NightlyFile,
): string {
  const set = Object.entries(axes).map(([axis, value]) => `${axis}=${value}`);
  return commandLine(root, [scenario], {
    image,
    backend,
    seed: String(seed),
    passes,
    ...(set.length === 0 ? {} : { set: set.join(',') }),
  });
}
