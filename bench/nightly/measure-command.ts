/** One command of the program: how long it takes, and the line that says what came out. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = join(root, 'dist/harness/cli/main.js');

export interface Measured {
  readonly what: string;
  readonly wallS: number;
  /** Of all processes that it started. */
  readonly processorS: number;
  readonly bar: string;
  readonly came: string;
}

export interface MeasuredCommand {
  readonly args: readonly string[];
  /** What it must print. */
  readonly line: RegExp;
}

/** @throws where it does not print what it must. */
export async function flowbedIn(
  scratch: string,
  { args, line }: MeasuredCommand,
): Promise<Omit<Measured, 'what' | 'bar'>> {
  const began = performance.now();
  const times = join(scratch, 'times');
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    [
      ...['-c', 'TIMEFORMAT="%U %S"; exec 3>&2; { time "$@" 2>&3; } 2>"$TIMES"', 'bash'],
      ...[process.execPath, main, ...args],
    ],
    { cwd: scratch, maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: '1', TIMES: times } },
  ).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });
  const [user = NaN, system = NaN] = (await readFile(times, 'utf8'))
    .trim()
    .split(/\s+/)
    .map(Number);
  const came = line.exec(stdout)?.[0].split('\n').at(-1);
  if (came === undefined)
    throw new Error(
      `flowbed ${args.join(' ')} printed nothing like ${line.source}:\n${stdout}\n${stderr}`,
    );
  return { wallS: (performance.now() - began) / 1000, processorS: user + system, came };
}
