// Goal: whatever a name is, its file lies in the folder that was meant, and no other name has the
// same. Method: names that lead out of folders or that file systems refuse, arbitrary ones, and
// real files for both.
import { readdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { pathPart, pathPartBytesMin, within } from './path-part.js';

const ordinary = [
  'k8s-node-1',
  'p1-f64551',
  'br-int',
  'antrea-gw0',
  'eth0.100',
  'empty.db',
  'ip-10-0-12-34.us-west-2.compute.internal',
  'A_b',
  '1',
];
const hostile = [
  '',
  '.',
  '..',
  '../../../esc',
  'a/b',
  '/etc/passwd',
  '$(touch x)',
  'a b',
  `'"`,
  'a\nb',
  'a\0b',
  '\x1b[2J',
  'ä',
  '…',
  '😀',
  '\ud800',
  '\ud801',
  '\udfff',
  '-rf',
  '.hidden',
  '~',
  '%',
  '%2F',
  '%2f',
  'a\\b',
  '\u202e',
  'x'.repeat(300),
  'x'.repeat(301),
  'é'.repeat(150),
];

void t.test('ordinary names are their own parts', (t) => {
  t.same(
    ordinary.map((name) => pathPart(name)),
    ordinary,
  );
  t.equal(within('/run/flowbed', 'br-int', '.port'), '/run/flowbed/br-int.port');
  t.end();
});

void t.test('others are reported by the bytes of their characters', (t) => {
  t.same(
    ['../../../esc', 'a/b', 'a b', '-rf', '.x', '%2F', '', 'ä', '\ud800'].map((name) =>
      pathPart(name),
    ),
    ['%2E.%2F..%2F..%2Fesc', 'a%2Fb', 'a%20b', '%2Drf', '%2Ex', '%252F', '%', '%C3%A4', '%ud800'],
  );
  t.end();
});

void t.test('a long name is shortened, and no other is shortened to the same', (t) => {
  const [one, other] = [pathPart('x'.repeat(300), 30), pathPart('x'.repeat(301), 30)];
  t.match(one, /^x{13}~[\w-]{16}$/);
  t.not(one, other);
  t.equal(pathPart('x'.repeat(30), 30), 'x'.repeat(30));
  t.equal(pathPart('x'.repeat(31), pathPartBytesMin).length, pathPartBytesMin);
  t.throws(() => pathPart('x', pathPartBytesMin - 1), { name: 'BugInFlowbed' });
  t.end();
});

void t.test('each name has a part of its own, which is one part', (t) => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...hostile, ...ordinary),
    fc
      .array(fc.constantFrom('.', '/', '%', '2', 'F', '~', '-', '\ud800', 'u'))
      .map((all) => all.join('')),
  );
  const isOnePart = (part: string) => /^[\w%~][\w.%~-]*$/.test(part) && basename(part) === part;
  fc.assert(
    fc.property(name, name, fc.integer({ min: pathPartBytesMin, max: 60 }), (a, b, bytesMax) => {
      const [partA, partB] = [pathPart(a, bytesMax), pathPart(b, bytesMax)];
      return (
        isOnePart(partA) &&
        partA.length <= bytesMax &&
        (a === b) === (partA === partB) &&
        dirname(within('/run/x', a)) === '/run/x'
      );
    }),
    { seed: 1, numRuns: 2000 },
  );
  t.end();
});

void t.test('files of all of these names lie beside each other', async (t) => {
  const dir = t.testdir({});
  const names = [...ordinary, ...hostile];
  for (const name of names) await writeFile(within(dir, name, '.port'), name, { flag: 'wx' });
  t.equal((await readdir(dir)).length, names.length);
});
