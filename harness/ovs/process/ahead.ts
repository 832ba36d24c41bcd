import { systemProgram } from './system-program.js';

/** In the environment of a run that takes place in a world of its own, with that world's name. */
export const worldVariable = 'FLOWBED_WORLD';

/** Whether this run takes place in a world where computing takes no time. */
export function isInWorld(): boolean {
  return process.env[worldVariable] !== undefined;
}

/**
 * A program as it is to be started. In a world where computing takes no time, nothing that runs is
 * ever interrupted for its share of the processor: there it goes ahead of this process, and its
 * threads take turns (sched(7), SCHED_RR), so that it has done all that it can do whenever this
 * process runs again.
 */
export function ahead(command: readonly string[]): readonly string[] {
  return isInWorld() ? inTurns(2, command) : command;
}

/**
 * A program as the first one of such a world, behind those that it starts. Its threads take turns,
 * too: libuv waits for another thread by sched_yield(2), which elsewhere goes by the time that each
 * has had, and so would not let it run (uv__async_spin).
 */
export function behindOthers(command: readonly string[]): readonly string[] {
  return inTurns(1, command);
}

function inTurns(priority: number, command: readonly string[]): readonly string[] {
  return [systemProgram('chrt'), '--rr', String(priority), ...command];
}
