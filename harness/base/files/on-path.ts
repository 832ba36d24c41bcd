import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first of `candidates` that is there with the given access; undefined when none is. */
export async function firstPath(
  candidates: readonly string[],
  mode: number,
): Promise<string | undefined> {
  for (const path of candidates) {
    if (
      await access(path, mode).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
/** Absolute path of a program; undefined when it is not installed. */
export async function onPath(program: string): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return firstPath(
    folders.map((folder) => join(folder, program)),
    constants.X_OK,
  );
}
