import { spawn } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../../base/errors/errors.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../../ovs/process/supervisor.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { ConsoleLine } from './console-lines.js';
import { followConsole } from './follow-console.js';
import { guestInit, type GuestProgram } from './guest-init.js';
import { kernelArguments } from './kernel-arguments.js';
import { guestProcessor } from './guest-processor.js';

/** A kernel that is a program, and the library that fixes its random numbers. */
export interface GuestKernel {
  readonly linux: string;
  readonly fixedRandom: string;
  /** The variable in which that library looks for its seed. */
  readonly seedVariable: string;
}

export interface GuestOptions {
  readonly kernel: GuestKernel;
  /** Of all random numbers in the guest. */
  readonly seed: number;
  /** An empty folder of this guest alone. */
  readonly folder: string;
  /** What the program says on its stderr, line by line. */
  readonly onLine: (line: string) => void;
  /** So long a guest may say nothing: one that spins never comes back, for its clock stands. */
  readonly silenceLimitMs: number;
}

/** So many lines of the console are evidence of how a guest ended. */
const lastLines = 15;

/**
 * Runs a program in a guest of its own, as root there and as this user here, to its end.
 * @returns its exit code.
 * @throws Unavailable with the last lines of its console when the guest hangs, panics, or ends
 *   before the program has.
 */
export async function runInGuest(program: GuestProgram, options: GuestOptions): Promise<number> {
  const { folder, silenceLimitMs } = options;
  await writeFile(join(folder, 'init'), guestInit(program, folder), { mode: 0o755 });
  const consolePath = join(folder, 'console');
  const saidPath = join(folder, 'said');
  await writeFile(saidPath, '');
  const output = await open(consolePath, 'a');
  const said: string[] = [];
  const seen: { code?: number; isSilent?: true } = {};
  const guest = startGuest(options, output.fd);
  await output.close();
  const limit = setTimeout(() => {
    seen.isSilent = true;
    guest.kill();
  }, silenceLimitMs);
  const followed = await followConsole(saidPath, (line) => {
    limit.refresh();
    if (line.kind === 'exit') seen.code = line.code;
    else note(said, line, options.onLine);
  });
  const how = await guest.ended;
  clearTimeout(limit);
  await followed.finish();
  if (seen.code !== undefined) return seen.code;
  throw new Unavailable(
    seen.isSilent === true
      ? `the guest said nothing for ${silenceLimitMs / 1000} s, and was ended`
      : `the guest ${how} before the program in it did`,
    ['run on this machine itself: --world host'],
    [...said.slice(-lastLines), ...(await lastLinesOf(consolePath))],
  );
}

async function lastLinesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-lastLines);
}

function note(
  said: string[],
  line: Exclude<ConsoleLine, { kind: 'exit' }>,
  onLine: (line: string) => void,
): void {
  said.push(line.text);
  if (said.length > 10 * lastLines) said.splice(0, said.length - lastLines);
  if (line.kind === 'said') onLine(line.text);
}

function startGuest({ kernel, seed, folder }: GuestOptions, output: number) {
  const [file, ...args] = withParentDeathSignal(process.pid, [
    // Nothing of the environment of this process reaches the kernel but these.
    systemProgram('env'),
    '-i',
    ...Object.entries(supervisorMark()).map(([name, value]) => `${name}=${value}`),
    `${kernel.seedVariable}=${seed}`,
    `LD_PRELOAD=${kernel.fixedRandom}`,
    systemProgram('taskset'),
    '-c',
    String(guestProcessor()),
    systemProgram('setarch'),
    '-R',
    kernel.linux,
    ...kernelArguments,
  ]);
  const child = spawn(file, args, {
    cwd: folder,
    // Its processes are ended as one group; Ctrl-C comes to the supervisor, which ends them.
    detached: true,
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(`could not be started (${error.message})`);
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    });
  });
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  };
  return { ended, kill };
}
