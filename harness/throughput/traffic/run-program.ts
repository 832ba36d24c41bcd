/** Programs that run in the network of a host, for as long as they are needed. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';

export type Command = readonly [file: string, ...args: string[]];

/** It answers, and ends with this process. */
export interface Server {
  /** Nanoseconds of processors that it has had; nothing once it has ended. */
  used(): Promise<number>;
  close(): Promise<void>;
}

const limitMs = 60_000;

/**
 * @param ready what it prints once it answers. @throws Unavailable with what it has printed where
 *   it ends before.
 */
export async function startServer(what: string, command: Command, ready: RegExp): Promise<Server> {
  const child = spawnOf(command);
  const said: string[] = [];
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const answers = new Promise<void>((resolve, reject) => {
    const hear = (part: Buffer) => {
      said.push(part.toString('utf8'));
      if (ready.test(said.join(''))) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', (error) => reject(new Unavailable(`${what}: ${error.message}`, [])));
    child.once('close', () =>
      reject(new Unavailable(`${what} has ended`, [], said.join('').trim().split('\n'))),
    );
  });
  const close = async () => {
    child.kill('SIGKILL');
    await withDeadline(ended, limitMs, `${what} to end`);
  };
  try {
    await withDeadline(answers, limitMs, `${what} to answer`);
    return { used: () => processorNs(child.pid ?? 0), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Of a process with all of its threads, in ticks of 10 ms (proc_pid_stat(5)). */
async function processorNs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 1e7;
}

/** What a program prints. @throws Unavailable where it fails, or takes longer than it may. */
export async function runToItsEnd(
  what: string,
  command: Command,
  seconds: number,
): Promise<string> {
  const child = spawnOf(command);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (part: Buffer) => out.push(part));
  child.stderr.on('data', (part: Buffer) => err.push(part));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    const code = await withDeadline(ended, limitMs + seconds * 1000, `${what} to end`);
    const printed = Buffer.concat(out).toString('utf8');
    if (code === 0) return printed;
    const why = Buffer.concat([...err, ...out]).toString('utf8');
    throw new Unavailable(`${what} failed`, [], why.trim().split('\n').slice(-10));
  } finally {
    child.kill('SIGKILL');
  }
}

function spawnOf(command: Command) {
  const [file, ...args] = withParentDeathSignal(process.pid, command);
  return spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
}
