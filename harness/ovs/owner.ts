import { readFile } from 'node:fs/promises';
import { assert } from '../base/errors.js';

/** A process that something on disk belongs to. The start time tells it from a later process with the same id. */
export interface Owner {
  readonly pid: number;
  /** Field 22 of proc_pid_stat(5): clock ticks since the machine started. */
  readonly startTime: string;
}

/** Who is running this. */
export async function thisProcess(): Promise<Owner> {
  const owner = await processOwner(process.pid);
  assert(owner !== undefined, 'this process is not in /proc');
  return owner;
}

/** In the environment of a process whose folders are another's, who removes them: `formatOwner` of it. Not handed on to what this process starts. */
const answerableVariable = 'FLOWBED_ANSWERABLE';
const answerable = parseOwner(process.env[answerableVariable] ?? '');
delete process.env[answerableVariable];

/** Who answers for what this process leaves on disk: its supervisor, or itself where it has none. */
export async function answerableOwner(): Promise<Owner> {
  return answerable ?? (await thisProcess());
}

/** Makes `owner` answer for what a process leaves that is started with this in its environment. */
export function answeredForBy(owner: Owner): Readonly<Record<string, string>> {
  return { [answerableVariable]: formatOwner(owner) };
}

/** Whether the owner still runs. A zombie, which nobody has reaped yet, does not. */
export async function isAlive(owner: Owner): Promise<boolean> {
  return (await processOwner(owner.pid))?.startTime === owner.startTime;
}

/** `PID-STARTTIME`, fit for a file's name. */
export function formatOwner(owner: Owner): string {
  return `${owner.pid}-${owner.startTime}`;
}

/** Reads what `formatOwner` wrote; undefined when it is something else. */
export function parseOwner(text: string): Owner | undefined {
  const [, pid, startTime] = /^([1-9]\d*)-(\d+)$/.exec(text) ?? [];
  return pid === undefined || startTime === undefined ? undefined : { pid: Number(pid), startTime };
}

/** The process with this id, if it runs. */
export async function processOwner(pid: number): Promise<Owner | undefined> {
  return (await processStatus(pid))?.owner;
}

/** A process that runs. `ending`: it will not come back to its program, and has no environment any more. */
export interface ProcessStatus {
  readonly owner: Owner;
  readonly ending: boolean;
}

/** PF_EXITING of Linux's include/linux/sched.h, in field 9 of proc_pid_stat(5). */
const exiting = 0x4;

/**
 * Undefined only where /proc itself says that there is no such process, or a zombie: what cannot be
 * read (too many open files, say) may be alive.
 */
export async function processStatus(pid: number): Promise<ProcessStatus | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  });
  // Field 2 is the program's name in parentheses and may hold spaces and parentheses itself: fields
  // count from the last ")".
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [flags, startTime] = [fields[5], fields[18]];
  if (startTime === undefined || state === 'Z' || state === 'X') return undefined;
  return { owner: { pid, startTime }, ending: (Number(flags) & exiting) !== 0 };
}
