import { createInterface } from 'node:readline';
import { Unavailable } from '../harness/base/errors/errors.js';

export interface ExecuteOptions {
  /** What it is for; completes "cannot …". */
  readonly purpose: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Each line of its stdout, as it comes. */
  readonly onLine?: (line: string) => void;
  /** 10 minutes unless given. */
  readonly limitMs?: number;
  /** What a person can do when the program fails, one line each. */
  readonly remedies: readonly string[];
}

/**
 * Runs a program to its end and returns its stdout.
 * @throws Unavailable when it cannot be started or does not exit with 0, with the command line and
 *   its last words.
 */
export async function execute(
  file: string,
  args: readonly string[],
  options: ExecuteOptions,
): Promise<string> {
  const { execa, ExecaError } = await import('execa');
  try {
    const { onLine } = options;
    const child = execa(file, args, {
      cwd: options.cwd ?? '.',
      env: { LC_ALL: 'C', ...options.env },
      stdin: 'ignore',
      timeout: options.limitMs ?? timeoutMs,
    });
    if (onLine !== undefined)
      createInterface({ input: child.stdout }).on('line', (line) => {
        onLine(line);
      });
    const { stdout } = await child;
    return stdout;
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    const output = `${String(error.stdout)}\n${String(error.stderr)}`
      .split('\n')
      .filter((line) => line.trim() !== '');
    const end =
      error.exitCode === undefined
        ? error.originalMessage
        : `${file} exited with ${error.exitCode}`;
    throw new Unavailable(
      `cannot ${options.purpose}: ${end ?? error.shortMessage}`,
      options.remedies,
      [`$ ${error.command}`, ...output.slice(-15)],
    );
  }
}

const timeoutMs = 10 * 60_000;
