/**
 * Whether a program has anything under way, from what Linux reports of its threads
 * (proc_pid_status(5)).
 */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Whether all threads of a process were asleep at one moment: each sleeps when it is first read,
 * and has not run when it is read again; that moment lies between the two reads. Then none is at
 * work, waits for the disk, or has been handed anything that it has not taken up: it would be about
 * to run. Where Linux does not report how often they ran, it is never known.
 */
export function areThreadsAsleep(pid: number): boolean {
  const [first, second] = [threadsOf(pid), threadsOf(pid)];
  return (
    first.length > 0 &&
    first.every(({ state, stops }) => state === 'S' && stops.length === 2) &&
    JSON.stringify(first) === JSON.stringify(second)
  );
}

interface Thread {
  readonly id: string;
  /** `S`: it sleeps, and wakes when something happens. */
  readonly state: string | undefined;
  /** How often it has stopped running, by itself and not. */
  readonly stops: readonly string[];
}

/** None of a process that has gone. */
function threadsOf(pid: number): readonly Thread[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((id) => {
      const status = readFileSync(`/proc/${pid}/task/${id}/status`, 'latin1');
      return {
        id,
        state: /^State:\t(\w)/m.exec(status)?.[1],
        stops: [...status.matchAll(/^(?:non)?voluntary_ctxt_switches:\t(\d+)$/gm)].map(
          ([, count = '']) => count,
        ),
      };
    });
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
