/** The watcher as people start it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withDeadline } from '../../../base/concurrency/deadline.js';
import { withParentDeathSignal } from '../../../ovs/process/parent-death-signal.js';

export interface WatcherProcess {
  /** All lines that it has printed. */
  readonly lines: readonly string[];
  /** Waits until it has printed a line that matches. */
  says(pattern: RegExp): Promise<string>;
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('../../../../programs/ovn_watcher', import.meta.url));
const limitMs = 60_000;

export function startWatcher(args: readonly string[]): WatcherProcess {
  const [file, ...rest] = withParentDeathSignal(process.pid, [
    ...[process.execPath, main, 'follow', ...args],
  ]);
  const child = spawn(file, rest, { stdio: ['ignore', 'inherit', 'pipe'] });
  const lines: string[] = [];
  let printed: () => void = () => undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    printed();
  });
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (printed = resolve));
    }
  };
  return {
    lines,
    says: (pattern) =>
      withDeadline(said(pattern), limitMs, `${String(pattern)}; it says ${lines.join(' | ')}`),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
