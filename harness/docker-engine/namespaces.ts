/** Namespaces on this machine that end with this process, and programs in them. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withDeadline } from '../base/concurrency/deadline.js';
import { Unavailable } from '../base/errors/errors.js';
import { withParentDeathSignal } from '../ovs/process/parent-death-signal.js';

/** How long a program may take to start, or to do its work. */
export const limitMs = 60_000;

export interface Namespaces {
  /** Of their first process. */
  readonly pid: number;
  /** Before a command, it runs in them: `nsenter …`. */
  readonly inside: readonly string[];
  /** Ends everything that runs in them. */
  close(): void;
}

/**
 * Those of this process: what an engine starts there has links from here, and its processes are
 * numbered as here.
 */
export const thisPlace: Namespaces = {
  pid: process.pid,
  inside: ['env'],
  close: () => undefined,
};

/**
 * Namespaces of network, mounts and processes, with a /run of their own in `folder`. Whoever holds
 * them ends with this process, and everything in them ends with it; its shell reaps whom others
 * leave. Needs root.
 */
export async function makeNamespaces(folder: string): Promise<Namespaces> {
  mkdirSync(join(folder, 'run'), { recursive: true });
  const script = 'mount --bind "$0" /run && ip link set lo up && echo ready && cat; exit 0';
  const child = start(
    [
      ...['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
      ...['sh', '-c', script, join(folder, 'run')],
    ],
    ['pipe', 'pipe'],
  );
  await lineOf(child, /^(ready)$/m, 'namespaces');
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  const pid = Number(children.trim());
  return {
    pid,
    inside: ['nsenter', '-t', String(pid), '-n', '-m', '-p', '--'],
    close: () => void child.kill('SIGKILL'),
  };
}

export function start(
  command: readonly string[],
  stdio: readonly ('pipe' | 'ignore' | 'inherit')[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const [file, ...args] = withParentDeathSignal(process.pid, command);
  const [first = 'ignore', second = 'ignore', third = 'inherit'] = stdio;
  return spawn(file, args, {
    stdio: [first, second, third],
    env: { PATH: '/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
  });
}

/** The first group of what it prints, once that is there. */
export async function lineOf(child: ChildProcess, pattern: RegExp, what: string): Promise<string> {
  let said = '';
  const found = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        said += part.toString('utf8');
        const match = pattern.exec(said);
        if (match !== null) resolve(match[1] ?? '');
      });
    child.once('exit', () =>
      reject(new Unavailable(`${what} ended`, [], said.trim().split('\n').slice(-10))),
    );
  });
  return await withDeadline(found, limitMs, what);
}

export async function execute(
  [file = '', ...args]: readonly string[],
  input = '',
): Promise<string> {
  try {
    const running = promisify(execFile)(file, args, { timeout: limitMs });
    running.child.stdin?.on('error', () => undefined);
    running.child.stdin?.end(input);
    return (await running).stdout;
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
    throw new Unavailable(`${file} ${args.join(' ')}: ${stderr?.trim() || message}`);
  }
}
