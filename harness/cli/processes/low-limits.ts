/**
 * Limits of this process (setrlimit(2)) that are too low, as the launcher has them (`check_limits`
 * of ./flowbed), for those who start node themselves. It imports no module of the program, which
 * may not be there to be loaded.
 */
import { existsSync, readFileSync } from 'node:fs';

/** Beside what else the user runs, node gets all of its threads then. */
const manyThreads = 4096;
const leastFiles = 512;
/** What node's threads reserve; what they use is far less. */
const leastBytes = 4_000_000_000;

/** @param limits as /proc/self/limits has them, a table. */
export function lowLimit(limits: string): readonly [message: string, remedy: string] | undefined {
  const files = limitOf(limits, 'Max open files');
  if (files < leastFiles)
    return [
      `too few files may be open: ${files}, and ${leastFiles} are needed`,
      'raise the limit: ulimit -n 4096',
    ];
  const bytes = limitOf(limits, 'Max address space');
  return bytes < leastBytes
    ? [
        `too little memory may be reserved: ${bytes} bytes, and node's threads reserve 4 GB`,
        'raise the limit: ulimit -v unlimited',
      ]
    : undefined;
}

/** Whether this user may have so few threads that node may not get all of its own. */
export function areThreadsLimited(limits = readLimits()): boolean {
  return limitOf(limits, 'Max processes') < manyThreads;
}

/** Empty where the machine has no such file. */
export function readLimits(): string {
  const file = '/proc/self/limits';
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function limitOf(limits: string, name: string): number {
  const [, soft] = new RegExp(`^${name} +(\\d+) `, 'm').exec(limits) ?? [];
  return soft === undefined ? Infinity : Number(soft);
}
