/**
 * Goal: docs/trace.md shows what trace and check print, word for word. Method: every command of the
 * page as a process of its own, in the project's folder, check with real switches. Where the output
 * was meant to change: UPDATE_DOCS=1 node dist/harness/cli/packets/trace-docs.live.test.js
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { documentedCommands, withOutputs } from '../../../dev/testing/documented-commands.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const file = `${root}/docs/trace.md`;

/** What people see: results and complaints. */
function flowbed(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { cwd: root, env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } },
      (_, stdout, stderr) => resolve(`${stdout}${stderr}`.trimEnd()),
    );
  });
}

void t.test('every command prints what the page shows', async (t) => {
  const page = await readFile(file, 'utf8');
  const commands = documentedCommands(page);
  t.ok(commands.length >= 9, 'commands were found');
  // A machine that has no switches yet says that it fetches them.
  for (const suite of ['trixie', 'bookworm', 'sid'])
    await openImage(suite, (line) => t.comment(line));
  const printed: string[] = [];
  for (const { args } of commands) printed.push(await flowbed(args));
  if (process.env['UPDATE_DOCS'] !== undefined) await writeFile(file, withOutputs(page, printed));
  commands.forEach(({ args, output }, index) =>
    t.equal(printed[index], output, args.slice(0, 3).join(' ')),
  );
});
