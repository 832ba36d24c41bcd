import { execFile } from 'node:child_process';
import { refusedByMachine } from '../../base/errors/machine-refusal.js';
import { shellLine } from '../../base/text/shell-line.js';
import type { Image, Program } from './image.js';
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
 * Runs a program of `image` to its end with `input` on its stdin. By node:child_process: there is
 * one for every bridge, and execa takes 7 ms more for each. @throws Unavailable when the machine
 * refuses to start it.
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
 * its stdout. By one shell: to start it from a process as large as this one takes longer than the
 * program does.
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

async function execute(
  [file = '', ...args]: readonly string[],
  input: string,
): Promise<ProgramResult> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      {
        env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' },
        maxBuffer: longestOutput,
      },
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
