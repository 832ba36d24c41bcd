/**
 * The process that was started as `flowbed` supervises the one that does the work
 * (harness/cli/processes/supervise.ts). However that one ends, the supervisor ends all that was
 * started on the way, and removes what they left.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { giveUpMs, withDeadline } from '../../base/concurrency/deadline.js';
import { formatOwner, isAlive, processStatus, type Owner } from './owner.js';

/** In the environment of all that is started under a supervisor: `formatOwner` of it. */
const markVariable = 'FLOWBED_SUPERVISOR';

/** What the environment of a program must hold, where it is not that of this process. */
export function supervisorMark(
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> {
  const mark = environment[markVariable];
  return mark === undefined ? {} : { [markVariable]: mark };
}

/** The mark of what is started under `supervisor`. */
export function markedWith(supervisor: Owner): Readonly<Record<string, string>> {
  return { [markVariable]: formatOwner(supervisor) };
}

/** So long a process has to end by itself, and then to be gone. */
const termLimitMs = 3_000;
const killLimitMs = giveUpMs;

/**
 * Ends every process that was started under `supervisor`, by SIGTERM, and those that stay by
 * SIGKILL.
 * @returns those that were met. @throws Unavailable where one cannot be ended.
 */
export async function killSupervised(supervisor: Owner): Promise<readonly Owner[]> {
  const met = new Map<string, Owner>();
  try {
    await withDeadlineOf(termLimitMs, (isOver) => endAll(supervisor, 'SIGTERM', met, isOver));
  } catch {
    await withDeadlineOf(killLimitMs, (isOver) => endAll(supervisor, 'SIGKILL', met, isOver));
  }
  return [...met.values()];
}

async function withDeadlineOf(
  limitMs: number,
  work: (isOver: () => boolean) => Promise<void>,
): Promise<void> {
  let over = false;
  try {
    await withDeadline(
      work(() => over),
      limitMs,
      'all that was started to end',
    );
  } finally {
    over = true;
  }
}

/**
 * Signals each once, those too that are started meanwhile, and checks until none is left: they are
 * no children of this process, so no event reports their end. Those that it has met are looked for
 * by their number: one that is ending has no environment any more.
 */
async function endAll(
  supervisor: Owner,
  signal: NodeJS.Signals,
  met: Map<string, Owner>,
  isOver: () => boolean,
): Promise<void> {
  const signalled = new Set<string>();
  while (!isOver()) {
    const running = await findSupervised(supervisor);
    for (const process of running) {
      const name = formatOwner(process);
      met.set(name, process);
      if (!signalled.has(name)) send(signal, process.pid);
      signalled.add(name);
    }
    const ending = await Promise.all([...met.values()].map(isAlive));
    if (running.length === 0 && !ending.includes(true)) return;
  }
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * The processes of this user that were started under `supervisor` (proc_pid_environ(5)) and run;
 * not itself. Who started a process that is ending cannot be read any more: all that are younger
 * count.
 */
async function findSupervised(supervisor: Owner): Promise<readonly Owner[]> {
  const mark = `${markVariable}=${formatOwner(supervisor)}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const user = await stat(`/proc/${pid}`).catch(() => undefined);
      if (user?.uid !== process.getuid?.()) return undefined;
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const status = await processStatus(Number(pid));
      if (status === undefined) return undefined;
      const isYounger = BigInt(status.owner.startTime) >= BigInt(supervisor.startTime);
      const isOurs = environment.split('\0').includes(mark) || (status.ending && isYounger);
      return isOurs ? status.owner : undefined;
    }),
  );
  return found.filter((process) => process !== undefined);
}
