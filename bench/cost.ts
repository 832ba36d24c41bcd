/** What a piece of work costs: seconds on the wall, and of processors. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Seconds that a piece of work took: on the wall, and of the processor for who did it, and for both
 * who did it and who asked.
 */
export interface Cost {
  readonly wall: number;
  readonly processor: number;
  readonly both: number;
}

/**
 * What others have left is removed first. @param other who does it, where that is not
 * this process itself.
 */
export async function cost(
  work: () => Promise<void> | void,
  other: () => Promise<number> = () => Promise.resolve(0),
): Promise<Cost> {
  collect();
  const now = async () => ({
    wall: performance.now() / 1000,
    own: ownProcessor(),
    other: await other(),
  });
  const before = await now();
  await work();
  const after = await now();
  const [own, others] = [after.own - before.own, after.other - before.other];
  return {
    wall: after.wall - before.wall,
    processor: others === 0 ? own : others,
    both: own + others,
  };
}

export function sum(costs: readonly Cost[]): Cost {
  const total = (by: keyof Cost) => costs.reduce((seconds, one) => seconds + one[by], 0);
  return { wall: total('wall'), processor: total('processor'), both: total('both') };
}

export function ownProcessor(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** proc_pid_stat(5): utime and stime, in hundredths of a second. */
export async function processorOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Seconds of the processor that processes took which have ended and were waited for. */
export async function ofChildren(): Promise<number> {
  const fields = (await readFile('/proc/self/stat', 'utf8')).replace(/^.*\) /s, '').split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * Seconds of the processor that this process took, all that it or those have started and that live,
 * and what those have waited for.
 */
export function ofProcesses(): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [
          {
            pid: Number(name),
            fields: text
              .replace(/^.*\) /s, '')
              .split(' ')
              .slice(1),
          },
        ];
      } catch {
        return []; // it has ended
      }
    });
  const own = new Set([process.pid]);
  for (let known = 0; known < own.size; ) {
    known = own.size;
    for (const { pid, fields } of stats) if (own.has(Number(fields[0]))) own.add(pid);
  }
  const hundredths = stats
    .filter(({ pid }) => own.has(pid))
    .flatMap(({ fields }) => fields.slice(10, 14).map(Number));
  return hundredths.reduce((sum, one) => sum + one, 0) / 100;
}

export function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
