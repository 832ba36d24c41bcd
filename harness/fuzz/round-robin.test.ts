/**
 * Goal: work is dealt out to workers in turn, and its results come in order, whichever worker is
 * slow. Method: work that ends on command.
 */
import t from 'tap';
import { roundRobin } from './round-robin.js';
import type { Sides } from './case-judgement.js';

const sidesOf = (count: number): readonly Sides[] =>
  Array.from({ length: count }, () => ({}) as Sides);

async function taken<T>(results: AsyncIterable<T>, most: number): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const result of results) if (all.push(result) === most) break;
  return all;
}

void t.test('results come by number, and each worker has its own numbers', async (t) => {
  const [first, second] = sidesOf(2);
  const played = new Map<Sides | undefined, number[]>([
    [first, []],
    [second, []],
  ]);
  const turns = async (count: number) => {
    for (let left = count; left > 0; left--) await Promise.resolve();
  };
  const results = roundRobin([first!, second!], async (sides, index) => {
    played.get(sides)?.push(index);
    await turns(sides === first ? 50 : 1);
    return `case ${index}`;
  });
  t.same(await taken(results, 5), ['case 0', 'case 1', 'case 2', 'case 3', 'case 4']);
  t.same(played.get(first)?.slice(0, 3), [0, 2, 4]);
  t.same(played.get(second)?.slice(0, 3), [1, 3, 5]);
});

void t.test('what fails is thrown in its turn, once nothing is under way any more', async (t) => {
  let underWay = 0;
  const results = roundRobin(sidesOf(3), async (_, index) => {
    underWay++;
    await Promise.resolve();
    underWay--;
    if (index === 1) throw new RangeError('case 1');
    return index;
  });
  const seen: number[] = [];
  await t.rejects(
    (async () => {
      for await (const index of results) seen.push(index);
    })(),
    new RangeError('case 1'),
  );
  t.same(seen, [0]);
  t.equal(underWay, 0);
});

void t.test('nothing more is begun once nobody takes the next', async (t) => {
  let begun = 0;
  await taken(
    roundRobin(sidesOf(2), async () => {
      begun++;
      await new Promise((resolve) => setImmediate(resolve));
    }),
    3,
  );
  const atEnd = begun;
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(begun, atEnd);
});
