// Goal: a link's properties are netem's words, and those that make no sense are refused by name.
// Method: links with each property alone, with all of them, and with what contradicts itself.
import t from 'tap';
import { netemWords } from './link-settings.js';

const words = (link: Parameters<typeof netemWords>[0]) =>
  netemWords(link, 'the link of node n1')?.slice(3).join(' ');

void t.test('words', async (t) => {
  t.equal(words({}), undefined);
  t.equal(words({ mtu: 1400, state: 'down' }), undefined);
  t.equal(
    words({ delayMs: 2, jitterMs: 0.5, lossPercent: 1, reorderPercent: 5, rateMbit: 100 }),
    'delay 2ms 0.5ms loss 1% reorder 5% rate 100mbit',
  );
});

void t.test('what is refused', async (t) => {
  t.throws(() => words({ delayMs: 0 }), /node n1: delayMs: expected a number above 0, got 0/);
  t.throws(() => words({ lossPercent: 101 }), /lossPercent: expected a number above 0, and 100/);
  t.throws(() => words({ jitterMs: 1 }), /jitterMs: needs a delay: name delayMs, too/);
  t.throws(() => words({ delayMs: 1, jitterMs: 2 }), /jitterMs: expected 1 at most/);
  t.throws(() => words({ mtu: 20 }), /mtu: expected a whole number of bytes, 68 or more, got 20/);
});
