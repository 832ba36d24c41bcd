/**
 * Goal: a round in which the machine was slow says the same as the others. Method: trials of three
 * paths, with and without a slow round, and with one path that was slow by itself.
 */
import t from 'tap';
import { asInOneRound, type Calibration } from './calibrate.js';
import type { Trial } from './measures.js';
import { needOfTrial } from './planned-path.js';
import type { PathWork } from './work-of-path.js';

const work = { lookups: 1 } as PathWork;

function trialOf(slow: number): Trial {
  const counts = { units: 100, lookups: 100, polls: 7, probes: 9 };
  const hosts = { clientNs: 300 * slow, serverNs: 200 * slow, proxyNs: 100 * slow };
  return { ...counts, ...hosts, seconds: slow, switchNs: 1000 * slow };
}

/** @param rounds how slow each path was, round by round. */
function calibrationOf(rounds: readonly (readonly number[])[]): Calibration {
  return ['a', 'b', 'c'].map((name, at) => ({
    path: { name, client: 'c', server: 's', ip: '192.0.2.1' },
    ...{ work, switches: 1 },
    trials: rounds.map((round) => trialOf(round[at] ?? NaN)),
  }));
}

void t.test('a slow round is as the others', async (t) => {
  const even = calibrationOf([
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ]);
  const slow = calibrationOf([
    [1, 2, 3],
    [2, 4, 6],
    [1, 2, 3],
  ]);
  t.strictSame(asInOneRound(slow, 'time'), even);
  t.strictSame(asInOneRound(slow, 'processor'), even);
  t.strictSame(asInOneRound(even, 'time'), even);
});

void t.test('what one path alone has needed stays', async (t) => {
  const [one] = asInOneRound(
    calibrationOf([
      [1, 1, 1],
      [4, 1, 1],
      [1, 1, 1],
    ]),
    'time',
  );
  const needs = one?.trials.map((trial) => needOfTrial(trial, work, 'processor'));
  t.strictSame(needs, [10, 40, 10]);
});
