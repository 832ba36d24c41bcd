/**
 * Measured programs come before all else that the machine does (sched(7), SCHED_RR): what other
 * work takes from them is no part of what a path costs.
 */
import { Unavailable } from '../../base/errors/errors.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import { runSystemProgram } from '../../testbeds/netns/run-system-program.js';

export type Scheduling = 'before all else' | 'as usual';

/**
 * Who sends comes last: else it fills queues that nobody has time to empty, and what is measured is
 * how much is thrown away.
 */
export const priorities = { sender: 1, others: 2, turns: 3 } as const;
export type Priority = keyof typeof priorities;

/** All threads of running processes. @returns how it is where the machine does not allow it. */
export async function raise(pids: readonly number[]): Promise<Scheduling> {
  try {
    for (const pid of pids)
      await runSystemProgram(`process ${pid}`, [
        systemProgram('chrt'),
        ...['--all-tasks', '--rr', '--pid', String(priorities.others), String(pid)],
      ]);
    return 'before all else';
  } catch (error) {
    if (error instanceof Unavailable) return 'as usual';
    throw error;
  }
}

/** A command as it is started. */
export function withPriority(
  scheduling: Scheduling,
  priority: Priority,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  if (scheduling === 'as usual') return command;
  return [systemProgram('chrt'), '--rr', String(priorities[priority]), ...command];
}
