import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, sha256 } from '../harness/base/digest.js';
import { unknownName } from '../harness/base/errors.js';
import type { Image } from '../harness/ovs/image.js';
import { cacheFolder, cached } from './cache.js';
import { rootImage } from './programs.js';
import { buildRoot, type PackageVersions } from './rootfs.js';
import { defaultSuite, packages, suites, type Suite } from './suites.js';
import { systemImage } from './system.js';

/** The names that `openImage` takes, and what each holds. */
export const knownImages: readonly { readonly name: string; readonly holds: string }[] = [
  ...suites.map(({ name, holds }) => ({ name, holds })),
  { name: 'system', holds: 'what is installed on this machine' },
];

export const defaultImage: string = defaultSuite.name;

/**
 * The image of that name, made first when it is not in the cache; `say` is told of what takes long, one line each.
 * @throws InputError for an unknown name, Unavailable when it cannot be made or opened.
 */
export async function openImage(name: string, say: (line: string) => void): Promise<Image> {
  if (name === 'system') return systemImage(process.env['PATH'] ?? '');
  const suite = suites.find((candidate) => candidate.name === name);
  if (suite === undefined) throw unknownName('image', name, knownImages.map((image) => image.name));
  const folder = await cached(cacheFolder(), imageKey(suite), (unfinished) => build(suite, unfinished, say));
  const manifest = JSON.parse(await readFile(join(folder, manifestFile), 'utf8')) as Manifest;
  return rootImage(suite.name, sha256(canonicalJson(manifest.packages)), join(folder, 'root'));
}

/** The folder of a suite's image, and whether it is there; undefined for `system` and unknown names. */
export async function imageFolder(name: string): Promise<{ readonly folder: string; readonly built: boolean } | undefined> {
  const suite = suites.find((candidate) => candidate.name === name);
  if (suite === undefined) return undefined;
  const folder = join(cacheFolder(), imageKey(suite));
  return { folder, built: await stat(folder).then(() => true, () => false) };
}

/** What an image was made of. */
interface Manifest {
  readonly format: 1;
  readonly suite: string;
  readonly architecture: string;
  readonly packages: PackageVersions;
}

const manifestFile = 'manifest.json';

/** Raised when the way in which images are made changes, so that older ones are not used. */
const recipeVersion = 1;

/** The suite and a digest of all that decides what the image holds, but for the state of the mirror. */
function imageKey(suite: Suite): string {
  const recipe = { recipeVersion, suite: suite.name, architecture: process.arch, packages, aptOptions: suite.aptOptions };
  return `${suite.name}-${sha256(canonicalJson(recipe)).slice(0, 12)}`;
}

async function build(suite: Suite, folder: string, say: (line: string) => void): Promise<void> {
  const scratch = join(folder, 'scratch');
  await mkdir(scratch);
  const versions = await buildRoot(suite, join(folder, 'root'), scratch, say);
  const manifest: Manifest = { format: 1, suite: suite.name, architecture: process.arch, packages: versions };
  await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  await rm(scratch, { recursive: true, force: true });
}
