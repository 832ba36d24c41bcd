/**
 * What a run leaves on disk beside its verdict: its folder in runs/, and reports where they are
 * asked for.
 */
import { access, constants, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InputError, type Unavailable } from '../../base/errors/errors.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { attempt } from '../../base/errors/outcome.js';
import type { RunRecord } from '../../run/records/run-record.js';
import { writeRunFolder, type LogFile } from '../../run/records/run-folder.js';

/**
 * Makes the folder of the reports, and tries to write to it: not when all is over, but before
 * anything is done. @throws InputError when it cannot be written to.
 */
export async function checkReportFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    const probe = await mkdtemp(join(folder, '.tried-'));
    await writeFile(join(probe, 'one'), 'x').finally(() => rm(probe, { recursive: true }));
    for (const { file } of await renderers()) await checkReportFile(join(folder, file));
  } catch (error) {
    throw new InputError(
      `--report ${folder}: cannot be written to: ` +
        (error instanceof Error ? error.message : String(error)),
    );
  }
}

/** A report that is there already is written over. */
async function checkReportFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isFile()) throw new Error(`${file} is no file`);
  await access(file, constants.W_OK);
}

/** Lines that say where it is, to stand below the verdict, and what could not be written. */
export interface StoredRun {
  /** Its number; missing where its folder could not be written. */
  readonly run?: string;
  readonly lines: readonly string[];
  readonly refused: readonly Unavailable[];
}

/**
 * Writes the folder of the run in `root`, and reports into the folder `report` where there is one.
 * A verdict that was reached is one whether they can be written or not.
 */
export async function storeRun(
  root: string,
  record: RunRecord,
  logs: readonly LogFile[],
  report: string | undefined,
): Promise<StoredRun> {
  const stored = await attempt(() => writeRunFolder(root, record, logs));
  const reported =
    report === undefined ? undefined : await attempt(() => writeReports(report, record));
  return {
    ...(stored.kind === 'ok' ? { run: basename(stored.value) } : {}),
    lines: [
      `  folder    ${stored.kind === 'ok' ? stored.value : 'none: it could not be written'}`,
      ...(report === undefined
        ? []
        : [
            '  reports   ' +
              (reported?.kind === 'ok' ? report : 'not all of them: they could not be written'),
          ]),
    ],
    refused: [stored, reported].flatMap((outcome) =>
      outcome?.kind === 'unavailable' ? [outcome.cause] : [],
    ),
  };
}

/** Writes them, or writes over those that are there. */
export async function writeReports(folder: string, record: RunRecord): Promise<void> {
  await makeFolder(folder);
  for (const { file, render } of await renderers())
    await writeFile(join(folder, file), await render(record));
}

/** Loaded where they are wanted: they are much code. */
async function renderers() {
  return (await import('../../../reports/index.js')).renderers;
}
