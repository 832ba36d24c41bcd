import { spawnSync } from 'node:child_process';
import { isInWorld } from '../../base/world.js';
import { systemProgram } from './system-program.js';

/**
 * A program as it is to be started. In a world where computing takes no time, nothing that runs is
 * ever interrupted for its share of the processor: there it goes ahead of this process, and its
 * threads take turns (sched(7), SCHED_RR), so that it has done all that it can do whenever this
 * process runs again.
 */
export function ahead(command: readonly string[]): readonly string[] {
  return isInWorld() ? [systemProgram('chrt'), '--rr', '1', ...command] : command;
}

/**
 * Lets the threads of this process take turns as well, which is about to end: libuv then waits for
 * others by sched_yield(2), and that goes by the time each has had elsewhere, so that in a world
 * where none passes it would wait for ever (uv__async_spin).
 */
export function takeTurnsToEnd(): void {
  if (!isInWorld()) return;
  const words = ['--all-tasks', '--rr', '--pid', '1', String(process.pid)];
  spawnSync(systemProgram('chrt'), words, { stdio: 'ignore' });
}
