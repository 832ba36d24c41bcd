import { accessSync, constants } from 'node:fs';

/** Where the system keeps its own programs, whatever PATH says. */
const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'] as const;

/**
 * The path of a program of the system, such as `setpriv`, that a file of the same name elsewhere on
 * PATH is not taken for; the name alone, to be looked for on PATH, where the system keeps its
 * programs elsewhere.
 */
export function systemProgram(name: string): string {
  return folders.map((folder) => `${folder}/${name}`).find(isExecutable) ?? name;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
