/**
 * `runs/NUMBER/`, what stays of a run: manifest.json (what it is and how to run it again), report.json, record.json
 * (enough to explain it, to render any report, and to play it again), logs/. Each carries the version of its format.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { arch, release } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { canonicalJson, sha256 } from '../base/digest.js';
import { InputError } from '../base/errors.js';
import { recordFormat, type RunRecord } from './record.js';
import { runReport } from './report.js';

const folderFormat = 'flowbed/run-folder/1';

export interface LogFile {
  /** `point-1/cluster-1/n1/ovs-vswitchd.log`: of the first point of the matrix */
  readonly name: string;
  readonly text: string;
}

/** Writes the folder beside its place and renames it, so that none is ever half-written; @returns its path from `root`. */
export async function writeRunFolder(root: string, record: RunRecord, logs: readonly LogFile[]): Promise<string> {
  const runs = join(root, 'runs');
  const unfinished = join(runs, `.unfinished-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const files: Readonly<Record<string, unknown>> = { 'manifest.json': manifestOf(record), 'report.json': record.report, 'record.json': { format: recordFormat, scenarios: record.scenarios } };
  for (const [name, content] of Object.entries(files)) await writeFile(join(unfinished, name), `${JSON.stringify(content)}\n`);
  for (const { name, text } of logs) {
    const file = join(unfinished, 'logs', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return relative(root, await putInPlace(unfinished, runs));
}

/** The next free number; when another run takes it first, the one after: a folder that is not empty is never replaced. */
async function putInPlace(unfinished: string, runs: string): Promise<string> {
  const last = Math.max(0, ...(await runNumbers(runs)));
  for (let number = last + 1; ; number++) {
    const folder = join(runs, String(number));
    const renamed = await rename(unfinished, folder).then(() => true, (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
      throw error;
    });
    if (renamed) return folder;
  }
}

function manifestOf({ report, scenarios }: RunRecord): unknown {
  const { again, seed, backend, image, imageDigest, versions, verdict, traceHash } = report;
  return {
    format: folderFormat, again, seed, backend, image, imageDigest, versions, verdict, traceHash,
    inputs: scenarios.map(({ topology, plan, vectors, history }, index) => ({
      scenario: report.scenarios[index]?.name,
      axes: report.scenarios[index]?.axes,
      topology: sha256(canonicalJson(topology)),
      plan: sha256(canonicalJson(plan)),
      vectors: sha256(canonicalJson(vectors.map(({ vector }) => vector))),
      ...(history === undefined ? {} : { history: sha256(canonicalJson(history)) }),
    })),
    machine: { node: process.version, architecture: arch(), kernel: release() },
  };
}

/** Reads a run by its number, or by the path of its folder. @throws InputError when there is none, or it is of another format. */
export async function readRunFolder(root: string, run: string): Promise<RunRecord> {
  const folder = /^\d+$/.test(run) ? join(root, 'runs', run) : run;
  const read = async (name: string): Promise<unknown> => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (text === undefined) throw new InputError(`there is no run ${run}: looked for ${join(folder, name)}; runs are ${(await runNumbers(join(root, 'runs'))).join(', ') || 'none'}`);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new InputError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, { file: join(folder, name) });
    }
  };
  const report = runReport.safeParse(await read('report.json'));
  if (!report.success) throw new InputError(`not a report of this version of flowbed:\n${z.prettifyError(report.error)}`, { file: join(folder, 'report.json') });
  const record = (await read('record.json')) as { readonly format?: unknown; readonly scenarios: RunRecord['scenarios'] };
  if (record.format !== recordFormat) throw new InputError(`expected format ${recordFormat}, got ${JSON.stringify(record.format)}`, { file: join(folder, 'record.json') });
  return { report: report.data, scenarios: record.scenarios };
}

/** Removes runs whose folder is older than `ageMs` at `nowMs`; @returns their numbers. */
export async function removeOldRuns(root: string, ageMs: number, nowMs: number): Promise<readonly number[]> {
  const runs = join(root, 'runs');
  const removed: number[] = [];
  for (const number of await runNumbers(runs)) {
    const folder = join(runs, String(number));
    if (nowMs - (await stat(folder)).mtimeMs <= ageMs) continue;
    await rm(folder, { recursive: true });
    removed.push(number);
  }
  return removed;
}

async function runNumbers(runs: string): Promise<readonly number[]> {
  const names = await readdir(runs).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
}
