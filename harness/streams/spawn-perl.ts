/** Programs of Perl's own that talk by the stacks of a namespace. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { withParentDeathSignal } from '../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../ovs/process/supervisor.js';
import { systemProgram } from '../ovs/process/system-program.js';
import { inNamespace } from '../testbeds/netns/carrier.js';

export interface PerlProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** The first lines of its stderr, for whoever says why it ended. */
  readonly complaints: () => readonly string[];
}

/** It dies with this process. @param place the process that holds the namespace. */
export function spawnPerl(place: number, program: string, args: readonly string[]): PerlProgram {
  const [file, ...words] = withParentDeathSignal(
    process.pid,
    inNamespace(place, [systemProgram('perl'), '-e', program, ...args]),
  );
  const child = spawn(file, words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  let said = '';
  child.stdin.on('error', () => undefined); // its end follows
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
  return { child, complaints: () => said.split('\n').slice(0, complaintsMax) };
}

const complaintsMax = 10;
