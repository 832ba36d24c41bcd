/** The plugin as the program that people start, in a process of its own that ends with this one. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withDeadline } from '../../../base/concurrency/deadline.js';
import { withParentDeathSignal } from '../../../ovs/process/parent-death-signal.js';
import type { PluginStep } from '../plugin/context.js';
import type { PluginPlace } from './deployment.js';

export interface PluginProcess {
  /** Resolves when it has ended, by whomever. */
  readonly ended: Promise<void>;
  /** As the kernel would end it, silently. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const startLimitMs = 60_000;

/** Waits until it serves. @param dieAfter the step behind which it ends by SIGKILL. */
export async function startPluginProcess(
  place: PluginPlace,
  dieAfter?: PluginStep,
): Promise<PluginProcess> {
  const program = fileURLToPath(new URL('../main.js', import.meta.url));
  const [file, ...args] = withParentDeathSignal(process.pid, [
    ...[process.execPath, program, 'plugin'],
    ...Object.entries(place).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...(dieAfter === undefined ? [] : ['--die-after', dieAfter]),
  ]);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const serving = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    void ended.then(() => reject(new Error('the plugin ended before it served')));
  });
  await withDeadline(serving, startLimitMs, 'the plugin to serve');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { ended, kill, close: kill };
}
