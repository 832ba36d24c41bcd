/** Programs that run in the network of a host, for as long as they are needed. */
import { spawn } from 'node:child_process';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import { processorNs } from '../cluster/switch-use.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';

export type Command = readonly [file: string, ...args: string[]];

/** It ends with this process. */
export interface Running {
  readonly pid: number;
  /**
   * Nanoseconds of processors that it has had. Once it has ended: nothing of what answers,
   * Unavailable of what asks.
   */
  used(): Promise<number>;
  close(): Promise<void>;
}

const limitMs = 60_000;

/** A program that runs until it is closed; `used` says where it has ended by itself, and why. */
export function startProgram(what: string, command: Command): Running {
  const child = spawnOf(command);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => said.push(part.toString('utf8')));
  let isRunning = true;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isRunning = false;
      resolve();
    };
    child.once('close', end);
    child.once('error', (error) => {
      said.push(error.message);
      end();
    });
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    used: async () => {
      if (!isRunning)
        throw new Unavailable(`${what} has ended`, [], said.join('').trim().split('\n').slice(-10));
      return processorNs(pid);
    },
    close: async () => {
      child.kill('SIGKILL');
      await withDeadline(ended, limitMs, `${what} to end`);
    },
  };
}

/**
 * @param ready what it prints once it answers. @throws Unavailable with what it has printed where
 *   it ends before.
 */
export async function startServer(what: string, command: Command, ready: RegExp): Promise<Running> {
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
    const pid = child.pid ?? 0;
    return { pid, used: () => processorNs(pid), close };
  } catch (error) {
    await close();
    throw error;
  }
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
