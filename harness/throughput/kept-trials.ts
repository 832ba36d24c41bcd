/** Calibrations of before: trials of reference paths, by what they depend on. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { canonicalJson, sha256 } from '../base/files/digest.js';
import { within } from '../base/files/path-part.js';
import type { MeasureName, Trial } from './measures.js';

const trial = z.strictObject({
  units: z.number(),
  lookups: z.number().optional(),
  seconds: z.number(),
  switchNs: z.number(),
  polls: z.number(),
  probes: z.number(),
  clientNs: z.number(),
  serverNs: z.number(),
  proxyNs: z.number(),
});
const kept = z.strictObject({
  of: z.record(z.string(), z.union([z.string(), z.number()])),
  paths: z.record(z.string(), z.array(trial)),
});

/** What trials depend on: another of any of these is another calibration. */
export interface CalibrationKey {
  readonly machine: string;
  readonly image: string;
  readonly backend: string;
  readonly switching: string;
  readonly scheduling: string;
  readonly measure: MeasureName;
  readonly seconds: number;
  /** How long a turn is, in seconds. */
  readonly slice: number;
  /** The version of the program that makes the traffic. */
  readonly traffic: string;
  /** Of the reference plan. */
  readonly plan: string;
}

/** Trials by path; undefined where there are none, or of other paths. */
export async function readTrials(
  folder: string,
  key: CalibrationKey,
): Promise<Readonly<Record<string, readonly Trial[]>> | undefined> {
  const text = await readFile(fileOf(folder, key), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return kept.parse(JSON.parse(text)).paths;
  } catch {
    return undefined; // cut off, or of another version: it is measured again
  }
}

export async function keepTrials(
  folder: string,
  key: CalibrationKey,
  paths: Readonly<Record<string, readonly Trial[]>>,
): Promise<void> {
  const file = fileOf(folder, key);
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.unfinished-${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify({ of: key, paths }, undefined, 2)}\n`);
  await rename(unfinished, file);
}

function fileOf(folder: string, key: CalibrationKey): string {
  const name = `${key.measure}-${sha256(canonicalJson(key)).slice(0, 16)}`;
  return within(within(folder, 'calibrations'), name, '.json');
}
