import { spawn } from 'node:child_process';
import { withDeadline } from '../base/deadline.js';
import { Unavailable } from '../base/errors.js';

/** How a program ended: its exit code, the signal that ended it, or nothing of both when it was given up. */
export interface Ending {
  readonly kind: 'exited' | 'killed' | 'gave-up';
  /** "exited with 1", "was killed by SIGSEGV", "gave up after 30 s …" */
  readonly summary: string;
  readonly succeeded: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SuperviseOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

/** Runs a program in a process group of its own, which is killed as a whole when `limitMs` pass or this process exits. */
export async function supervise(file: string, args: readonly string[], options: SuperviseOptions): Promise<Ending> {
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const killGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nobody is left in the group.
    }
  };
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => { output.stdout += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { output.stderr += text; });
  const closed = new Promise<Omit<Ending, 'stdout' | 'stderr'>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(
      signal === null
        ? { kind: 'exited', summary: `exited with ${code}`, succeeded: code === 0 }
        : { kind: 'killed', summary: `was killed by ${signal}`, succeeded: false },
    ));
  });
  process.on('exit', killGroup);
  try {
    return { ...(await withDeadline(closed, options.limitMs, 'it to end')), ...output };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { kind: 'gave-up', summary: error.message, succeeded: false, ...output };
  } finally {
    process.off('exit', killGroup);
    killGroup();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
