/** The files that a scenario is made of: modules that it imports, and files that it names. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { InputError } from '../../base/errors/errors.js';
import { sha256 } from '../../base/files/digest.js';

/**
 * The sources of a scenario of the project, by its name, or of a file: with all modules that it
 * imports by relative paths or as `flowbed/…`, and every file beside them that a text in them
 * names.
 * @throws InputError where there is no such scenario, and where its file is empty: editors truncate
 *   a file before they write it.
 */
export async function filesOf(root: string, name: string): Promise<readonly string[]> {
  const isFile = /\.(ts|js|mjs)$/.test(name);
  const first = isFile ? resolve(name) : [root, 'scenarios', `${name}.ts`].join('/');
  if (!(await isThere(first))) throw new InputError(`there is no scenario ${name}: no ${first}`);
  if ((await stat(first)).size === 0) throw new InputError(`${first} is empty: it is no scenario`);
  const found = new Set<string>();
  const left = [first];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    if (!/\.(ts|js|mjs)$/.test(file)) continue;
    for (const text of textsIn(await readFile(file, 'utf8')))
      for (const candidate of candidates(root, file, text))
        if (await isThere(candidate)) {
          left.push(candidate);
          break;
        }
  }
  return [...found].sort();
}

function textsIn(source: string): readonly string[] {
  return [...source.matchAll(/'([^'\\\n]+)'|"([^"\\\n]+)"|`([^`\\$\n]+)`/g)].map(
    ([, single, double, back]) => single ?? double ?? back ?? '',
  );
}

/** A compiled module is that of its source. */
function candidates(root: string, file: string, text: string): readonly string[] {
  const path = text.startsWith('flowbed/')
    ? [root, text.slice('flowbed/'.length)].join('/')
    : resolve([dirname(file), text].join('/'));
  return [path.replace(/\.js$/, '.ts'), `${path}.ts`, path];
}

async function isThere(file: string): Promise<boolean> {
  return await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** By path; one that is gone has an empty digest. */
export async function digestsOf(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const file of files)
    digests.set(
      file,
      await readFile(file).then(
        (content) => sha256(content.toString('latin1')),
        () => '',
      ),
    );
  return digests;
}
