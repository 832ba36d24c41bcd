import { readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sha256 } from '../../base/files/digest.js';
import { Unavailable } from '../../base/errors/errors.js';

/**
 * A process that something on disk belongs to. The start time distinguishes it from a later process
 * with the same id.
 */
export interface Owner {
  readonly pid: number;
  /** Field 22 of proc_pid_stat(5): clock ticks since the machine started. */
  readonly startTime: string;
  /** Where these two mean a process: `here`, or another machine, start of it, or namespace. */
  readonly place: string;
}

let found: string | undefined;

/**
 * Five characters that distinguish what may share a folder for temporary files: machines and their
 * starts (random(4), boot_id), namespaces of processes and of time (namespaces(7)).
 */
export function currentPlace(): string {
  if (found !== undefined) return found;
  const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const namespaces = ['pid', 'time'].map((kind) => {
    try {
      return readlinkSync(`/proc/self/ns/${kind}`);
    } catch {
      return `no ${kind}`; // Linux before 5.6 has no namespaces of time
    }
  });
  const digest = BigInt(`0x${sha256([start, ...namespaces].join(' ')).slice(0, 15)}`);
  return (found = digest.toString(36).slice(-placeLength).padStart(placeLength, '0'));
}

const placeLength = 5;

/**
 * Who is running this.
 * @throws Unavailable where /proc numbers processes differently from the system for this one.
 */
export async function thisProcess(): Promise<Owner> {
  const owner = await processOwner(process.pid);
  if (owner !== undefined && readlinkSync('/proc/self') === String(process.pid)) return owner;
  throw new Unavailable('/proc shows the processes of another namespace', [
    'mount one that shows those of this: unshare --pid --fork --mount-proc',
  ]);
}

/**
 * In the environment of a process whose folders are another's, who removes them: `formatOwner` of
 * it. Not handed on to what this process starts.
 */
const answerableVariable = 'FLOWBED_ANSWERABLE';
const answerable = parseOwner(process.env[answerableVariable] ?? '');
delete process.env[answerableVariable];

/**
 * Who answers for what this process leaves on disk: its supervisor, or itself where it has none.
 */
export async function answerableOwner(): Promise<Owner> {
  return answerable ?? (await thisProcess());
}

/** Makes `owner` answer for what a process leaves that is started with this in its environment. */
export function answeredForBy(owner: Owner): Readonly<Record<string, string>> {
  return { [answerableVariable]: formatOwner(owner) };
}

/**
 * Whether the owner still runs. A zombie, which nobody has reaped yet, does not. One elsewhere may
 * run: from here that is not known.
 */
export async function isAlive(owner: Owner): Promise<boolean> {
  if (owner.place !== currentPlace()) return true;
  return (await processOwner(owner.pid))?.startTime === owner.startTime;
}

/** `PID-STARTTIME-PLACE`, fit for a file's name, and short: the second is in base 36. */
export function formatOwner({ pid, startTime, place }: Owner): string {
  return `${pid}-${BigInt(startTime).toString(36)}-${place}`;
}

/** Reads what `formatOwner` wrote; undefined when it is something else. */
export function parseOwner(text: string): Owner | undefined {
  const match = /^([1-9]\d*)-([0-9a-z]{1,10})-([0-9a-z]{5})$/.exec(text);
  const [, pid, startTime, place] = match ?? [];
  if (pid === undefined || startTime === undefined || place === undefined) return undefined;
  return { pid: Number(pid), startTime: String(Number.parseInt(startTime, 36)), place };
}

/** The process with this id, if it runs. */
export async function processOwner(pid: number): Promise<Owner | undefined> {
  return (await processStatus(pid))?.owner;
}

/**
 * A process that runs. `ending`: it will not come back to its program, and has no environment any
 * more.
 */
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
    if (
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ESRCH')
    )
      return '';
    throw error;
  });
  // Field 2 is the program's name in parentheses and may hold spaces and parentheses itself: fields
  // count from the last ")".
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [flags, startTime] = [fields[5], fields[18]];
  if (startTime === undefined || state === 'Z' || state === 'X') return undefined;
  return {
    owner: { pid, startTime, place: currentPlace() },
    ending: (Number(flags) & exiting) !== 0,
  };
}
