// Goal: the help of every command fits a screen, and every option says what it is. Method: print
// it as it is printed to a pipe, in 80 columns.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createTeardown } from '../base/concurrency/teardown.js';
import { runCommandLine } from './commands.js';

const screen = { lines: 40, columns: 80 };

async function helpOf(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  await runCommandLine(
    {
      print: (text) => void printed.push(text),
      say: () => undefined,
      complain: () => undefined,
      mute: () => undefined,
      teardown: createTeardown(),
      root: fileURLToPath(new URL('../../..', import.meta.url)),
    },
    [...args, '--help'],
  );
  return printed.join('\n');
}

void t.test('each command fits a screen', async (t) => {
  const commands = [...(await helpOf()).matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name]) => name);
  t.ok(commands.length > 12, commands.join(', '));
  for (const command of [[], ...commands.map((name) => [name ?? ''])]) {
    const text = await helpOf(...command);
    const lines = text.trimEnd().split('\n');
    t.match(text, /^Usage: flowbed /, command.join(' '));
    t.ok(lines.length <= screen.lines, `${command.join(' ')}: ${lines.length} lines`);
    t.same(
      lines.filter((line) => line.length > screen.columns),
      [],
      `${command.join(' ')}: no line is longer than ${screen.columns} columns`,
    );
    t.same(
      lines.filter((line) => /^ {2}-.*>$/.test(line)),
      [],
      `${command.join(' ')}: each option is described`,
    );
  }
});
