/** Where on the host a guest runs: this is about how long it takes, and reaches nothing in it. */
import { readFileSync } from 'node:fs';

/**
 * The kernel of a guest and what it runs are processes of the host that take turns at every system
 * call. Where each wakes the other on another processor that has gone idle, a run takes
 * three times as long as on one. So a guest stays on one of the processors that
 * this process may use, another one for each process id.
 */
export function guestProcessor(
  pid: number = process.pid,
  status: string = readFileSync('/proc/self/status', 'utf8'),
): number {
  const [allowed = '0'] = /(?<=^Cpus_allowed_list:\s*)\S+/m.exec(status) ?? [];
  const processors = allowed.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return processors[pid % processors.length] ?? 0;
}
