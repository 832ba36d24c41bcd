/** `flowbed history --html`: the page of a store, with links from where it lies. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { renderHistoryPage } from '../../../reports/html-history.js';
import type { HistoryStore } from '../../history/store.js';
import { exitCodes, type Context } from '../context.js';

export async function writePage(
  { print, root }: Pick<Context, 'print' | 'root'>,
  store: HistoryStore,
  file: string,
): Promise<number> {
  const rows = await store.rows(`level <> 'vector' ORDER BY "at", night, scenario, axes, image`);
  const from = dirname(resolve(file));
  const linkOf = (folder: string) => linkTo(root, folder, from);
  await writeFile(file, await renderHistoryPage({ rows, nights: store.nights, linkOf }));
  print(`  page      ${file}`);
  return exitCodes.conforms;
}

/**
 * The report of a run, or its folder where it has none; undefined where nothing of it is there any
 * more. @param folder from where the project lies. @param from the folder of the page.
 */
export function linkTo(root: string, folder: string, from: string): string | undefined {
  if (folder === '') return undefined;
  const run = [root, folder].join('/');
  const there = [[run, nightReport].join('/'), run].find((one) => existsSync(one));
  return there === undefined
    ? undefined
    : relative(from, there).split('/').map(encodeURIComponent).join('/');
}

/** What a night leaves in the run folder of a point that does not conform. */
export const nightReport = 'report.html';
