import { spawn, type ChildProcess } from 'node:child_process';
import { withDeadline } from '../../harness/base/concurrency/deadline.js';
import { Unavailable } from '../../harness/base/errors/errors.js';

/**
 * How a program ended: its exit code, the signal that ended it, or nothing of both when it was
 * given up.
 */
export interface End {
  readonly kind: 'exited' | 'killed' | 'gave-up';
  /** "exited with 1", "was killed by SIGSEGV", "gave up after 30 s …" */
  readonly summary: string;
  readonly succeeded: boolean;
}

export interface Ending extends End {
  readonly stdout: string;
  readonly stderr: string;
}

export interface SuperviseOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

/**
 * Runs a program in a process group of its own, which is killed as a whole when `limitMs` pass or
 * this process exits.
 */
export async function supervise(
  file: string,
  args: readonly string[],
  options: SuperviseOptions,
): Promise<Ending> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = killerOf(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  try {
    return { ...(await within(endOf(child), options.limitMs)), ...output };
  } finally {
    kill();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

export function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve(
        signal === null
          ? { kind: 'exited', summary: `exited with ${code}`, succeeded: code === 0 }
          : { kind: 'killed', summary: `was killed by ${signal}`, succeeded: false },
      ),
    );
  });
}

/** `end`, or that it did not come in time. */
export async function within(end: Promise<End>, limitMs: number): Promise<End> {
  try {
    return await withDeadline(end, limitMs, 'it to end');
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { kind: 'gave-up', summary: error.message, succeeded: false };
  }
}

/** Kills the process group that a program leads; called when this process exits, at the latest. */
export function killerOf({ pid }: ChildProcess): () => void {
  const kill = (): void => {
    process.off('exit', kill);
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // Nobody is left in the group.
    }
  };
  process.on('exit', kill);
  return kill;
}
