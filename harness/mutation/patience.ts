/** Waiting for a program as long as it gets anywhere, however slow a busy machine makes it. */
import { readFile } from 'node:fs/promises';
import { withDeadline } from '../base/deadline.js';
import { Unavailable } from '../base/errors.js';

export interface Patience {
  /** Real milliseconds from one look at the program to the next. */
  readonly lookMs: number;
  /** Seconds of the processor that it may use. */
  readonly workS: number;
  /** Looks in a row between which it may have used none. */
  readonly idleLooks: number;
}

/** @returns what `work` comes to, or undefined where the program `pid` that does it has used up `patience`. */
export async function whileItWorks<Result>(work: Promise<Result>, pid: number | undefined, { lookMs, workS, idleLooks }: Patience): Promise<Result | undefined> {
  const done = work.then((result) => ({ result }));
  const before = await processorSeconds(pid);
  let [last, idle] = [before, 0];
  for (;;) {
    const outcome = await withDeadline(done, lookMs, 'it to end').catch((error: unknown) => {
      if (error instanceof Unavailable) return undefined;
      throw error;
    });
    if (outcome !== undefined) return outcome.result;
    const now = await processorSeconds(pid);
    idle = now > last ? 0 : idle + 1;
    if (now - before > workS || idle > idleLooks) return undefined;
    last = now;
  }
}

/** What a process has used of the processor (proc_pid_stat(5): utime and stime, in hundredths of a second); 0 where it is gone. */
async function processorSeconds(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The program's name stands in parentheses, and may hold some itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}
