import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { Unavailable } from '../../harness/base/errors/errors.js';
import { canonicalJson, sha256 } from '../../harness/base/files/digest.js';
import { shellLine } from '../../harness/base/text/shell-line.js';
import { cached, cacheFolder } from '../cache.js';
import { changesOf, contents, digestOf, readContents } from '../contents.js';
import { refuseOtherWriters } from '../other-writers.js';
import { compileKernel, compilerOptions, nftablesFolder, suiteOfLinux } from './compile-kernel.js';
import { fixedRandomSource } from './fixed-random.js';
import { kernelConfig } from './kernel-config.js';

/** A kernel that runs as a process of an ordinary user. */
export interface UmlKernel {
  readonly digest: string;
  /** The program that it is. */
  readonly linux: string;
  /** To be loaded before its libraries: getrandom(2) from a seed. */
  readonly fixedRandom: string;
  /** A folder with `nft`, for guests of machines that have none. */
  readonly programs: string;
}

/** The files of it, and so of the image. */
const files = ['fixed-random.so', 'linux', nftablesFolder] as const;

const manifest = z.strictObject({
  format: z.literal(1),
  packages: z.record(z.string(), z.string()),
  contents,
});

const manifestFile = 'manifest.json';

/** Bytes that making it takes, at most: nearly all of it is Linux, unpacked and compiled. */
const bytesForKernel = 2 * 2 ** 30;

/**
 * Makes the kernel where it is not in the cache. @throws Unavailable when it cannot be made.
 */
export async function buildKernel(say: (line: string) => void): Promise<UmlKernel> {
  await refuseOtherWriters(cacheFolder(), []);
  await cached(cacheFolder(), kernelKey(), (folder) => build(folder, say), bytesForKernel);
  return await openKernel();
}

/**
 * The kernel in the cache. @throws Unavailable when it was not made, or is not as it was made.
 */
export async function openKernel(): Promise<UmlKernel> {
  const { folder, built } = await kernelFolder();
  if (!built)
    throw new Unavailable('no kernel for a world of User-mode Linux was made yet', [
      'make it once, in minutes: ./flowbed image build uml',
      'or run on this machine itself: --world host',
    ]);
  const root = join(folder, 'root');
  const made = await readManifest(folder);
  const [changed] = await changesOf(root, files, made.contents, 'wholly');
  if (changed !== undefined)
    throw broken(folder, `is not as it was made: ${changed.path} ${changed.what}`);
  const name = basename(folder);
  await refuseOtherWriters(dirname(folder), [
    name,
    join(name, manifestFile),
    ...files.map((file) => join(name, 'root', file)),
  ]);
  return {
    digest: digestOf(made.contents),
    linux: join(root, 'linux'),
    fixedRandom: join(root, 'fixed-random.so'),
    programs: join(root, nftablesFolder),
  };
}

/** Where it is kept, and whether it is there. */
export async function kernelFolder(): Promise<{
  readonly folder: string;
  readonly built: boolean;
}> {
  const folder = join(cacheFolder(), kernelKey());
  const built = await stat(folder).then(
    () => true,
    () => false,
  );
  return { folder, built };
}

/** Raised when the way in which it is made changes otherwise. */
const recipeVersion = 4;

function kernelKey(): string {
  const recipe = {
    recipeVersion,
    suite: suiteOfLinux,
    architecture: process.arch,
    kernelConfig,
    compilerOptions,
    fixedRandomSource,
  };
  return `uml-${sha256(canonicalJson(recipe)).slice(0, 12)}`;
}

async function build(folder: string, say: (line: string) => void): Promise<void> {
  if (process.arch !== 'x64')
    throw new Unavailable(
      `User-mode Linux runs on x86-64 alone, and this machine is ${process.arch}`,
      ['run on this machine itself: --world host'],
    );
  const [root, scratch] = [join(folder, 'root'), join(folder, 'scratch')];
  await mkdir(scratch);
  const packages = await compileKernel(root, scratch, say);
  const made: z.infer<typeof manifest> = {
    format: 1,
    packages,
    contents: await readContents(root, files),
  };
  await writeFile(join(folder, manifestFile), `${JSON.stringify(made, null, 1)}\n`);
  await rm(scratch, { recursive: true, force: true });
}

async function readManifest(folder: string): Promise<z.infer<typeof manifest>> {
  try {
    return manifest.parse(JSON.parse(await readFile(join(folder, manifestFile), 'utf8')));
  } catch {
    throw broken(folder, `has no ${manifestFile} that can be read`);
  }
}

function broken(folder: string, what: string): Unavailable {
  return new Unavailable(`the kernel in ${folder} ${what}`, [
    `remove the folder: ${shellLine(['rm', '-r', folder])}`,
    'and make it again: ./flowbed image build uml',
  ]);
}
