/**
 * Whether a process has come so far that its own code runs. Where a user may have few threads, node
 * may wait for ever before that, for one that it was not given.
 */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { startedVariable } from './start-program.js';

const limitMs = 20_000;

/** What the process is started with, so that it can report at `descriptor`. */
export function reportingAt(descriptor: number): NodeJS.ProcessEnv {
  return { [startedVariable]: String(descriptor) };
}

/** @throws Unavailable when the process has not closed its end of `pipe` in 20 s of real time. */
export async function whenStarted(pipe: Readable): Promise<void> {
  const closed = once(pipe.resume(), 'close');
  await withDeadline(closed, limitMs, 'node to start, which may lack threads of its own');
}
