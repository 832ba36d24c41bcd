/** One daemon of OVS or OVN as a child process: started, watched, asked by unixctl, stopped. */
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { giveUpMs, withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import { launchChild, type Launch } from './launch.js';
import type { Peer } from '../ovsdb/json-rpc.js';
import { usualControlSocket } from './control-socket.js';
import { socketPath } from '../workspace/socket-path.js';
import { connectUnixctl, type Unixctl } from '../unixctl.js';

export interface DaemonSpec {
  /**
   * `ovs-vswitchd`: names its files, `ovs-vswitchd.ctl` for unixctl and `ovs-vswitchd.log` for all
   * it prints.
   */
  readonly program: string;
  /** `node k8s-node-1`, for the words of failures. */
  readonly owner: string;
  /** The folder that it runs in, its OVS_RUNDIR and OVN_RUNDIR. */
  readonly dir: string;
  /** Where it looks for what switches serve; `dir` where it is missing. */
  readonly switches?: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** How it is started: as a child of this process, where it is missing. */
  readonly launch?: Launch;
  /**
   * Who chooses where its control socket is: we do, or, of a program that takes no such option,
   * itself. We do where it is missing.
   */
  readonly control?: 'ours' | 'its own';
}

export interface Daemon extends Peer {
  readonly pid: number;
  /** `3.5.0`, as the running program says. */
  readonly version: string;
  readonly unixctl: Unixctl;
  /**
   * Resolves or rejects as `work` does, or fails at once when the daemon exits. @throws Unavailable
   * with the last lines of its log.
   */
  whileAlive<T>(work: Promise<T>): Promise<T>;
  /** @throws Unavailable with the last lines of its log when it has exited. */
  checkAlive(): Promise<void>;
  /** The last lines of its log. */
  logTail(): Promise<readonly string[]>;
  /** Kills it and waits until it is gone; safe to call twice. */
  stop(): Promise<void>;
}

const startLimitMs = giveUpMs;
const exitLimitMs = 5_000;
const logLines = 10;
/**
 * All to stderr, but for a line of ovs-vswitchd about the missing kernel device of a tunnel at
 * every reading of the counters. Others may be linked without that module, and then refuse its
 * name.
 */
const loggingOf = (program: string) => [
  ...['-vsyslog:off', '-vfile:off', '-vconsole:info'],
  ...(program === 'ovs-vswitchd' ? ['-vnetdev_linux:console:warn'] : []),
];

/**
 * Starts a daemon and waits until it answers. It dies with this process, however that ends
 * (PR_SET_PDEATHSIG), and does not get the terminal's Ctrl-C, so that it is stopped in order.
 * @throws Unavailable with the last lines of its log when it exits or gives no answer.
 */
export async function startDaemon(spec: DaemonSpec): Promise<Daemon> {
  const name = `${spec.program} of ${spec.owner}`;
  const logFile = join(spec.dir, `${spec.program}.log`);
  const ours = socketPath(spec.dir, `${spec.program}.ctl`);
  const isOurs = (spec.control ?? 'ours') === 'ours';
  const launch = spec.launch ?? launchChild();
  const { pid, exited, kill } = await launch({
    dir: spec.dir,
    command: [
      ...spec.command,
      ...(isOurs ? [`--unixctl=${ours}`] : []),
      ...loggingOf(spec.program),
    ],
    environment: environmentIn(spec.dir, spec.switches),
    logFile,
  });
  const control = isOurs ? ours : usualControlSocket(spec.dir, spec.program, pid);
  const logTail = () => lastLines(logFile, logLines);
  const unavailable = async (what: string) =>
    new Unavailable(`${name} ${what}`, [], await logTail());
  let dead = false;
  const death = exited.then(async (how): Promise<never> => {
    dead = true;
    throw await unavailable(how);
  });
  death.catch(() => undefined);
  const checkAlive = async () => {
    if (dead) await death;
  };
  /** Work that fails beside a dead daemon fails for that, whatever it says itself. */
  const unlessDead = async (error: unknown): Promise<never> => {
    await checkAlive();
    throw error;
  };
  const whileAlive = <T>(work: Promise<T>) => Promise.race([death, work.catch(unlessDead)]);
  const whyEnded = async () =>
    unavailable(
      await withDeadline(exited, exitLimitMs, `${name} to exit`).catch(() => 'closed a connection'),
    );
  const stop = async () => {
    kill();
    await withDeadline(exited, giveUpMs, `${name} to exit after SIGKILL`);
  };

  const begin = async () => {
    const unixctl = await whenListening(control, whileAlive, () =>
      connectUnixctl(control, { name, whyEnded }),
    );
    const [version = 'unknown'] =
      /(?<=^\S+ (?:\(Open vSwitch\) )?)\d\S*/m.exec(await unixctl.call('version')) ?? [];
    return { unixctl, version };
  };
  try {
    const begun = await withDeadline(begin(), startLimitMs, `${name} to answer on ${control}`);
    return { name, pid, ...begun, whyEnded, whileAlive, checkAlive, logTail, stop };
  } catch (error) {
    await stop();
    throw error instanceof Unavailable
      ? error
      : await unavailable(`cannot be reached: ${String(error)}`);
  }
}

/**
 * What `connect` gives once somebody listens on the unix socket `path`: tried whenever the folder
 * changes. A socket that exists but refuses is one between bind and listen, which no event reports
 * apart: it is asked again at once.
 */
async function whenListening<T>(
  path: string,
  whileAlive: Daemon['whileAlive'],
  connect: () => Promise<T>,
): Promise<T> {
  let notify: () => void = () => undefined;
  const watcher = watch(dirname(path), () => notify());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (notify = resolve));
      try {
        return await connect();
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT' && code !== 'ECONNREFUSED') throw error;
        await whileAlive(code === 'ENOENT' ? changed : Promise.resolve());
      }
    }
  } finally {
    watcher.close();
  }
}

/**
 * malloc(3) gives back what is free: of a thousand nodes, each is half a MiB smaller
 * (mallopt(3); "Memory Allocation Tunables" of the C library's manual).
 */
const leanMalloc = ['tcache_count=0', 'trim_threshold=32768', 'mmap_threshold=32768', 'top_pad=0']
  .map((tunable) => `glibc.malloc.${tunable}`)
  .join(':');

/** What OVS and OVN look for their sockets, logs and databases by. */
function environmentIn(dir: string, switches = dir): Readonly<Record<string, string>> {
  const folders = Object.fromEntries(
    ['OVS', 'OVN'].flatMap((of) =>
      ['RUNDIR', 'LOGDIR', 'DBDIR'].map((which) => [`${of}_${which}`, dir]),
    ),
  );
  return { ...folders, OVS_RUNDIR: switches, GLIBC_TUNABLES: leanMalloc };
}

/** The last `count` lines of a file that may not be there. */
async function lastLines(file: string, count: number): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-count);
}
