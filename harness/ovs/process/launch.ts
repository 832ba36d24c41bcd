/** Starts the process of a daemon: a child of this one, unless somebody knows another way. */
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { ahead } from './ahead.js';
import { isolated, isolation, type Isolation } from './isolation.js';
import { withParentDeathSignal } from './parent-death-signal.js';
import { supervisorMark } from './supervisor.js';

export interface LaunchSpec {
  /** The folder that it runs in. */
  readonly dir: string;
  readonly command: readonly [file: string, ...args: string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** All that it prints is appended there. */
  readonly logFile: string;
}

export interface LaunchedProcess {
  readonly pid: number;
  /** How it ended, also where it could not be started: completes "ovs-vswitchd of node n1 …". */
  readonly exited: Promise<string>;
  kill(): void;
}

/** What it starts dies with this process, however that ends. */
export type Launch = (spec: LaunchSpec) => Promise<LaunchedProcess>;

/** @param network the network namespace that it runs in; one of its own where that can be. */
export const launchChild =
  (network?: Isolation): Launch =>
  async ({ dir, command, environment, logFile }) => {
    const log = await open(logFile, 'a');
    // The signal is asked for in the namespaces: making them changes credentials, which may undo
    // it (prctl(2), PR_SET_PDEATHSIG).
    const [file, ...args] = isolated(
      network ?? (await isolation()),
      withParentDeathSignal(process.pid, ahead(command)),
    );
    const child = spawn(file, args, {
      cwd: dir,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C', ...environment },
    });
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`could not be started (${error.message})`));
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
      );
    });
    await log.close();
    return { pid: child.pid ?? 0, exited, kill: () => void child.kill('SIGKILL') };
  };
