/**
 * Shells that start programs in the place of this process: fork(2) copies the tables of all its
 * memory, which takes longer than most programs do.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { availableParallelism, constants } from 'node:os';
import type { Readable } from 'node:stream';
import { createPool } from '../../base/concurrency/create-pool.js';
import { shellLine } from '../../base/text/shell-line.js';
import { systemProgram } from './system-program.js';

/** How a program ended, and what it put on its streams. */
export interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: number | NodeJS.Signals;
}

interface StartingShell {
  run(command: readonly string[]): Promise<ShellResult | undefined>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** By their environment, which is that of the programs. */
const pools = new Map<string, ReturnType<typeof createPool<StartingShell>>>();

/**
 * Runs a program to its end, with nothing on its stdin.
 * @returns undefined where it was not run: a shell that cannot start a program ends.
 */
export async function runByShell(
  command: readonly string[],
  environment: Environment,
): Promise<ShellResult | undefined> {
  const key = JSON.stringify(environment);
  const pool = pools.get(key) ?? createPool(shellsFor(environment));
  pools.set(key, pool);
  return await pool((shell) => shell.run(command));
}

/** Started where they are needed; one waits for its program, as long as that runs. */
function shellsFor(environment: Environment): readonly StartingShell[] {
  return Array.from({ length: 2 * availableParallelism() }, () => lazyShell(environment));
}

function lazyShell(environment: Environment): StartingShell {
  let shell: (StartingShell & { readonly hasEnded: () => boolean }) | undefined;
  return {
    run: async (command) => {
      if (shell?.hasEnded() !== false) shell = startShell(environment);
      return await shell.run(command);
    },
  };
}

/** What a shell says of a program that there is not, or that is none (sh(1)). */
const notRun: readonly number[] = [126, 127];

/** Behind each program its number and how it ended stand on stdout, and its number on stderr. */
const endMark = '\x1d';

function startShell(environment: Environment) {
  const child = spawn(systemProgram('sh'), ['-s'], { env: environment });
  let isOver = false;
  /** By a signal its program may have run as well: whoever sent that meant both. */
  const over = new Promise<ShellResult | undefined>((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('exit', (_, signal) =>
      resolve(signal === null ? undefined : { stdout: '', stderr: '', ended: signal }),
    );
  }).finally(() => (isOver = true));
  child.stdin.on('error', () => undefined); // it has ended, as `over` says
  let calls = 0;
  /** Between two programs nothing keeps this process from ending, and the shell ends with it. */
  const hold = (how: 'ref' | 'unref') => {
    child[how]();
    for (const stream of [child.stdin, child.stdout, child.stderr])
      (stream as unknown as Socket)[how]();
  };
  hold('unref');
  return {
    hasEnded: () => isOver,
    run: async (command: readonly string[]): Promise<ShellResult | undefined> => {
      const call = ++calls;
      hold('ref');
      const printed = Promise.all([upToMark(child.stdout), upToMark(child.stderr)]).then(
        ([{ text: stdout, code }, { text: stderr }]): ShellResult | undefined =>
          notRun.includes(code) ? undefined : { stdout, stderr, ended: signalOf(code) ?? code },
      );
      child.stdin.write(
        `${shellLine(command)} </dev/null; printf '\\035${call} %d\\035' $?; ` +
          `printf '\\035${call} 0\\035' >&2\n`,
      );
      try {
        return await Promise.race([printed, over]);
      } finally {
        hold('unref');
      }
    },
  };
}

interface Marked {
  readonly text: string;
  readonly code: number;
}

/** What comes up to the mark behind one program. */
function upToMark(stream: Readable): Promise<Marked> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const receive = (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.at(-1) !== endMark.charCodeAt(0)) return;
      const whole = Buffer.concat(chunks).toString('utf8');
      const [, text, code] = /^(.*)\x1d\d+ (\d+)\x1d$/s.exec(whole) ?? [];
      if (text === undefined) return;
      stream.off('data', receive);
      resolve({ text, code: Number(code) });
    };
    stream.on('data', receive);
  });
}

/** A shell adds 128 to the number of the signal that ended a program. */
function signalOf(code: number): NodeJS.Signals | undefined {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, number]) => number === code - 128)?.[0];
}
