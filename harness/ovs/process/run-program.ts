import { execFile } from 'node:child_process';
import { refusedByMachine } from '../../base/errors/machine-refusal.js';
import { shellLine } from '../../base/text/shell-line.js';
import type { Image, Program } from './image.js';
import { runByShell } from './starting-shell.js';
import { systemProgram } from './system-program.js';
import { supervisorMark } from './supervisor.js';

/**
 * How a program ended. `failure` is undefined when it exited with 0, else what it said last, or why
 * it could not run; `signal` is what ended it.
 */
export interface ProgramResult {
  readonly stdout: string;
  readonly failure: string | undefined;
  readonly signal?: string;
}

const longestOutput = 256 * 1024 * 1024;

/**
 * Runs a program of `image` to its end with `input` on its stdin. @throws Unavailable when the
 * machine refuses to start it.
 */
export async function runProgram(
  image: Pick<Image, 'command'>,
  program: Program,
  args: readonly string[],
  input = '',
): Promise<ProgramResult> {
  return await execute([...image.command(program), ...args], input);
}

/**
 * The program once for each of `calls`, one after the other, until one fails: what each has put on
 * its stdout.
 */
export async function runEach(
  image: Image,
  program: Program,
  calls: readonly (readonly string[])[],
): Promise<{ readonly stdouts: readonly string[]; readonly failure: string | undefined }> {
  const lines = calls.map((args) => shellLine([...image.command(program), ...args]));
  const { stdout, failure } = await execute(
    [systemProgram('sh'), '-c', lines.join(` && printf '\\036' && `)],
    '',
  );
  return { stdouts: stdout.split(recordSeparator), failure };
}

const recordSeparator = '\x1e';

async function execute(command: readonly string[], input: string): Promise<ProgramResult> {
  const environment = { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' };
  const byShell = input === '' ? await runByShell(command, environment) : undefined;
  if (byShell === undefined) return await executeHere(command, input, environment);
  const { stdout, stderr, ended } = byShell;
  if (ended === 0) return { stdout, failure: undefined };
  const signal = typeof ended === 'string' ? ended : undefined;
  const how =
    signal === undefined
      ? `${shellLine(command)} exited with ${ended}`
      : `it was ended by ${signal}`;
  return {
    stdout,
    failure: stderr.trim() || how,
    ...(signal === undefined ? {} : { signal }),
  };
}

async function executeHere(
  [file = '', ...args]: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<ProgramResult> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { env, maxBuffer: longestOutput },
      (error, stdout, stderr) => {
        const refused = refusedByMachine(error);
        if (refused !== undefined) {
          reject(refused);
          return;
        }
        const signal = typeof error?.signal === 'string' ? error.signal : undefined;
        const how = signal === undefined ? error?.message : `it was ended by ${signal}`;
        resolve({
          stdout,
          failure: error === null ? undefined : stderr.trim() || how,
          ...(signal === undefined ? {} : { signal }),
        });
      },
    );
    child.stdin?.on('error', () => undefined); // it ended without reading all: its exit says why
    child.stdin?.end(input);
  });
}
