// Goal: --watch runs a scenario again when a file of it changes, and no other; Ctrl-C ends it.
// Method: the compiled program on two scenarios; the flows of one are changed, then a file that
// neither of them has, then the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { main } from './flowbed-process.js';
import { filesOf } from './files-of-scenario.js';
import { flowTooMany, wallFiles } from './testkit/wall.js';

const folder = t.testdir({ a: wallFiles, b: { ...wallFiles, 'notes.txt': 'none' } });

void t.test('the files of a scenario', async (t) => {
  const names = ['network.yaml', 'wall.flows', 'wall.ts'].map((name) => join(folder, 'b', name));
  const found = await filesOf('/nowhere', join(folder, 'b', 'wall.ts'));
  t.same(found, names);
  await t.rejects(filesOf('/nowhere', 'antrea/none'), /there is no scenario antrea\/none/);
});

void t.test('what changes runs again', async (t) => {
  const child = spawn(
    process.execPath,
    [main, 'run', 'a/wall.ts', 'b/wall.ts', '--watch', '--passes', 'cold'],
    { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [printed, said] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (printed += text.toString('utf8')));
  child.stderr.on('data', (text: Buffer) => (said += text.toString('utf8')));
  const waits = () => said.split('watching 6 files').length - 1;
  /** Until it waits for the `count`th time: everything that changed before has been played. */
  const until = async (count: number) => {
    while (waits() < count) await once(child.stderr, 'data');
    const before = printed;
    printed = '';
    return before;
  };
  const first = await until(1);
  t.match(first, /verdict +conforms/);
  await writeFile(join(folder, 'b', 'notes.txt'), 'some');
  await writeFile(join(folder, 'a', 'wall.flows'), wallFiles['wall.flows'] + flowTooMany);
  const seen = waits();
  while (!printed.includes('verdict')) await once(child.stdout, 'data');
  const second = await until(seen + 1);
  t.match(second, /changed: a\/wall\.flows, so a\/wall\.ts runs again/);
  t.match(second, /verdict +diverges/);
  t.notMatch(second, 'b/wall.ts runs again');
  child.kill('SIGINT');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  t.same([code, signal], [130, null]);
});
