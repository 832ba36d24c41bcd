/**
 * The process that signals come to. Another does the work, so that a signal is heard at any moment,
 * also while a scenario's code does not come back, and so that whatever ends the work, somebody is
 * left who removes what it leaves.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { Unavailable } from '../../base/errors/errors.js';
import { outliveTerminals } from '../../base/text/terminals.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { answeredForBy, thisProcess, type Owner } from '../../ovs/process/owner.js';
import { markedWith } from '../../ovs/process/supervisor.js';
import { exitCodes } from '../context.js';
import { areThreadsLimited } from './low-limits.js';
import { reportingAt, whenStarted } from './when-started.js';

/** Those that end a program and that a program can hear. */
const signals: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGALRM',
  'SIGUSR2',
  'SIGXCPU',
];
/** Those that leave a core file where a program dies by them. */
const coreSignals: readonly NodeJS.Signals[] = ['SIGQUIT', 'SIGXCPU'];

type End =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'ended by'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not started'; readonly why: string };

/**
 * Runs the module `work` with `args` in a process of its own, with this one's standard streams, and
 * exits as it does. A signal ends all that was started and removes the folders, however busy the
 * work is; then this process dies by it, so that a shell sees 128 + its number. Further signals
 * meanwhile change nothing.
 * @param root where the project lies.
 */
export async function supervise(
  root: string,
  work: string,
  args: readonly string[],
): Promise<never> {
  outliveTerminals();
  const signalled = new Promise<End>((resolve) => {
    for (const signal of signals)
      process.on(signal, () => {
        resolve({ kind: 'ended by', signal });
      });
  });
  const supervisor = await thisProcess().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error;
    printError([error.message, ...error.remedies.map((remedy) => `  - ${remedy}`)].join('\n'));
    return process.exit(exitCodes.inconclusive);
  });
  const ended = start(work, args, supervisor);
  const { sweep } = await import('../sweep.js');
  const end = await Promise.race([signalled, ended]);
  const leftoverError = await sweep(
    root,
    supervisor,
    end.kind === 'exited' ? 'by itself' : 'by force',
  ).then(
    () => undefined,
    (error: Error) => error.message,
  );
  for (const signal of signals) process.removeAllListeners(signal);
  if (leftoverError !== undefined)
    printError(`${leftoverError}\n  - see what is left, and remove it: ./flowbed clean`);
  switch (end.kind) {
    case 'exited':
      return process.exit(end.code);
    case 'not started':
      printError(end.why);
      return process.exit(exitCodes.inconclusive);
    case 'ended by':
      if (signals.includes(end.signal)) return exitBySignal(end.signal);
      printError(
        `the process that did the work was ended by ${end.signal}` +
          (fatal.includes(end.signal) ? `\n  - ${moreOfAll}` : ''),
      );
      return process.exit(exitCodes.inconclusive);
  }
}

/** It ends with this process, at the latest. */
function start(work: string, args: readonly string[], supervisor: Owner): Promise<End> {
  const [file, ...words] = withParentDeathSignal(supervisor.pid, [
    process.execPath,
    ...process.execArgv,
    work,
    ...args,
  ]);
  const streams = streamsFor(args);
  const reports = areThreadsLimited();
  const child = spawn(file, words, {
    stdio: reports ? [...streams, 'pipe'] : streams,
    env: {
      ...process.env,
      ...markedWith(supervisor),
      ...answeredForBy(supervisor),
      ...(reports ? reportingAt(streams.length) : {}),
    },
  });
  return new Promise((resolve) => {
    const fail = (error: Error) => {
      const { message, remedies } = unstarted(file, error);
      const why = [message, ...remedies.map((remedy) => `  - ${remedy}`)].join('\n');
      resolve({ kind: 'not started', why });
    };
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      resolve(
        signal === null
          ? { kind: 'exited', code: code ?? exitCodes.inconclusive }
          : { kind: 'ended by', signal },
      );
    });
    const pipe = child.stdio[streams.length];
    if (pipe instanceof Readable) whenStarted(pipe).catch(fail);
  });
}

/** By these node ends itself, where it is refused threads or memory. */
const fatal: readonly NodeJS.Signals[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV'];
const moreOfAll =
  'raise what limits its threads and memory, if anything does: ulimit -u 4096, ulimit -v unlimited';
const moreThreads = 'raise the limit: ulimit -u 4096';

function unstarted(file: string, error: NodeJS.ErrnoException): Unavailable {
  if (error instanceof Unavailable) return new Unavailable(error.message, [moreThreads]);
  return error.code === 'EAGAIN'
    ? new Unavailable(`the machine refused: ${error.message}`, [moreThreads])
    : new Unavailable(`cannot run ${file}: ${error.message}`, [
        'install it (Debian: apt-get install util-linux)',
      ]);
}

/** The standard streams, and what a shell hands over as a file's name: `<(…)` is /dev/fd/63. */
function streamsFor(args: readonly string[]): (number | 'ignore')[] {
  const named = args.flatMap((word) =>
    [...word.matchAll(/\/(?:dev|proc\/self)\/fd\/(\d{1,3})\b/g)].map(([, descriptor]) =>
      Number(descriptor),
    ),
  );
  const streams: (number | 'ignore')[] = Array.from(
    { length: Math.max(2, ...named) + 1 },
    () => 'ignore',
  );
  for (const descriptor of [0, 1, 2, ...named]) streams[descriptor] = descriptor;
  return streams;
}

function exitBySignal(signal: NodeJS.Signals): never {
  printError(`ended by ${signal}`);
  if (!coreSignals.includes(signal)) process.kill(process.pid, signal);
  return process.exit(128 + constants.signals[signal]);
}

/** On stderr, in place of the line of progress. Nobody may read it any more. */
function printError(text: string): void {
  try {
    writeSync(2, `${isatty(2) ? '\r\x1b[K' : ''}flowbed: ${text}\n`);
  } catch {
    // It is gone, or full.
  }
}
