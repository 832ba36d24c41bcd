import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { findWorkspaces } from './workspace.js';

/**
 * What a run left that ended without cleaning up: its workspace, and the daemons that still run in
 * it.
 */
export interface Leftover {
  readonly dir: string;
  readonly processes: readonly number[];
}

/**
 * Leftovers of this user's dead runs; live runs are not among them.
 * @param of `elsewhere`: folders of runs of which it is not known here whether they live.
 */
export async function findLeftovers(
  of: 'dead' | 'elsewhere' = 'dead',
): Promise<readonly Leftover[]> {
  const dead = (await findWorkspaces()).filter((workspace) => workspace.owner === of);
  if (dead.length === 0) return [];
  const daemons = await findDaemons();
  return dead.map(({ dir }) => ({
    dir,
    processes: daemons
      .filter((daemon) => daemon.rundir === dir || daemon.rundir.startsWith(dir + sep))
      .map((daemon) => daemon.pid),
  }));
}

/** Kills the leftover's daemons and removes its workspace. */
export async function removeLeftover(leftover: Leftover): Promise<void> {
  for (const pid of leftover.processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
  await rm(leftover.dir, { recursive: true, force: true });
}

interface Daemon {
  readonly pid: number;
  readonly rundir: string;
}

/**
 * This user's processes that were started as `startDaemon` does it: OVS_RUNDIR in their environment
 * (proc_pid_environ(5)), and their control socket there. OVS_RUNDIR alone may be in the environment
 * of a shell in which somebody inspects a switch.
 */
async function findDaemons(): Promise<readonly Daemon[]> {
  const daemons: Daemon[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const owner = await stat(`/proc/${name}`).catch(() => undefined);
    if (owner?.uid !== process.getuid?.()) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const rundir = environment
      .split('\0')
      .find((variable) => variable.startsWith('OVS_RUNDIR='))
      ?.slice('OVS_RUNDIR='.length);
    if (rundir === undefined) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0').some((argument) => argument.startsWith(`--unixctl=${rundir}${sep}`)))
      daemons.push({ pid: Number(name), rundir });
  }
  return daemons;
}
