import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A source file of the project; `path` is relative to its top level, with slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

const folders = ['harness', 'scenarios', 'topologies', 'reports', 'images', 'bench', 'dev'];

/** Every TypeScript file of the project, by path. */
export async function readSources(): Promise<readonly Source[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(join(root, folder), { recursive: true }).catch(() => []);
      return Promise.all(
        files
          .filter((file) => file.endsWith('.ts'))
          .map(async (file) => ({
            path: `${folder}/${file}`,
            text: await readFile(join(root, folder, file), 'utf8'),
          })),
      );
    }),
  );
  return found.flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Every page of documentation, those of folders as well, by path. */
export async function readPages(): Promise<readonly Source[]> {
  const inFolders = await Promise.all(
    [...folders, 'docs'].map(async (folder) => {
      const files = await readdir(join(root, folder), { recursive: true }).catch(() => []);
      return files.map((file) => `${folder}/${file}`);
    }),
  );
  const paths = ['README.md', ...inFolders.flat()].filter((path) => path.endsWith('.md')).sort();
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  );
}

/** The compiled file is in dist/dev/tidiness. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Its syntax tree, with the path as the file's name. */
export function parse({ path, text }: Source): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** `node` and all that is below it, parents first. */
export function descendants(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    found.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return found;
}

/** `path:line` of a node, for a complaint. */
export function placeOf(file: ts.SourceFile, node: ts.Node): string {
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
