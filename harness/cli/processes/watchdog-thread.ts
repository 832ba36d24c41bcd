/**
 * The thread of watchdog.ts: it sees that the program's event loop is blocked, and inspects what
 * the program is doing.
 */
import { Session, type Debugger, type InspectorNotification } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import type { WatchdogData } from './watchdog.js';

const { beats, limitMs, tickMs } = workerData as WatchdogData;

let lastBeat = 0;
let usedThen = usedMs();

// Processor time and not a length of time: on a machine that is busy with other things, or asleep,
// little of it passes.
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  const used = usedMs();
  if (beat === lastBeat && used - usedThen < limitMs) return;
  if (beat === lastBeat) inspectMainThread();
  lastBeat = beat;
  usedThen = used;
}, tickMs);

/** By all threads of this process. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

parentPort?.postMessage('watching');

/**
 * Halts the program where it is, and asks it there whether that is a scenario's code; if not, it
 * continues.
 */
function inspectMainThread(): void {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
    urls.set(scriptId, url);
  });
  session.once(
    'Debugger.paused',
    ({ params: { callFrames } }: InspectorNotification<Debugger.PausedEventDataType>) => {
      const frames = callFrames.map(({ functionName, location }) => ({
        name: functionName,
        url: urls.get(location.scriptId) ?? '',
        line: location.lineNumber + 1,
        column: (location.columnNumber ?? 0) + 1,
      }));
      const expression = `globalThis[Symbol.for('flowbed.standstill')](${JSON.stringify(frames)})`;
      session.post(
        'Debugger.evaluateOnCallFrame',
        { callFrameId: callFrames[0]?.callFrameId ?? '', expression },
        () => {
          session.post('Debugger.resume', () => {
            session.disconnect();
          });
        },
      );
    },
  );
  session.post('Debugger.enable', () => {
    session.post('Debugger.pause');
  });
}
