/** Cases of the fuzzer that were kept in files, to be played again. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../base/errors/errors.js';
import type { FuzzCase } from '../../fuzz/fuzz-case.js';
import { parseRegression } from '../../fuzz/regression-case.js';

/**
 * Those of a file, or of all files of a folder as `--freeze` writes them, in the order of their
 * names. @throws InputError where there is none, or one that is no case.
 */
export async function readFrozenCases(path: string): Promise<readonly FuzzCase[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new InputError(`--frozen: expected a file or a folder of cases, found no "${path}"`);
  const files = found.isDirectory()
    ? (await readdir(path))
        .filter((file) => file.endsWith('.json'))
        .sort()
        .map((file) => join(path, file))
    : [path];
  if (files.length === 0)
    throw new InputError(`--frozen: expected files *.json in "${path}", found none`);
  return await Promise.all(
    files.map(async (file) => parseRegression(await readFile(file, 'utf8'), file)),
  );
}
