/** Disturbs the host of runs: a network and a tmpfs which are theirs alone. */
import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { setTimeout as passed } from 'node:timers/promises';
import { assertNever } from '../../harness/base/errors/errors.js';
import { within } from '../../harness/base/files/path-part.js';
import type { Disturbance } from './disturbances.js';

/** So many of each kind have begun. */
export type DisturbanceCounts = Readonly<Record<Disturbance['kind'], number>>;

export interface Host {
  /** A tmpfs in which runs keep their folders, and one that nobody uses. */
  readonly tmpfs: string;
  readonly otherTmpfs: string;
}

/** Executes `disturbances` until `over` resolves, and ends then what has begun. */
export async function disturb(
  host: Host,
  disturbances: readonly Disturbance[],
  over: Promise<unknown>,
): Promise<DisturbanceCounts> {
  const carried: Record<Disturbance['kind'], number> = {
    network: 0,
    'daemon stopped': 0,
    'tmpfs filled': 0,
    'own tmpfs filled': 0,
  };
  const { signal, abort } = endingWith(over);
  const wait = (ms: number) =>
    passed(ms, undefined, { signal }).then(
      () => true,
      () => false,
    );
  await Promise.all(
    disturbances.map(async (disturbance) => {
      if (!(await wait(disturbance.atMs))) return;
      const end = await begin(disturbance, host);
      if (end === undefined) return;
      carried[disturbance.kind]++;
      await wait(disturbance.forMs);
      await end();
    }),
  ).finally(abort);
  return carried;
}

function endingWith(over: Promise<unknown>): {
  readonly signal: AbortSignal;
  readonly abort: () => void;
} {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const abort = () => {
    controller.abort();
  };
  void over.then(abort, abort);
  return { signal: controller.signal, abort };
}

/** Runs that go on at one time fill one folder. */
let fills = 0;

/** What ends it; undefined where it did not begin. */
async function begin(
  disturbance: Disturbance,
  { tmpfs, otherTmpfs }: Host,
): Promise<(() => Promise<void>) | undefined> {
  switch (disturbance.kind) {
    case 'network':
      if (!(await ip(disturbance.come))) return undefined;
      return async () => void (await ip(disturbance.go));
    case 'daemon stopped': {
      const daemons = daemonsIn(tmpfs);
      const pid = daemons[disturbance.which % daemons.length];
      return pid === undefined || !sendSignal(pid, 'SIGSTOP')
        ? undefined
        : () => {
            sendSignal(pid, 'SIGCONT');
            return Promise.resolve();
          };
    }
    case 'tmpfs filled':
    case 'own tmpfs filled': {
      const folder = disturbance.kind === 'own tmpfs filled' ? tmpfs : otherTmpfs;
      const file = within(folder, `filled-${process.pid}-${fills++}`);
      await fill(file);
      return () => rm(file);
    }
    default:
      return assertNever(disturbance);
  }
}

/** Whether all lines were executed: another run may have the same address at the moment. */
async function ip(lines: string): Promise<boolean> {
  const child = spawn('ip', ['-batch', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(lines);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

/** The processes whose control socket is below `folder`. */
function daemonsIn(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0--unixctl=${folder}/`);
      } catch {
        return false; // it has gone
      }
    });
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has gone
  }
}

const piece = new Uint8Array(1 << 20);

/** Until there is no more room. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (;;) await file.write(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}
