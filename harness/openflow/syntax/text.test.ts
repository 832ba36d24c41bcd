// Goal: pieces of text know where they stand and end where they should, and numbers are read up to
// their limit and no further. Method: small texts with brackets, quotes and backslashes; numbers on
// both sides of every limit.
import t from 'tap';
import { complaint } from '../../base/errors/errors.js';
import { parseNumber, shorten, span, split } from './text.js';

void t.test('where a text stands', (t) => {
  t.same(span('x', { file: 'f' }), { text: 'x', file: 'f', line: 1, column: 1 });
  t.same(span('x', { file: 'f', line: 3, column: 5 }), {
    text: 'x',
    file: 'f',
    line: 3,
    column: 5,
  });
  t.end();
});

void t.test('pieces', (t) => {
  const pieces = (text: string) =>
    split(span(text, { file: 'f' }), /,/).map(({ text, column }) => [text, column]);
  t.same(
    pieces(String.raw`a\,b`),
    [
      ['a\\', 1],
      ['b', 4],
    ],
    'a backslash means something in quotes alone',
  );
  t.same(pieces(String.raw`"a\",",b`), [
    [String.raw`"a\","`, 1],
    ['b', 8],
  ]);
  t.same(pieces(' a(b,c) , d,'), [
    ['a(b,c)', 2],
    ['d', 11],
  ]);
  t.end();
});

void t.test('numbers, and how long they may be', (t) => {
  const [longestPrinted, longer] = [(1n << 128n) - 1n, 1n << 128n];
  const read = (text: string, maximum: bigint) =>
    parseNumber(span(text, { file: 'f' }), 'x', maximum);
  t.equal(read(String(longestPrinted), longestPrinted), longestPrinted);
  t.equal(read('0'.repeat(40), longestPrinted), 0n);
  t.equal(
    complaint(() => read('0'.repeat(41), longestPrinted)),
    `f:1:1: x: expected a number from 0 to ${longestPrinted}, got "${'0'.repeat(37)}..."`,
  );
  t.equal(read('0'.repeat(129), longer), 0n);
  t.equal(
    complaint(() => read('0'.repeat(130), longer)),
    `f:1:1: x: expected a number of at most 129 bits, got "${'0'.repeat(37)}..."`,
  );
  t.same(
    [shorten('x'.repeat(40)), shorten('x'.repeat(41))],
    ['x'.repeat(40), `${'x'.repeat(37)}...`],
  );
  t.end();
});
