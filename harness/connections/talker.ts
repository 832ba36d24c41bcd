/** Programs in the network of hosts that are spoken to line by line; they end with this process. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { withDeadline } from '../base/concurrency/deadline.js';
import { Unavailable } from '../base/errors/errors.js';
import { withParentDeathSignal } from '../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../ovs/process/supervisor.js';

export interface Talker {
  /** The next line that it prints. @throws Unavailable where it ends before, or is silent. */
  next(): Promise<string>;
  say(line: string): void;
  /** All that it has printed so far, as far as nobody has taken it by `next`. */
  readonly lines: readonly string[];
  /** Its input ends, and then it. */
  end(): Promise<void>;
  close(): Promise<void>;
}

const limitMs = 120_000;

export function startTalker(what: string, command: readonly [string, ...string[]]): Talker {
  const [file, ...words] = withParentDeathSignal(process.pid, command);
  const child = spawn(file, words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  const lines: string[] = [];
  let said = '';
  let failure: Unavailable | undefined;
  let notify: () => void = () => undefined;
  child.stdin.on('error', () => undefined); // its end follows
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    notify();
  });
  const ended = new Promise<void>((resolve) => {
    const gone = (how: string) => {
      failure = new Unavailable(`${what} ${how}`, [], said.split('\n').slice(0, 10));
      notify();
      resolve();
    };
    child.once('error', (error) => gone(`cannot be started: ${error.message}`));
    child.once('close', () => gone('has ended')); // behind its last line
  });
  const heard = async () => {
    while (lines.length === 0) {
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => (notify = resolve));
    }
    return lines.shift() ?? '';
  };
  return {
    lines,
    next: () => withDeadline(heard(), limitMs, `${what} to say something`),
    say: (line) => void child.stdin.write(`${line}\n`),
    end: async () => {
      child.stdin.end();
      await withDeadline(ended, limitMs, `${what} to end`);
    },
    close: async () => {
      child.kill('SIGKILL');
      await withDeadline(ended, limitMs, `${what} to end`);
    },
  };
}
