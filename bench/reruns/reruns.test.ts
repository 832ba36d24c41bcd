/**
 * Goal: a run can be had again by its number, with what went on beside it, and no run that ended
 * differently from what it must is counted as one that did not. Method: what is drawn, and tallies
 * of runs that are written down here.
 */
import t from 'tap';
import { disturbancesOf, withLaterChanges } from './disturbances.js';
import type { Rerun } from './rerun.js';
import { isSound, tally } from './tally.js';

void t.test('what continues beside a run follows from the seed and its number', (t) => {
  t.strictSame(disturbancesOf(1, 7), disturbancesOf(1, 7));
  t.notSame(disturbancesOf(1, 7), disturbancesOf(1, 8));
  t.notSame(disturbancesOf(1, 7), disturbancesOf(2, 7));
  const all = Array.from({ length: 200 }, (_, run) => disturbancesOf(1, run)).flat();
  const count = (kind: string) => all.filter((disturbance) => disturbance.kind === kind).length;
  t.equal(count('tmpfs filled') + count('own tmpfs filled'), 200);
  t.ok(count('own tmpfs filled') > 0, 'some run has no room');
  t.ok(count('daemon stopped') >= 3 * 200);
  for (const disturbance of all) {
    if (disturbance.kind !== 'network') continue;
    const names = disturbance.come.matchAll(/\b[vw]\d+x\d+\b/g);
    for (const [name] of names) if (name.length > 15) t.fail(`${name} is no name of a link`);
  }
  t.end();
});

void t.test('changes of a network that switches share begin at a drawn moment', (t) => {
  const first = (run: number) =>
    withLaterChanges(1, run).find(({ kind }) => kind === 'network')?.atMs ?? 0;
  const moments = Array.from({ length: 50 }, (_, run) => first(run));
  t.equal(Math.min(...moments) < 1_000 && Math.max(...moments) > 7_000, true);
  const others = (run: number) => disturbancesOf(1, run).filter(({ kind }) => kind !== 'network');
  t.strictSame(
    withLaterChanges(1, 3).filter(({ kind }) => kind !== 'network'),
    others(3),
  );
  t.end();
});

const quiet = 'a'.repeat(64);
const of = (run: number, ended: Partial<Rerun>): Rerun => ({
  run,
  seed: 1,
  isolation: 'none',
  exit: 0,
  traceHash: quiet,
  reasons: [],
  ms: 1,
  carried: { network: 2 },
  ...ended,
});

void t.test('how a run has to end', (t) => {
  t.equal(isSound(of(1, {}), quiet), true);
  t.equal(isSound(of(1, { traceHash: 'b'.repeat(64) }), quiet), false, 'another trace');
  t.equal(isSound(of(1, { exit: 3, reasons: ['no room'] }), quiet), true);
  t.equal(isSound(of(1, { exit: 3 }), quiet), false, 'no reason');
  for (const exit of [1, 2, 70, 'SIGSEGV'])
    t.equal(isSound(of(1, { exit, reasons: ['why'] }), quiet), false, String(exit));
  t.end();
});

void t.test('the tally', (t) => {
  const runs = [
    of(1, {}),
    of(2, {}),
    of(3, { exit: 3, reasons: ['no room'] }),
    of(4, { exit: 1, reasons: ['a frame is missing'] }),
  ];
  t.equal(
    tally(runs, quiet),
    [
      '| exit              | runs |',
      '| ----------------- | ---: |',
      '| 0, the same trace |    2 |',
      '| 3                 |    1 |',
      '| 1                 |    1 |',
      '',
      'beside them: network 8 times',
      '1 × exit 3: no room',
      '1 × exit 1: a frame is missing',
      'not as it has to: run 4',
    ].join('\n'),
  );
  t.end();
});
