/**
 * Goal: a ratio is predicted by what switches and programs need on reference paths like the path.
 * Method: trials in which programs take nearly all of the time, and twice of it across nodes.
 */
import t from 'tap';
import type { Calibration } from './calibrate.js';
import { judgeTurns } from './measure.js';
import type { Trial } from './measures.js';
import type { PlannedPath } from './planned-path.js';
import type { PathWork } from './work-of-path.js';

function trialOf(outputs: number, hostNs: number): Trial {
  const rest = { units: 1, lookups: 1, seconds: 1, polls: 0, probes: 0, proxyNs: 0 };
  return { ...rest, switchNs: 10 * outputs, clientNs: hostNs, serverNs: hostNs };
}

function pathOf(name: string, switches: number, outputs: number): PlannedPath {
  const path = { name, client: 'c', server: 's', ip: '192.0.2.1' };
  return { path, work: { lookups: 1, outputs } as PathWork, switches };
}

void t.test('across nodes programs need what they need there', (t) => {
  const [plain, wire] = [pathOf('plain', 1, 1), pathOf('wire', 2, 3)];
  const turn = { baseline: trialOf(1, 1000), path: trialOf(3, 2000) };
  const calibration: Calibration = [
    { ...plain, trials: [turn.baseline] },
    { ...wire, trials: [turn.path] },
  ];
  const compared = { baseline: plain, path: wire, probesALookup: 0, processors: 2 };
  const ratios = judgeTurns('requests', [turn], calibration, compared, () => 0.5);
  const predicted = Object.fromEntries(ratios.map((one) => [one.need, one.predicted.value]));
  t.equal(predicted['time']?.toFixed(3), (4030 / 2010).toFixed(3));
  t.equal(predicted['processor']?.toFixed(3), '3.000');
  t.end();
});

void t.test('what a path does while it waits raises nothing that is predicted', (t) => {
  const [plain, wire] = [pathOf('plain', 1, 1), pathOf('wire', 2, 3)];
  const polled = (trial: Trial, polls: number) => ({ ...trial, polls, switchNs: 10 * polls });
  const calibration: Calibration = [
    { ...plain, trials: [polled(trialOf(1, 1000), 100)] },
    { ...wire, trials: [polled(trialOf(3, 2000), 300)] },
  ];
  const ratiosWith = (path: Trial) =>
    judgeTurns(
      'requests',
      Array.from({ length: 6 }, () => ({ baseline: polled(trialOf(1, 1000), 100), path })),
      calibration,
      { baseline: plain, path: wire, probesALookup: 0, processors: 2 },
      () => 0.5,
    );
  const clean = ratiosWith({ ...polled(trialOf(3, 2000), 300), seconds: 2.3 });
  const waits = ratiosWith({ ...polled(trialOf(3, 2000), 900), seconds: 4.6 });
  t.strictSame(
    waits.map(({ predicted }) => predicted),
    clean.map(({ predicted }) => predicted),
  );
  t.ok(clean.find(({ need }) => need === 'processor')?.verdict.kind === 'conforms');
  const [time, processor, hosts] = waits.map(({ verdict }) => verdict.kind);
  t.strictSame(
    [time, processor, hosts],
    ['slower than the model allows', 'slower than the model allows', 'conforms'],
  );
  t.end();
});
