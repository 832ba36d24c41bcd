/**
 * A thread of the process that makes verdicts (scenario-link.ts). It starts the process that runs
 * scenarios' code and carries bytes to it and from it, while the main thread waits.
 */
import { spawn } from 'node:child_process';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { Readable, Writable } from 'node:stream';
import { frameReader } from './messages.js';
import { answersAt, requestsAt } from './descriptors.js';

/** What the thread is given. */
export interface LinkData {
  readonly command: readonly [file: string, ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly port: MessagePort;
  /** One number, which rises with each message to the main thread. */
  readonly arrivals: Int32Array;
}

export type LinkMessage =
  | { readonly kind: 'answer'; readonly bytes: Uint8Array }
  /** It has ended, and nothing comes any more. */
  | { readonly kind: 'ended'; readonly how: string };

const { command, env, port, arrivals } = workerData as LinkData;
const [file, ...args] = command;

function report(message: LinkMessage): void {
  port.postMessage(message);
  Atomics.add(arrivals, 0, 1);
  Atomics.notify(arrivals, 0);
}

// What a scenario prints goes to stderr: stdout is the report's. In a group of its own, so that it
// does not get the terminal's Ctrl-C.
process.on('uncaughtException', ({ message }) => {
  report({ kind: 'ended', how: `cannot be reached: ${message}` });
});
const child = spawn(file, args, {
  env,
  detached: true,
  stdio: ['inherit', 2, 2, 'pipe', 'pipe'],
});
const [requests, answers] = [child.stdio[requestsAt], child.stdio[answersAt]];
child.once('error', ({ message }) => {
  report({ kind: 'ended', how: `could not be started: ${message}` });
});
child.once('close', (code, signal) => {
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  report({ kind: 'ended', how });
});
if (answers instanceof Readable)
  answers.on(
    'data',
    frameReader((bytes) => {
      report({ kind: 'answer', bytes });
    }),
  );
if (requests instanceof Writable) {
  requests.on('error', () => undefined); // `close` says how it ended
  port.on('message', (bytes: Uint8Array | 'end') => {
    if (bytes === 'end') child.kill('SIGKILL');
    else requests.write(bytes);
  });
}
parentPort?.postMessage('started');
