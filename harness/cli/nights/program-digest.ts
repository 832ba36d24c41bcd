/** A digest of this program as it is built: results follow from it as they do from any input. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../base/files/digest.js';

/** Of what runs, tests aside, and of the versions of what it depends on. */
export async function programDigest(root: string): Promise<string> {
  const dist = join(root, 'dist');
  const names = (await readdir(dist, { recursive: true })).filter(
    (name) => name.endsWith('.js') && !name.endsWith('.test.js') && !name.startsWith('dev/'),
  );
  const files = ['../package-lock.json', ...names.sort()];
  const digests: string[] = [];
  for (const name of files) digests.push(`${name} ${sha256(await readFile(join(dist, name)))}`);
  return sha256(digests.join('\n'));
}
