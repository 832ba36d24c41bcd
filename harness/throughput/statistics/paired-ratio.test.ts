/**
 * Goal: a ratio has an interval that holds the true one as often as it says, whatever the machine
 * does meanwhile. Method: the tables of Wilcoxon's test; synthetic turns with a known ratio on a
 * machine whose pace drifts, counted over many.
 */
import t from 'tap';
import { randomFor } from '../../base/random.js';
import { pairedRatio, type Turn } from './paired-ratio.js';

const random = randomFor(1, 'paired ratios');
const uniform = () => random.integer(1, 1 << 20) / (1 << 20);
/** About normal: twelve uniform ones. */
const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, one) => sum + one, -6);

function turnsOf(count: number, ratio: number, noise: number): readonly Turn[] {
  return Array.from({ length: count }, (_, at) => {
    const pace = 1 + Math.sin(at / 3); // what slows the machine slows both
    return {
      baseline: (1 + pace) * Math.exp(noise * normal()),
      path: (1 + pace) * ratio * Math.exp(noise * normal()),
    };
  });
}

void t.test('the interval has the ranks of the tables', (t) => {
  // Shifts of 1, 2, 4, … differ in all their means; of six turns none may be outside, of eight
  // three.
  const turns = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ baseline: 1, path: Math.exp(2 ** at) }));
  const six = pairedRatio(turns(6));
  t.ok(Math.abs(Math.log(six.low) - 1) < 1e-9);
  t.ok(Math.abs(Math.log(six.high) - 32) < 1e-9);
  const eight = pairedRatio(turns(8));
  t.ok(Math.log(eight.low) > 1 && Math.log(eight.high) < 128);
  t.end();
});

void t.test('fewer than six turns have no interval', (t) => {
  t.match(pairedRatio(turnsOf(5, 2, 0)), { low: 0, high: Infinity });
  t.match(pairedRatio([]), { value: NaN });
  t.end();
});

void t.test('it holds the true ratio in about 95 of 100', (t) => {
  for (const ratio of [0.5, 1, 3]) {
    let held = 0;
    for (let repetition = 0; repetition < 400; repetition++) {
      const { low, high } = pairedRatio(turnsOf(8, ratio, 0.2));
      if (low <= ratio && ratio <= high) held++;
    }
    t.ok(held >= 370 && held <= 398, `${held} of 400 hold ${ratio}`);
  }
  t.end();
});
