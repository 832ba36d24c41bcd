/**
 * Goal: texts are the same for a moment, whatever lines they have, and those that nobody read take
 * no more room than before. Method: texts of pieces, and the heap beside.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { transientTexts } from './transient-texts.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

void t.test('the same texts', async (t) => {
  for (const texts of [[], [''], ['a'], ['a', ''], ['', 'a', 'b'], ['a\nb', 'c'], ['\n']])
    t.strictSame(texts.length === 0 ? [] : transientTexts(texts), texts);
});

void t.test('of pieces that stay pieces', async (t) => {
  const [before, behind] = ['x'.repeat(2000), 'y'.repeat(2000)];
  const texts = Array.from({ length: 5000 }, (_, index) => `${before}${index}${behind}`);
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const began = heap();
  const digits = (read: readonly string[]) =>
    read.reduce((sum, text) => sum + (/\d+/.exec(text)?.[0].length ?? 0), 0);
  t.equal(digits(transientTexts(texts)), 18890);
  t.ok(/./.test('z'), 'a pattern keeps the last text that it was asked about');
  t.ok(heap() - began < 5, 'of 20 MiB of text');
  t.equal(digits(texts), 18890);
  t.ok(heap() - began > 15, 'which would be laid out otherwise');
});
