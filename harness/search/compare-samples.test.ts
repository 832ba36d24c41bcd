// Goal: a version is taken for the end that it is like, with the confidence that was asked for, and
// with few samples. Method: samplers of normal noise of fixed seeds; 300 versions of either end;
// pairs of equal ones, also with tests of which each has all of alpha.
import t from 'tap';
import { randomFor, type Random } from '../base/random.js';
import { endsApart, likeWhichEnd, sizesOf, type Sampler } from './compare-samples.js';
import { mannWhitney } from './mann-whitney.js';

function noisy(random: Random, level: number, noise: number): Sampler {
  return () => {
    let sum = -6;
    for (let count = 0; count < 12; count++) sum += random.integer(0, 1_000_000) / 1_000_000;
    return Promise.resolve([level * (1 + noise * sum)]);
  };
}

const options = { alpha: 0.01, samplesMax: 96 };

for (const [noise, samplesUsual] of [
  [0.01, 7],
  [0.1, 8],
  [0.3, 20],
] as const)
  void t.test(`noise of ${noise * 100} %, and a version that is slower by 40 %`, async (t) => {
    const random = randomFor(Math.round(noise * 100), 'compare samples');
    const ends = await endsApart(noisy(random, 1000, noise), noisy(random, 600, noise), options);
    if (ends === undefined) return void t.fail('the ends differ');
    let [wrong, open, taken] = [0, 0, 0];
    const versions = 300;
    for (let count = 0; count < versions; count++) {
      const kind = count % 2 === 0 ? 'good' : 'bad';
      const level = kind === 'good' ? 1000 : 600;
      const answer = await likeWhichEnd(noisy(random, level, noise), ends, options);
      taken += answer.samples.length;
      if (answer.kind === 'open') open++;
      else if (answer.kind !== kind) wrong++;
    }
    t.ok(wrong <= 0.02 * versions, `${wrong} of ${versions} are taken for the wrong end, at 0.01`);
    t.ok(open <= 0.02 * versions, `${open} are open`);
    t.ok(taken / versions <= samplesUsual, `${taken / versions} samples a version`);
  });

void t.test('ends that are alike differ as rarely as was asked', async (t) => {
  const random = randomFor(36, 'alike');
  const alpha = 0.05;
  const pairs = 500;
  let [alarms, careless] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    const [a, b] = [noisy(random, 1000, 0.1), noisy(random, 1000, 0.1)];
    if ((await endsApart(a, b, { alpha, samplesMax: 40 })) !== undefined) alarms++;
    const [all, others]: [number[], number[]] = [[], []];
    let isApart = false;
    for (const size of sizesOf(5, 40)) {
      while (all.length < size) all.push(...(await a()));
      while (others.length < size) others.push(...(await b()));
      if (mannWhitney(all, others) < alpha) isApart = true;
    }
    if (isApart) careless++;
  }
  t.ok(alarms / pairs <= alpha, `${alarms} of ${pairs} at ${alpha}`);
  t.ok(careless / pairs > 1.5 * alpha, `${careless} where each test had all of it`);
});
