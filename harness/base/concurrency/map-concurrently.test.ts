// Goal: so many things are under way at a time, in the turns that were asked for, and what is made
// of them stands in their own order. Method: work that ends when the test releases it.
import t from 'tap';
import { mapConcurrently } from './map-concurrently.js';

void t.test('work at once', async (t) => {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const work = async (name: string) => {
    begun.push(name);
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (name === 'b') throw new Error('b fails');
    return name.toUpperCase();
  };
  const goOn = async (which: number) => {
    waiting[which]?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const three = mapConcurrently(2, ['c', 'd', 'e'], work);
  t.same(begun, ['c', 'd'], 'no more than two');
  await goOn(1);
  t.same(begun, ['c', 'd', 'e']);
  await goOn(2);
  await goOn(0);
  t.same(await three, ['C', 'D', 'E'], 'in their order, not as they end');
  t.same(await mapConcurrently(2, [], work), []);
  const inTurn = mapConcurrently(1, ['f', 'g', 'h'], work, [2, 0, 1]);
  for (const which of [3, 4, 5]) await goOn(which);
  t.same(begun.slice(3), ['h', 'f', 'g'], 'begun in turn');
  t.same(await inTurn, ['F', 'G', 'H'], 'and in their order all the same');

  const failing = mapConcurrently(2, ['a', 'b', 'never'], work);
  let ended = false;
  const rejected = t.rejects(failing, { message: 'b fails' }).then(() => (ended = true));
  await goOn(7);
  t.equal(ended, false, 'a is under way');
  await goOn(6);
  await rejected;
  t.notOk(begun.includes('never'));
  const both = t.rejects(
    mapConcurrently(2, ['first', 'second'], async (name) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      throw new Error(name);
    }),
    { message: 'first' },
    'whichever fails sooner',
  );
  await goOn(9);
  await goOn(8);
  await both;
});
