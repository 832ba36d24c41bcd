/**
 * A run's folder read back, and compared with what its run wrote: a changed folder is refused, and
 * gives no verdict.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../base/files/digest.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { runManifest, type RunManifest } from './manifest.js';
import { readKernelAnswers, withKernelAnswers } from './kernel-answers.js';
import { findInconsistencies, type Inconsistency } from './inconsistencies.js';
import type { RunRecord } from './run-record.js';
import { recordFile, reportDetails } from './record-file.js';
import { runReport } from './run-report.js';
import { runNumbers } from './run-folder.js';

/**
 * Reads a run by its number, or by the path of its folder. @throws InputError when there is none,
 * when it is of another format, and when a file is missing, is not what the run wrote, or
 * contradicts another.
 */
export async function readRunFolder(root: string, run: string): Promise<RunRecord> {
  const folder = folderOf(root, run);
  if (
    !(await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    ))
  ) {
    throw new InputError(
      `there is no run ${run}: looked for the folder ${folder}; runs are ` +
        ((await runNumbers(join(root, 'runs'))).join(', ') || 'none'),
    );
  }
  const manifest = parsed(
    folder,
    'manifest.json',
    await textOf(folder, 'manifest.json'),
    runManifest,
  );
  const texts = new Map<string, string>();
  for (const name of new Set(['report.json', 'record.json', ...Object.keys(manifest.files)]))
    texts.set(name, await textOf(folder, name));
  const report = parsed(folder, 'report.json', texts.get('report.json') ?? '', runReport);
  parsed(folder, 'report.json', texts.get('report.json') ?? '', reportDetails);
  const { scenarios } = parsed(folder, 'record.json', texts.get('record.json') ?? '', recordFile);
  // The schema knows what is read of a record; its digest holds the rest of it to what the run
  // wrote.
  const record: RunRecord = { report, scenarios: scenarios as unknown as RunRecord['scenarios'] };
  const kernel = await readKernelAnswers(folder, sha256(texts.get('report.json') ?? ''));
  const wrong = [
    ...withoutOverflow(folder, manifest, record),
    ...changedFiles(manifest, texts),
    ...(kernel.kind === 'wrong' ? [kernel] : []),
  ];
  if (wrong.length > 0) throw changedFolderError(folder, wrong);
  return kernel.kind === 'wrong'
    ? record
    : { ...record, report: withKernelAnswers(report, kernel.answers) };
}

/** JSON can be nested as deep as nobody can follow it. */
function withoutOverflow(
  folder: string,
  manifest: RunManifest,
  record: RunRecord,
): readonly Inconsistency[] {
  try {
    return findInconsistencies(manifest, record);
  } catch (error) {
    if (!(error instanceof RangeError && /call stack/.test(error.message))) throw error;
    throw new InputError('it is nested deeper than any run is', {
      file: join(folder, 'record.json'),
    });
  }
}

/** The folder of a run that is given by its number, or by its folder. */
export function folderOf(root: string, run: string): string {
  return /^\d+$/.test(run) ? join(root, 'runs', run) : run;
}

/**
 * Does `work` with what was recorded of the scenario at `index`; what the words of a record mean,
 * those of a flow, say, is known when they are used. @throws InputError and Unsupported with the
 * place.
 */
export async function withRecorded<T>(
  { root, run }: { readonly root: string; readonly run: string },
  index: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const file = join(folderOf(root, run), 'record.json');
    if (error instanceof Unsupported)
      throw new Unsupported(`${file}: scenarios[${index}]: ${error.message}`);
    if (!(error instanceof InputError)) throw error;
    const [first = '', ...others] = error.message.split('\n');
    throw new InputError([`scenarios[${index}]: ${first}`, ...others], { file });
  }
}

function changedFiles(
  { files }: RunManifest,
  texts: ReadonlyMap<string, string>,
): readonly Inconsistency[] {
  return [...texts].flatMap(([file, text]) => {
    const [wanted, got] = [files[file], sha256(text)];
    return wanted === got
      ? []
      : [
          {
            file,
            what:
              'it is not what the run wrote: manifest.json has ' +
              (wanted === undefined
                ? 'no digest of it'
                : `the digest ${wanted}, and it has ${got}`),
          },
        ];
  });
}

/** More would bury the first. */
const maxListed = 10;

function changedFolderError(folder: string, wrong: readonly Inconsistency[]): InputError {
  const listed = wrong
    .slice(0, maxListed)
    .map(({ file, what }) => `${join(folder, file)}: ${what}`);
  const more = wrong.length > maxListed ? [`and ${wrong.length - maxListed} more`] : [];
  return new InputError([
    'the folder of this run was changed after the run wrote it, so that nothing follows ' +
      'from it; run it again',
    ...listed,
    ...more,
  ]);
}

async function textOf(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  try {
    if (!(await stat(file)).isFile()) throw new Error('it is no regular file');
    return await readFile(file, 'utf8');
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? 'it is missing'
        : `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw changedFolderError(folder, [{ file: name, what: why }]);
  }
}

function parsed<Schema extends z.ZodType>(
  folder: string,
  name: string,
  text: string,
  schema: Schema,
): z.output<Schema> {
  const file = join(folder, name);
  const refused = (message: string | readonly string[]) => new InputError(message, { file });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = schema.safeParse(value);
  if (!read.success)
    throw refused([
      'not as this version of flowbed writes it:',
      ...z.prettifyError(read.error).split('\n'),
    ]);
  return value as z.output<Schema>; // as it was written: keys are in the order of the file
}
