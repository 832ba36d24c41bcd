/**
 * Ends the process that runs scenarios' code where that keeps it busy for ever: as long as it does
 * not come back, nothing is heard. A thread beside sees the event loop block (watchdog-thread.ts)
 * while processor time is used, and asks here who is at work.
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { formatPlace, InputError } from '../../base/errors/errors.js';
import { exitNow } from './guard-exit.js';
import { sourceFrameOf, isScenarioCode, type Frame } from '../scenarios/scenario-code.js';

/** What the thread is given. */
export interface WatchdogData {
  /** One number, which rises as long as the event loop turns. */
  readonly beats: Int32Array;
  readonly tickMs: number;
  /** So much processor time without a beat is too much. */
  readonly limitMs: number;
}

const tickMs = 200;
const variable = 'FLOWBED_SCENARIO_LIMIT_S';

/**
 * How much processor time a scenario's code may use before it comes back: a minute, or what
 * $FLOWBED_SCENARIO_LIMIT_S says. @throws InputError.
 */
export function scenarioLimitMs(environment: NodeJS.ProcessEnv = process.env): number {
  const text = environment[variable] || '60';
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new InputError(`${variable}: expected a number of seconds, got "${text}"`);
  return Number(text) * 1000;
}

/**
 * Comes back once this process is watched, until it ends.
 * @param report gets what is wrong, before the process ends.
 */
export async function watchScenarios(report: (error: InputError) => void): Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => void Atomics.add(beats, 0, 1), tickMs / 2).unref();
  const exitIfScenarioBlocks = (frames: readonly Frame[]): void => {
    const error = standstill(frames);
    if (error === undefined) return;
    report(error);
    exitNow(0);
  };
  Object.assign(globalThis, { [Symbol.for('flowbed.standstill')]: exitIfScenarioBlocks });
  const workerData: WatchdogData = { beats, tickMs, limitMs: scenarioLimitMs() };
  const thread = new Worker(new URL('watchdog-thread.js', import.meta.url), {
    workerData,
    execArgv: [],
  });
  await once(thread, 'message');
  thread.unref();
}

/**
 * Which of a scenario's functions does not come back; undefined where none is at work.
 * @param frames what the process is doing, the innermost first.
 */
function standstill(frames: readonly Frame[]): InputError | undefined {
  const theirs = frames.filter(isScenarioCode).map(sourceFrameOf);
  const [innermost, outermost] = [theirs[0], theirs.at(-1)];
  if (innermost === undefined || outermost === undefined) return undefined;
  const called = ({ name }: Frame) => (name === '' ? 'its top level' : `${name}()`);
  const placeOf = (frame: Frame) => ({ ...frame, file: fileURLToPath(frame.url) });
  const inside =
    innermost === outermost
      ? ''
      : `, last in ${called(innermost)} at ${formatPlace(placeOf(innermost))}`;
  return new InputError(
    [
      `${called(outermost)} of this scenario does not come back: it has used ` +
        `${scenarioLimitMs() / 1000} s of processor time${inside}`,
      `  - if it needs longer, say so: ${variable}=SECONDS`,
    ],
    placeOf(outermost),
  );
}
