// Goal: a program that a shell starts ends as one that this process starts itself. Method: programs
// that print, fail, are ended, or are not there; several at once; and a shell that is ended itself.
import t from 'tap';
import { runByShell, type ShellResult } from './starting-shell.js';

const environment = { PATH: process.env['PATH'], LC_ALL: 'C' };
const sh = (script: string, ...args: readonly string[]) =>
  runByShell(['sh', '-c', script, 'sh', ...args], environment);

void t.test('what it prints, and how it ends', async (t) => {
  const all: readonly (readonly [script: string, ShellResult])[] = [
    ['echo one; echo two >&2', { stdout: 'one\n', stderr: 'two\n', ended: 0 }],
    ['printf "no end of line"; exit 3', { stdout: 'no end of line', stderr: '', ended: 3 }],
    ['cat', { stdout: '', stderr: '', ended: 0 }],
    ["printf '\\035'", { stdout: '\x1d', stderr: '', ended: 0 }],
    ['echo "$LC_ALL $HOME"', { stdout: 'C \n', stderr: '', ended: 0 }],
  ];
  for (const [script, result] of all) t.strictSame(await sh(script), result, script);
});

void t.test('words come as they are', async (t) => {
  const words = ["it's", 'a b', '$HOME', '\\', '"', '*', 'é\nf'];
  const { stdout } = (await sh('printf "<%s>" "$@"', ...words)) ?? {};
  t.equal(stdout, words.map((word) => `<${word}>`).join(''));
});

void t.test('a signal that ends it', async (t) => {
  for (const signal of ['SEGV', 'ABRT', 'KILL'])
    t.equal((await sh(`kill -${signal} $$`))?.ended, `SIG${signal}`);
});

void t.test('many at once, with much to say', async (t) => {
  const sizes = Array.from({ length: 12 }, (_, index) => index * 100_000);
  const printed = await Promise.all(
    sizes.map((size) => sh('head -c "$1" /dev/zero | tr "\\0" x', String(size))),
  );
  t.strictSame(
    printed.map((one) => one?.stdout.length),
    sizes,
  );
});

void t.test('what is not run', async (t) => {
  t.equal(await runByShell(['/there/is/none'], environment), undefined);
  t.equal(await runByShell(['/etc/passwd'], environment), undefined);
});

void t.test('a shell that is ended, and the next program', async (t) => {
  t.equal((await sh('kill -KILL $PPID; sleep 1'))?.ended, 'SIGKILL');
  t.equal((await sh('echo on'))?.stdout, 'on\n');
});
