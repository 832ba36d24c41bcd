/** An engine of a test's own, without a bridge and without rules: it ends with this process. */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';

/** Set by .ci/run, where a test that needs an engine must not be skipped. */
export const demandVariable = 'FLOWBED_DEMAND_ENGINE';

const programs = {
  '/usr/sbin/dockerd': 'docker.io',
  '/usr/sbin/iptables': 'iptables',
} as const;

/**
 * Why a test that needs an engine is skipped; false where it is not. What continuous integration
 * demands fails where something is missing.
 * @param others programs that the test needs beside it, each with its package.
 */
export function skipWithoutEngine(others: Readonly<Record<string, string>> = {}): string | false {
  if (process.getuid?.() !== 0) return 'a Docker engine needs root';
  if (process.env[demandVariable] === 'yes') return false;
  const missing = Object.entries({ ...programs, ...others }).filter(
    ([file]) => !isExecutable(file),
  );
  if (missing.length === 0) return false;
  const files = missing.map(([file]) => file).join(', ');
  return `no ${files} (Debian: apt-get install ${missing.map(([, name]) => name).join(' ')})`;
}

export interface TestEngine {
  /** As DOCKER_HOST names it. */
  readonly host: string;
  readonly pid: number;
  close(): Promise<void>;
}

const limitMs = 60_000;

/**
 * @param folder an own one, made here and removed at the end.
 * @param within words of a command that starts others in namespaces.
 */
export async function startEngine(
  folder: string,
  within: readonly string[] = [],
): Promise<TestEngine> {
  for (const part of ['data', 'exec']) mkdirSync(join(folder, part), { recursive: true });
  const host = `unix://${join(folder, 'd.sock')}`;
  const [file, ...args] = withParentDeathSignal(process.pid, [
    ...[...within, '/usr/sbin/dockerd', '--host', host, '--pidfile', join(folder, 'dockerd.pid')],
    ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
    ...['--bridge=none', '--iptables=false', '--ip-forward=false', '--ip-masq=false'],
  ]);
  const child = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  const up = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (part: Buffer) => {
      said = `${said}${part.toString('utf8')}`.slice(-4000);
      if (said.includes('API listen on')) resolve();
    });
    child.once('error', reject);
    void exited.then(() => reject(new Error(`dockerd ended: ${said}`)));
  });
  await withDeadline(up, limitMs, 'dockerd to listen');
  return {
    host,
    pid: child.pid ?? 0,
    close: async () => {
      child.kill('SIGTERM');
      await withDeadline(exited, limitMs, 'dockerd to end');
      // It mounts its folder on itself, and the network namespaces of containers below it.
      spawnSync('umount', ['--recursive', '--lazy', join(folder, 'data')]);
      spawnSync('umount', ['--recursive', '--lazy', join(folder, 'exec')]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
