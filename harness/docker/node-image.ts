/** Images of an engine that nodes run from: made of a root folder, found again by what it holds. */
import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { within } from '../base/files/path-part.js';
import { sha256 } from '../base/files/digest.js';
import { InputError, Unavailable } from '../base/errors/errors.js';
import type { Image } from '../ovs/process/image.js';
import { systemProgram } from '../ovs/process/system-program.js';
import { refusedBy, statusOf, type Engine } from './engine.js';
import { scratchFolder } from '../ovs/workspace/workspace.js';

/** On every image that is made here: the digest of what it is made of. */
export const digestLabel = 'flowbed.digest';

/**
 * What a root folder of Debian lacks before it is configured, and programs and engines look for.
 */
const links = { bin: 'usr/bin', sbin: 'usr/sbin', lib: 'usr/lib', lib64: 'usr/lib64' };
const folders = ['proc', 'sys', 'run'] as const;

/** Raised when the way in which images are made changes, so that older ones are not used. */
const recipeVersion = 1;

export interface NodeImage {
  /** As the engine is asked for it: `flowbed:trixie-0123456789ab`. */
  readonly reference: string;
  readonly made: 'now' | 'before';
}

/** The name of `image` in any engine, and what is made of it when that changes. */
export function referenceOf(image: Image): { readonly reference: string; readonly digest: string } {
  const digest = sha256(`${recipeVersion} ${image.digest}`);
  return { reference: `flowbed:${image.name}-${digest.slice(0, 12)}`, digest };
}

/**
 * The image's root folder as an image of the engine, made where it is not there.
 * @throws InputError for an image without a root folder, Unavailable for what the engine refuses.
 */
export async function nodeImageOf(engine: Engine, image: Image): Promise<NodeImage> {
  const { root } = image;
  if (root === undefined)
    throw new InputError(
      `image ${image.name} is no root folder: containers run from one, such as --image trixie`,
    );
  const { reference, digest } = referenceOf(image);
  if (await isThere(engine, reference)) return { reference, made: 'before' };
  const id = await importRoot(engine, root, { name: image.name, digest });
  // Somebody else may have made it meanwhile: theirs is used, and may be in use.
  if (await isThere(engine, reference)) {
    await removeImage(engine, id);
    return { reference, made: 'before' };
  }
  const [repo, tag] = reference.split(':');
  await engine.client.getImage(id).tag({ repo: repo ?? '', tag: tag ?? '' });
  return { reference, made: 'now' };
}

/** Images of this project in the engine that are not `current`. @returns what was removed. */
export async function pruneImages(
  engine: Engine,
  current: readonly Image[],
): Promise<readonly string[]> {
  const kept = new Set(current.map((image) => referenceOf(image).reference));
  const found = await engine.client.listImages({
    filters: JSON.stringify({ label: [digestLabel] }),
  });
  const removed: string[] = [];
  for (const { Id: id, RepoTags: tags } of found) {
    if ((tags ?? []).some((tag) => kept.has(tag))) continue;
    if (await removeImage(engine, id)) removed.push(tags?.[0] ?? id.slice(0, 19));
  }
  return removed;
}

/** False where a container uses it. */
async function removeImage(engine: Engine, id: string): Promise<boolean> {
  try {
    await engine.client.getImage(id).remove();
    return true;
  } catch (error) {
    if (statusOf(error) === 409 || statusOf(error) === 404) return false;
    throw refusedBy(engine, `remove the image ${id}`, error);
  }
}

async function isThere(engine: Engine, reference: string): Promise<boolean> {
  try {
    await engine.client.getImage(reference).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw refusedBy(engine, `say whether it has the image ${reference}`, error);
  }
}

/** @returns the id of an image without a name. */
async function importRoot(
  engine: Engine,
  root: string,
  { name, digest }: { readonly name: string; readonly digest: string },
): Promise<string> {
  const missing = await scratchFolder();
  try {
    const there = await readdir(root);
    const added = await addMissing(missing, there);
    const archive = spawn(
      systemProgram('tar'),
      ['--create', '-C', root, ...there, '-C', missing, ...added],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const packed = new Promise<number | null>((resolve) => archive.once('close', resolve));
    const answer = await engine.client.importImage(archive.stdout, {
      changes: [`LABEL ${digestLabel}=${digest}`, `LABEL flowbed.image=${name}`],
    });
    const id = await idIn(answer);
    if (id === undefined)
      throw new Unavailable(`the Docker engine at ${engine.socket} makes no image of ${root}`);
    const code = await packed;
    if (code === 0) return id;
    await removeImage(engine, id);
    throw new Unavailable(`tar cannot read all of ${root}: it ended with ${code}`);
  } catch (error) {
    throw error instanceof Unavailable ? error : refusedBy(engine, `import ${root}`, error);
  } finally {
    await rm(missing, { recursive: true });
  }
}

async function addMissing(folder: string, there: readonly string[]): Promise<readonly string[]> {
  const added = [...Object.keys(links), ...folders].filter((entry) => !there.includes(entry));
  for (const entry of added) {
    const target = links[entry as keyof typeof links] as string | undefined;
    const path = within(folder, entry);
    await (target === undefined ? mkdir(path) : symlink(target, path));
  }
  return added;
}

/** The last line of what it prints on the way names the image. */
async function idIn(answer: NodeJS.ReadableStream): Promise<string | undefined> {
  let said = '';
  for await (const part of answer) said += part.toString();
  return /sha256:[0-9a-f]{64}/.exec(said)?.[0];
}
