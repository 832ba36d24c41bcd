/** What tests may read without importing it, and how mutants are made and lived: whatever changes here may change what any test says. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from '../tidiness/sources.js';

const folders = ['harness', 'scenarios', 'topologies', 'images'];
const tool = 'harness/mutation/';

/** Files of data, the mutation tool itself (its reasons aside), the packages, and Node's version. */
export async function readSurroundings(root: string): Promise<readonly Source[]> {
  const found = await Promise.all(folders.map(async (folder) => (await readdir(join(root, folder), { recursive: true })).map((path) => `${folder}/${path}`)));
  // Folders have no ending.
  const files = ['package-lock.json', ...found.flat().filter((path) => /\.\w+$/.test(path) && (!path.endsWith('.ts') || isOfTool(path))).sort()];
  return [{ path: 'node', text: process.version }, ...await Promise.all(files.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })))];
}

function isOfTool(path: string): boolean {
  return path.startsWith(tool) && !path.endsWith('justifications.ts') && !path.endsWith('.test.ts');
}
