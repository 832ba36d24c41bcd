/** What the process of a switch has used so far. */
import { readFile, readdir } from 'node:fs/promises';
import type { Vswitch } from '../../ovs/vswitch.js';
import { parseProbes } from '../../testbeds/sim/observe/counted-work.js';

/** Of the processes of switches. */
export interface SwitchUse {
  /** Nanoseconds of processors. */
  readonly ns: number;
  /** What their main loops have waited for, pass by pass: each file, each timer. */
  readonly polls: number;
  /**
   * Groups of cached flows with one mask each that packets were looked for in, one after the other
   * (dpif-netdev(7)); none where packets are switched in the kernel.
   */
  readonly probes: number;
}

export async function useOf({ pid, unixctl }: Vswitch['vswitchd']): Promise<SwitchUse> {
  const polls = await unixctl.call('coverage/read-counter', 'poll_create_node');
  const probes = parseProbes(await unixctl.call('dpif-netdev/pmd-stats-show'));
  return { ns: await processorNs(pid), polls: Number(polls), probes };
}

/** Of all threads of a process (proc(5), "schedstat"). */
export async function processorNs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const each = await Promise.all(
    threads.map(async (thread) =>
      Number(
        (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')).split(
          ' ',
        )[0],
      ),
    ),
  );
  return each.reduce((sum, ns) => sum + ns, 0);
}
