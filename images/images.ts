import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { canonicalJson, sha256 } from '../harness/base/files/digest.js';
import { Unavailable, unknownName } from '../harness/base/errors/errors.js';
import type { Image } from '../harness/ovs/process/image.js';
import { shellLine } from '../harness/base/text/shell-line.js';
import { cacheFolder, cached } from './cache.js';
import { changesOf, contents, digestOf, readContents } from './contents.js';
import { executableParts, rootImage } from './programs.js';
import { buildRoot } from './rootfs.js';
import { defaultSuite, packages as suitePackages, suites, type Suite } from './suites.js';
import { systemImage } from './system-image.js';
import { refuseOtherWriters } from './other-writers.js';

/** The names that `openImage` takes, and what each holds. */
export const knownImages: readonly { readonly name: string; readonly holds: string }[] = [
  ...suites.map(({ name, holds }) => ({ name, holds })),
  { name: 'system', holds: 'what is installed on this machine' },
];

export const defaultImage: string = defaultSuite.name;

/**
 * The image of that name, made first when it is not in the cache; `say` gets what takes long,
 * one line each.
 * @param how each file that runs is read and held to what it was when the image was made, before
 *   any of them is executed; `quickly`, by sizes and times, where another process of the same run
 *   has done so.
 * @throws InputError for an unknown name, Unavailable when it cannot be made or opened.
 */
export async function openImage(
  name: string,
  say: (line: string) => void,
  how: 'quickly' | 'wholly' = 'wholly',
): Promise<Image> {
  if (name === 'system') return systemImage(process.env['PATH'] ?? '');
  const suite = suites.find((candidate) => candidate.name === name);
  if (suite === undefined)
    throw unknownName(
      'image',
      name,
      knownImages.map((image) => image.name),
    );
  await refuseOtherWriters(cacheFolder(), []);
  const folder = await cached(cacheFolder(), imageKey(suite), (unfinished) =>
    build(suite, unfinished, say),
  );
  await verifyImage(suite.name, folder, how);
  const { contents } = await readManifest(suite.name, folder);
  return rootImage(suite.name, digestOf(contents), join(folder, 'root'));
}

/**
 * Holds an image to what it was made of (`changesOf`), and its files to be this user's or root's.
 * @throws Unavailable naming what was changed, or who could have changed it.
 */
export async function verifyImage(
  name: string,
  folder: string,
  how: 'quickly' | 'wholly',
): Promise<void> {
  const { contents } = await readManifest(name, folder);
  const root = join(folder, 'root');
  const parts = await executableParts(root);
  const [first, ...others] = await changesOf(root, parts, contents, how);
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    throw broken(name, folder, `is not as it was made: ${first.path} ${first.what}${more}`);
  }
  const paths = contents.map(({ path }) => `root/${path}`);
  await refuseOtherWriters(
    dirname(folder),
    foldersAndFiles(basename(folder), [manifestFile, ...paths]),
  );
}

/** All `paths` in `folder`, and every folder that leads to one. */
function foldersAndFiles(folder: string, paths: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const path of paths) {
    for (let at = join(folder, path); at !== '.'; at = dirname(at)) all.add(at);
  }
  return [...all].sort();
}

async function readManifest(name: string, folder: string): Promise<Manifest> {
  try {
    return manifest.parse(JSON.parse(await readFile(join(folder, manifestFile), 'utf8')));
  } catch {
    throw broken(name, folder, `has no ${manifestFile} that can be read`);
  }
}

function broken(name: string, folder: string, what: string): Unavailable {
  return new Unavailable(`the image ${name} in ${folder} ${what}`, [
    `remove the folder, it is made again: ${shellLine(['rm', '-r', folder])}`,
    'or use the Open vSwitch of this machine: --image system',
  ]);
}

/**
 * The folder of a suite's image, and whether it is there; undefined for `system` and unknown names.
 */
export async function imageFolder(
  name: string,
): Promise<{ readonly folder: string; readonly built: boolean } | undefined> {
  const suite = suites.find((candidate) => candidate.name === name);
  if (suite === undefined) return undefined;
  const folder = join(cacheFolder(), imageKey(suite));
  return {
    folder,
    built: await stat(folder).then(
      () => true,
      () => false,
    ),
  };
}

/** What an image was made of. */
const manifest = z.strictObject({
  format: z.literal(2),
  suite: z.string(),
  architecture: z.string(),
  packages: z.record(z.string(), z.string()),
  contents,
});

type Manifest = z.infer<typeof manifest>;

const manifestFile = 'manifest.json';

/** Raised when the way in which images are made changes, so that older ones are not used. */
const recipeVersion = 2;

/**
 * The suite and a digest of all that decides what the image holds, but for the state of the mirror.
 */
function imageKey(suite: Suite): string {
  const recipe = {
    recipeVersion,
    suite: suite.name,
    architecture: process.arch,
    packages: suitePackages,
    aptOptions: suite.aptOptions,
  };
  return `${suite.name}-${sha256(canonicalJson(recipe)).slice(0, 12)}`;
}

async function build(suite: Suite, folder: string, say: (line: string) => void): Promise<void> {
  const scratch = join(folder, 'scratch');
  await mkdir(scratch);
  const root = join(folder, 'root');
  const packages = await buildRoot(suite, suitePackages, root, scratch, say);
  const made: Manifest = {
    format: 2,
    suite: suite.name,
    architecture: process.arch,
    packages,
    contents: await readContents(root, await executableParts(root)),
  };
  await writeFile(join(folder, manifestFile), `${JSON.stringify(made, null, 1)}\n`);
  await rm(scratch, { recursive: true, force: true });
}
