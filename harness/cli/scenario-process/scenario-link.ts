/**
 * The way from the process that makes verdicts to the one that runs scenarios' code, and back.
 * Functions of a scenario are called where their values are needed, so that a call waits for its
 * answer: a thread (link-thread.ts) carries it meanwhile.
 */
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { deserialiseError } from '../../base/errors/serialised-error.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { isBundle } from '../unsupervised.js';
import { areThreadsLimited } from '../processes/low-limits.js';
import { scenarioLimitMs } from '../processes/watchdog.js';
import type { LinkData, LinkMessage } from './link-thread.js';
import { framed, unframed, type Answer, type Request } from './messages.js';

/** Another process, in which scenarios' code runs. */
export interface ScenarioLink {
  /**
   * The answer to a request, about `what`: `topology() of scenario x.ts`.
   * @throws Unavailable where the process ends before it has answered, or takes for ever.
   */
  readonly ask: (
    request: Request,
    what: string,
  ) => Extract<Answer, { readonly kind: 'given' | 'threw' }>;
  /** How it ended; undefined as long as it runs. */
  readonly ended: () => string | undefined;
}

const moduleName = 'run-scenario-process.js';
const fromBundle = fileURLToPath(new URL(`../../../bundle/${moduleName}`, import.meta.url));
const fromDist = fileURLToPath(new URL(moduleName, import.meta.url));

const tickMs = 1000;
/** Real time in which nothing is heard, in limits of processor time. */
const silencePerLimit = 10;

/**
 * @param modules `own`: of the bundle, where this program runs out of it.
 * @throws where the machine refuses a thread; a process that it refuses has ended.
 */
export async function openScenarioLink(modules: 'own' | 'anywhere'): Promise<ScenarioLink> {
  const limitTicks = Math.ceil((silencePerLimit * scenarioLimitMs()) / tickMs);
  const arrivals = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const workerData: LinkData = {
    command: withParentDeathSignal(process.pid, [
      process.execPath,
      ...process.execArgv,
      modules === 'own' && isBundle ? fromBundle : fromDist,
      modules,
    ]),
    env: process.env,
    port: port2,
    arrivals,
  };
  const thread = new Worker(new URL('link-thread.js', import.meta.url), {
    workerData,
    transferList: [port2],
    execArgv: [],
  });
  await once(thread, 'message');
  thread.unref();
  port1.unref();
  let ended: string | undefined;
  let fault: Error | undefined;
  /** The next message that is no answer to anybody, or an answer. */
  const receive = (what: string, ticksMost = limitTicks): LinkMessage => {
    for (let ticks = 0; ; ) {
      const before = Atomics.load(arrivals, 0);
      const received = receiveMessageOnPort(port1) as { message: LinkMessage } | undefined;
      if (received !== undefined) return received.message;
      if (Atomics.wait(arrivals, 0, before, tickMs) === 'timed-out' && ++ticks >= ticksMost) {
        port1.postMessage('end');
        ended = `gave no answer in ${(ticksMost * tickMs) / 1000} s`;
        throw noAnswer(ended, what);
      }
    }
  };
  const answerTo = (what: string, ticksMost?: number) => {
    for (;;) {
      const message = receive(what, ticksMost);
      if (message.kind === 'ended') {
        ended = message.how;
        throw noAnswer(ended, what);
      }
      const answer = answerIn(message.bytes, what);
      if (answer.kind !== 'beside') return answer;
      fault = deserialiseError(answer.error);
      throw fault;
    }
  };
  // Where threads are few, node may wait for ever for one that it was not given.
  answerTo('node, which may lack threads of its own,', areThreadsLimited() ? 20 : limitTicks);
  return {
    ask(request, what) {
      if (fault !== undefined) throw fault;
      if (ended !== undefined) throw noAnswer(ended, what);
      port1.postMessage(framed(request));
      return answerTo(what);
    },
    ended: () => ended,
  };
}

function noAnswer(how: string, what: string): Unavailable {
  return new Unavailable(
    `there is no verdict: the process that runs the scenario's code ${how}, and ${what} has ` +
      'given nothing',
    [
      'look for what ends it: process.reallyExit, a signal to itself, a thread, too much memory; ' +
        'what it printed is above',
      'or for what never comes, if it waits',
    ],
  );
}

/** @throws InputError for bytes that are no message: a scenario's code may write them. */
function answerIn(bytes: Uint8Array, what: string): Answer {
  let read: unknown;
  try {
    read = unframed(bytes);
  } catch (error) {
    throw new InputError(`${what} gave what cannot be read: ${String(error)}`);
  }
  if (!isAnswer(read)) throw new InputError(`${what} gave what is no answer`);
  return read;
}

function isAnswer(read: unknown): read is Answer {
  if (typeof read !== 'object' || read === null || !('kind' in read)) return false;
  switch (read.kind) {
    case 'given':
      return 'known' in read && Array.isArray(read.known);
    case 'threw':
      return 'thrown' in read && typeof read.thrown === 'object' && read.thrown !== null;
    case 'beside':
      return 'error' in read && typeof read.error === 'object' && read.error !== null;
    default:
      return false;
  }
}
