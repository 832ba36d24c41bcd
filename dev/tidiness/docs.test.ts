// Goal: what README and other pages point at is there, and the scenario that docs/scenarios.md
// shows is the one that runs. Method: read them; follow every relative link; compare the code block
// with the file.
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readPages } from './sources.js';

/** The compiled file is in dist/dev/tidiness. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The targets of a page's links that lead to files: `[text](target)`, code blocks aside. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

/** The links of `text` that lead nowhere. */
async function deadLinks(page: string, text: string): Promise<readonly string[]> {
  const found = await Promise.all(
    linksOf(text).map(async (target) => ({
      target,
      exists: await access(join(root, dirname(page), target)).then(
        () => true,
        () => false,
      ),
    })),
  );
  return found.filter(({ exists }) => !exists).map(({ target }) => `${page}: ${target}`);
}

void t.test('every relative link leads to a file', async (t) => {
  const texts = await readPages();
  t.ok(texts.flatMap(({ text }) => linksOf(text)).length > 20, 'links were found');
  for (const { path, text } of texts) t.same(await deadLinks(path, text), [], path);
});

void t.test('a planted dead link is caught', async (t) => {
  t.same(
    await deadLinks(
      'docs/a.md',
      '[a](../README.md) [b](none.md#x) [c](https://example.org) ' +
        '[d](#here)\n```\n[e](code.md)\n```\n`[f](code.md)`',
    ),
    ['docs/a.md: none.md'],
  );
});

void t.test('docs/scenarios.md shows antrea/encap as it is', async (t) => {
  const page = await readFile(join(root, 'docs/scenarios.md'), 'utf8');
  const [, shown] = /all of `antrea\/encap`:\n\n```ts\n([^]*?)```/.exec(page) ?? [];
  t.equal(shown, await readFile(join(root, 'scenarios/antrea/encap.ts'), 'utf8'));
});

void t.test('README is a page that people read', async (t) => {
  const lines = (await readFile(join(root, 'README.md'), 'utf8')).trimEnd().split('\n');
  t.ok(lines.length < 100, `README.md has ${lines.length} lines, and fewer than 100 are wanted`);
});
