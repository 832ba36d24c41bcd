/** Programs that traffic is made and read with: from Debian's packages, none is installed. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { canonicalJson, sha256 } from '../harness/base/files/digest.js';
import { firstPath } from '../harness/base/files/on-path.js';
import { within } from '../harness/base/files/path-part.js';
import { cacheFolder } from './cache.js';
import { refuseOtherWriters } from './other-writers.js';
import { findLoader } from './programs.js';
import { cachedAndRecorded } from './recorded-folder.js';
import { buildRoot } from './rootfs.js';
import { defaultSuite } from './suites.js';

/** A program that is started by the loader of its own root folder. */
export interface MeasuringTool {
  readonly command: readonly [file: string, ...args: string[]];
  /** As Debian has it: `3.18-2`. */
  readonly version: string;
}

/** Each is the only one of its package that is used. */
export const toolNames = ['iperf3', 'tcpdump'] as const;
export type ToolName = (typeof toolNames)[number];
/** Raised when the way in which the folder is made changes. */
const recipeVersion = 3;

/**
 * iperf3(1) or tcpdump(8), both fetched first where they are not in the cache.
 * @throws Unavailable where they cannot be.
 */
export async function openTool(
  tool: ToolName,
  say: (line: string) => void,
): Promise<MeasuringTool> {
  await refuseOtherWriters(cacheFolder(), []);
  const { name, aptOptions } = defaultSuite;
  const recipe = { recipeVersion, suite: name, aptOptions, architecture: process.arch, toolNames };
  const key = `traffic-${name}-${sha256(canonicalJson(recipe)).slice(0, 12)}`;
  const folder = await cachedAndRecorded(cacheFolder(), key, async (unfinished) => {
    const [root, scratch] = [join(unfinished, 'root'), join(unfinished, 'scratch')];
    await mkdir(scratch);
    const versions = await buildRoot(defaultSuite, toolNames, root, scratch, say);
    for (const one of toolNames)
      await writeFile(within(unfinished, one, '.version'), versions[one] ?? 'unknown');
    await rm(scratch, { recursive: true, force: true });
  });
  await refuseOtherWriters(dirname(folder), [basename(folder), `${basename(folder)}/root`]);
  const root = join(folder, 'root');
  const [loader, program] = [
    await findLoader(root),
    await firstPath([within(join(root, 'usr/bin'), tool)], constants.X_OK),
  ];
  if (loader === undefined || program === undefined)
    throw new Unavailable(`there is no ${tool} in ${root}`, [
      `remove the folder, it is made again: rm -r ${folder}`,
    ]);
  return {
    command: [...loader, program],
    version: await readFile(within(folder, tool, '.version'), 'utf8'),
  };
}
