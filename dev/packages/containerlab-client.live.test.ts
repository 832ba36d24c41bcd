/**
 * Goal: the client of containerlab is a package of its own, whole and with its types. Method: it is
 * written, packed by npm without a registry, and loaded by its name's exports; it reads a topology
 * file, and says what is missing where there is no containerlab.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { writeContainerlabClient } from './containerlab-client.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

void t.test('it is packed whole, and works by itself', async (t) => {
  // Below the project, whose packages it finds.
  const folder = join(root, 'dist/packages', `client-of-test-${process.pid}`);
  await writeContainerlabClient(root, folder);
  t.teardown(() => promisify(execFile)('rm', ['-r', folder]));
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--dry-run', '--json', '--offline'],
    {
      cwd: folder,
    },
  );
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { path: string }[] }];
  const packed = files.map(({ path }) => path);
  for (const file of ['README.md', 'package.json', 'containerlab/index.js'])
    t.ok(packed.includes(file), file);
  for (const path of packed) {
    t.notMatch(path, /\.test\./);
    if (!path.endsWith('.js') && !path.endsWith('.d.ts')) continue;
    const text = await readFile(join(folder, path), 'utf8');
    for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)\.js'/g))
      t.ok(
        packed.includes(join(path, '..', `${imported}${path.endsWith('.js') ? '.js' : '.d.ts'}`)),
        `${path} has ${imported}`,
      );
  }
  const { readLabFile, openContainerlab } = (await import(
    pathToFileURL(join(folder, 'containerlab/index.js')).href
  )) as typeof import('../../harness/containerlab/index.js');
  t.match(readLabFile('name: a\ntopology: { nodes: { n1: { kind: linux } } }\n', 'a.clab.yml'), {
    name: 'a',
  });
  await t.rejects(openContainerlab({ program: join(folder, 'none') }).version(), {
    message: /is not installed/,
  });
});
