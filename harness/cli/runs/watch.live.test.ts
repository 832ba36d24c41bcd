// Goal: `run --watch` runs again what a changed file touches and nothing else, also behind a file
// that was wrong for a while, and ends with Ctrl-C. Method: the compiled program on two scenarios
// of docs/scenarios.md in folders of their own, files of one of which are written while it waits.
import { spawn } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { main } from '../flowbed-process.js';
import { flowTooMany, wallFiles } from '../testkit/wall.js';

const other = { ...wallFiles, 'wall.ts': wallFiles['wall.ts'].replace('mine/wall', 'mine/other') };
const folder = t.testdir({ a: wallFiles, b: other });

/** Writes it whole: a run must not begin with half of it. */
async function replaceFile(name: string, content: string): Promise<void> {
  await writeFile(join(folder, 'new'), content);
  await rename(join(folder, 'new'), join(folder, name));
}

void t.test('files that change', async (t) => {
  const child = spawn(
    process.execPath,
    [main, 'run', 'a/wall.ts', 'b/wall.ts', '--passes', 'cold', '--watch'],
    { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (text: Buffer) => (printed += text.toString('utf8')));
  const said = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const complaints: string[] = [];
  /** What was printed until it waits for changes. */
  const untilItWaits = async (): Promise<string> => {
    for (;;) {
      const line = (await said.next()) as IteratorResult<string, undefined>;
      if (line.done === true) return printed;
      if (line.value.startsWith('watching ')) break;
      complaints.push(line.value);
    }
    const all = printed;
    printed = '';
    return all;
  };
  const first = await untilItWaits();
  t.match(first, /^mine\/wall .*\n[^]*^mine\/other /m);
  t.match(first, 'verdict   conforms');
  await replaceFile('a/wall.flows', wallFiles['wall.flows'] + flowTooMany);
  const second = await untilItWaits();
  t.match(second, /^changed: a\/wall\.flows, so a\/wall\.ts runs again$/m);
  t.match(second, 'verdict   diverges');
  t.notMatch(second, 'mine/other', 'the other is as it was');
  await replaceFile('b/wall.ts', `${other['wall.ts']}const wrong = (;\n`);
  await untilItWaits();
  t.match(complaints.join('\n'), /wall\.ts/, 'it is named');
  await replaceFile('b/wall.ts', other['wall.ts']);
  const mended = await untilItWaits();
  t.match(mended, /^mine\/other /m, 'and it runs again once it is mended');
  t.match(mended, 'verdict   conforms');
  await rm(join(folder, 'a', 'wall.ts'));
  await untilItWaits();
  t.match(complaints.at(-1), /a\/wall\.ts is gone or empty/);
  await replaceFile('a/wall.ts', wallFiles['wall.ts']);
  t.equal((await untilItWaits()).trim(), '', 'it is back as it was');
  const ended = new Promise((resolve) => {
    child.on('exit', resolve);
  });
  child.kill('SIGINT');
  await ended;
  t.pass('it ended');
});
