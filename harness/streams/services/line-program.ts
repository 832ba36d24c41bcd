/** A program in the namespace of a host, that is asked by lines and answers by lines. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../../ovs/process/supervisor.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import { inNamespace } from '../../testbeds/netns/carrier.js';

export interface LineProgram {
  /** Resolves with the lines before the one that is `last`. */
  until(last: string): Promise<readonly string[]>;
  write(line: string): void;
  /** Closes its standard input; resolves with the lines that were not taken before it ended. */
  end(): Promise<readonly string[]>;
  kill(): void;
}

const limitMs = 120_000;

/** @param place the process that holds the namespace. */
export function startLineProgram(
  name: string,
  place: number,
  program: string,
  args: readonly string[],
): LineProgram {
  const [file, ...words] = withParentDeathSignal(
    process.pid,
    inNamespace(place, [systemProgram('perl'), '-e', program, ...args]),
  );
  const child = spawn(file, words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  const lines: string[] = [];
  let said = '';
  let [over, wake] = [undefined as string | undefined, () => undefined as void];
  child.stdin.on('error', () => undefined); // its end follows
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
  const gone = (how: string) => {
    over ??= how;
    wake();
  };
  child.once('error', (error) => gone(`cannot be started: ${error.message}`));
  child.once('close', (code) => gone(`ended with ${code}`));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  const waitFor = (isThere: () => boolean, what: string) =>
    withDeadline(
      new Promise<void>((resolve) => {
        wake = () => {
          if (isThere() || over !== undefined) resolve();
        };
        wake();
      }),
      limitMs,
      `${name}: ${what}`,
    );
  return {
    until: async (last) => {
      await waitFor(() => lines.includes(last), `the line "${last}"`);
      const at = lines.indexOf(last);
      if (at < 0)
        throw new Unavailable(
          `${name} ${over}, before it was done`,
          [],
          said.split('\n').slice(0, 9),
        );
      return lines.splice(0, at + 1).slice(0, -1);
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    end: async () => {
      child.stdin.end();
      await waitFor(() => false, 'its end');
      return lines.splice(0);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
