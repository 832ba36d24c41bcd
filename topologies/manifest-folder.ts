import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../harness/base/errors/errors.js';
import { readRegularFile } from '../harness/base/files/read-input.js';
import type { ManifestFile } from '../harness/kube/manifests.js';

/**
 * The .yaml, .yml and .json files of a folder, by name. @throws InputError when there are none, or
 * it cannot be read.
 */
export function readManifestFolder(folder: string): readonly ManifestFile[] {
  const names = readdir(folder)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort();
  if (names.length === 0)
    throw new InputError(`there is no .yaml, .yml or .json file in ${folder}`);
  return names.map((name) => {
    const file = join(folder, name);
    return { file, text: readRegularFile(file) };
  });
}

/** One file of manifests, or those of a folder. @throws InputError as `readManifestFolder` does. */
export function readManifestPath(path: string): readonly ManifestFile[] {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
    ? [{ file: path, text: readRegularFile(path) }]
    : readManifestFolder(path);
}

function readdir(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new InputError(
      `cannot read ${folder}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
