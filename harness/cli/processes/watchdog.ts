/**
 * Ends the program where a scenario's code keeps it busy for ever: as long as that code does not
 * come back, neither signals nor limits are heard, for both are heard by the event loop alone. A
 * thread beside sees the event loop block (watchdog-thread.ts), and asks here who is at work.
 */
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { formatPlace, InputError } from '../../base/errors/errors.js';
import { visible } from '../../base/text/visible.js';
import { exitCodes } from '../context.js';
import { exitNow } from './guard-exit.js';
import { sourceFrameOf, isScenarioCode, type Frame } from '../scenarios/scenario-code.js';

/** What the thread is given. */
export interface WatchdogData {
  /** One number, which rises as long as the event loop turns. */
  readonly beats: Int32Array;
  readonly tickMs: number;
  /** So many ticks without a beat are too many. */
  readonly ticksPerLimit: number;
}

const ticksPerLimit = 10;
const variable = 'FLOWBED_SCENARIO_LIMIT_S';

/**
 * For how long a scenario's code may keep the program busy, or waiting: a minute, or what
 * $FLOWBED_SCENARIO_LIMIT_S says. @throws InputError.
 */
export function scenarioLimitMs(environment: NodeJS.ProcessEnv = process.env): number {
  const text = environment[variable] || '60';
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new InputError(`${variable}: expected a number of seconds, got "${text}"`);
  return Number(text) * 1000;
}

let watching: Promise<unknown> | undefined;

/**
 * Comes back once the program is watched, until it ends. Called before a scenario's module is
 * loaded; safe to call again.
 */
export async function watchScenarios(): Promise<void> {
  await (watching ??= startThread());
}

async function startThread(): Promise<void> {
  const tickMs = Math.ceil(scenarioLimitMs() / ticksPerLimit);
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => void Atomics.add(beats, 0, 1), Math.ceil(tickMs / 2)).unref();
  Object.assign(globalThis, { [Symbol.for('flowbed.standstill')]: exitIfScenarioBlocks });
  const workerData: WatchdogData = { beats, tickMs, ticksPerLimit };
  const thread = new Worker(new URL('watchdog-thread.js', import.meta.url), {
    workerData,
    execArgv: [],
  });
  await once(thread, 'message');
  thread.unref();
}

/** Called where the program is blocked, with what it is doing, the innermost first. */
function exitIfScenarioBlocks(frames: readonly Frame[]): void {
  const theirs = frames.filter(isScenarioCode).map(sourceFrameOf);
  const [innermost, outermost] = [theirs[0], theirs.at(-1)];
  if (innermost === undefined || outermost === undefined) return;
  const called = ({ name }: Frame) => (name === '' ? 'its top level' : `${name}()`);
  const place = (frame: Frame) => formatPlace({ ...frame, file: fileURLToPath(frame.url) });
  const inside =
    innermost === outermost ? '' : `, last in ${called(innermost)} at ${place(innermost)}`;
  printAndCloseStderr(
    `flowbed: ${place(outermost)}: ${called(outermost)} of this scenario does not come back: ` +
      `it has kept the program busy for ${scenarioLimitMs() / 1000} s${inside}\n  - if it needs ` +
      `longer, say so: ${variable}=SECONDS`,
  );
  exitNow(exitCodes.badRequest);
}

/**
 * Nothing else comes to stderr behind them: Node.js would report there the debugger that has halted
 * the program.
 */
function printAndCloseStderr(text: string): void {
  try {
    writeSync(2, `${visible(text)}\n`);
    closeSync(2);
    openSync('/dev/null', 'w'); // the lowest number that is free, which is 2
  } catch {
    // nobody listens
  }
}
