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
  const compared = { baseline: plain, path: wire, processors: 2 };
  const ratios = judgeTurns('requests', [turn], calibration, compared, () => 0.5);
  const predicted = Object.fromEntries(ratios.map((one) => [one.need, one.predicted.value]));
  t.equal(predicted['time']?.toFixed(3), (4030 / 2010).toFixed(3));
  t.equal(predicted['processor']?.toFixed(3), '3.000');
  t.end();
});
