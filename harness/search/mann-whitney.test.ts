// Goal: the probability is that of the literature, and false alarms come as often as they may.
// Method: values computed by hand for small sets; 4,000 pairs of equal distributions, and of ones
// that are shifted.
import t from 'tap';
import { randomFor } from '../base/random.js';
import { mannWhitney, smallestProbability } from './mann-whitney.js';

void t.test('known values', (t) => {
  t.equal(mannWhitney([1, 1, 1], [1, 1, 1]), 1, 'no ranks at all');
  // U = 0 of 8 and 8 is one of 12870 orders, and so is its mirror image.
  const apart = mannWhitney([1, 2, 3, 4, 5, 6, 7, 8], [11, 12, 13, 14, 15, 16, 17, 18]);
  t.ok(Math.abs(apart - 2 / 12870) < 1e-12, String(apart));
  t.ok(Math.abs(smallestProbability(8, 8) - 2 / 12870) < 1e-12);
  // U = 2 of 4 and 5: orders with a U of 0, 1 and 2 are 1, 1 and 2 of 126.
  t.ok(Math.abs(mannWhitney([1, 2, 4, 5], [3, 6, 7, 8, 9]) - 8 / 126) < 1e-12);
  // With ties, U = 4 of 4 and 4: z = (8 - 4 - 0.5) / sqrt(16 / 12 * (9 - 24 / 56)) = 1.035.
  const tied = mannWhitney([1, 2, 2, 5], [2, 3, 4, 6]);
  t.ok(Math.abs(tied - 0.3005) < 1e-4, String(tied));
  t.equal(mannWhitney([1, 3, 5], [2, 4, 6]), mannWhitney([2, 4, 6], [1, 3, 5]));
  t.end();
});

void t.test('false alarms, and what is found', (t) => {
  const draw = randomFor(7, 'mann-whitney');
  const samples = (shift: number) =>
    Array.from({ length: 12 }, () => draw.integer(0, 1000) / 1000 + shift);
  const pairs = 4000;
  let [alarms, found] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    if (mannWhitney(samples(0), samples(0)) < 0.05) alarms++;
    if (mannWhitney(samples(0), samples(0.5)) < 0.05) found++;
  }
  t.ok(alarms / pairs < 0.06, `${alarms} false alarms of ${pairs} at 0.05`);
  t.ok(found / pairs > 0.9, `${found} of ${pairs} shifts found`);
  t.end();
});
