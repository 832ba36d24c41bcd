/** What lies where in the folder of a sim: one folder a node, and what all of them start from. */
import { readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathPartBytesMin, within } from '../../../base/files/path-part.js';
import { socketPathBytesMax } from '../../../ovs/workspace/socket-path.js';

/** Left free below a node's folder, for the socket of a port of any name, and those of daemons. */
const socketBytes = '/'.length + pathPartBytesMin + '.port'.length;

/**
 * The folder of a node's daemons in that of its sim. A long name is shortened: sockets lie in it.
 */
export function nodeFolder(dir: string, node: string): string {
  const room = socketPathBytesMax - socketBytes - Buffer.byteLength(join(dir, 'x')) + 1;
  return within(dir, node, '', Math.max(room, pathPartBytesMin));
}

/** No node's folder is called so, nor as those that have left (`pathPart`). */
export const emptyDatabaseIn = (dir: string) => join(dir, '~empty.db');

/** Gives the folder of a node that has left another name: a node of the same name may come. */
export async function renameLeftFolder(folder: string): Promise<void> {
  const kept = `${basename(folder)}~left-`;
  const others = (await readdir(dirname(folder))).filter((name) => name.startsWith(kept));
  await rename(folder, `${folder}~left-${others.length + 1}`);
}
