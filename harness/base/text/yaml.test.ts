// Goal: whatever a text is that should be YAML, it is read, or refused with file, line and what is
// wrong, in a message that fits a screen; never with an error of a library's or of our own. Method:
// texts that are wrong in one way each, and one that is right in all the ways that YAML has of
// saying less; through both ways of reading.
import t from 'tap';
import { z } from 'zod';
import { readAs, readYaml, readYamlDocuments } from './yaml.js';

const nines = 'bcdefghij'
  .split('')
  .map(
    (name, index) =>
      `${name}: &${name} ` +
      `[${Array.from({ length: 10 }, () => `*${'abcdefghij'[index]}`).join(', ')}]\n`,
  );

const refusals: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  'a billion values': [
    `a: &a [x, x, x, x, x, x, x, x, x, x]\n${nines.join('')}`,
    /^f:6:\d+: \*e and the aliases before it stand for more than 1,000,000 values$/,
  ],
  'an alias of itself': [
    'name: x\nnodes: &n\n  - self: *n\n',
    /^f:3:11: \*n stands within what it stands for$/,
  ],
  'a list of itself': ['&a [*a]\n', /^f:1:5: \*a stands within/],
  'a merge of itself': ['a: &b\n  <<: *b\n', /^f:2:7: \*b stands within/],
  'an alias of nothing': [
    'name: *q\n',
    /^f:1:7: \*q stands for nothing: there is no &q before it$/,
  ],
  'a tag that nobody knows': ['name: !foo x\n', /^f:1:7: Unresolved tag: !foo/],
  'a tag of a language': [
    'a: 1\nb: !!python/object/apply:os.system [ls]\n',
    /^f:2:4: Unresolved tag: .*python/,
  ],
  'a key twice': ['a: 1\nb: 2\na: 3\n', /^f:3:1: Map keys must be unique$/],
  'a key that is a list': ['? [a, b]\n: c\n', /^f:1:3: a key has to be a word/],
  'a NUL': [
    'a: b\nc: d\0e\n',
    /^f:2:5: the control character U\+0000, which no YAML has: expected text in UTF-8$/,
  ],
  'an escape sequence': ['a: \x1b[2J\n', /^f:1:4: the control character U\+001B/],
  'UTF-16': [
    Buffer.from('\ufeffa: 1\n', 'utf16le').toString('utf8'),
    /^f:1:1: a byte that is not UTF-8/,
  ],
  'UTF-16 without a mark': [
    Buffer.from('a: 1\n', 'utf16le').toString('utf8'),
    /^f:1:2: the control character U\+0000/,
  ],
  'another code': [
    Buffer.from('a: M\xfcnchen\n', 'latin1').toString('utf8'),
    /^f:1:5: a byte that is not UTF-8/,
  ],
  'a key of 10 MB': [`a: 1\n${'k'.repeat(10_000_000)}: y\n`, /^f:2:1: /],
  '10,000 lists': [
    `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`,
    /^f:1:\d+: nested too deeply/,
  ],
  '10,000 lists that do not end': [`a: ${'['.repeat(10_000)}\n`, /^f:1:\d+: nested too deeply/],
  '10,000 maps': [
    `a: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}\n`,
    /^f:1:\d+: nested too deeply/,
  ],
  '10,000 sequences': [`${'- '.repeat(10_000)}x\n`, /^f:1:\d+: nested too deeply/],
  '3,000 levels of blocks': [
    Array.from({ length: 3000 }, (_, level) => `${' '.repeat(level)}a:\n`).join(''),
    /^f:\d+:\d+: nested too deeply/,
  ],
  'errors in each of 1,000 lines': [
    'a: b: c\n'.repeat(1000),
    /^f:1:4: Nested mappings [^]*\nand \d+ more$/,
  ],
};

void t.test('what is wrong is reported with its place', (t) => {
  for (const [name, [text, message]] of Object.entries(refusals)) {
    for (const read of [readYaml, readYamlDocuments])
      t.throws(() => read(text, 'f'), { name: 'InputError', message }, name);
    t.ok(messageOf(() => readYaml(text, 'f')).length < 5000, `${name}: in few words`);
  }
  t.throws(() => readYaml('a: 1\n---\nb: 2\n', 'f'), {
    name: 'InputError',
    message: /^f:2:1: a second document begins here, and one is expected$/,
  });
  t.end();
});

function messageOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

void t.test('a value of any length is reported in few words', (t) => {
  const document = readYaml(`a: ${'x'.repeat(10_000_000)}\nb: 7\n`, 'f');
  const message = messageOf(() => readAs(document, z.object({ a: z.int(), b: z.string() })));
  t.match(message, /^f:1:4: expected a number, got "xxx.*…x+"\nf:2:4: expected a text, got 7$/);
  t.ok(message.length < 2000);
  t.end();
});

void t.test('anchors, aliases and merge keys are read as kubectl reads them', (t) => {
  const text =
    'base: &b { name: n1, os: linux }\nnodes:\n  - <<: *b\n    name: n2\n  - *b\nwords: [&w ' +
    'one, *w]\n';
  t.strictSame(readYaml(text, 'f').value, {
    base: { name: 'n1', os: 'linux' },
    nodes: [
      { os: 'linux', name: 'n2' },
      { name: 'n1', os: 'linux' },
    ],
    words: ['one', 'one'],
  });
  const many = `a: &a x\nb:\n${'  - *a\n'.repeat(5000)}`;
  t.equal((readYaml(many, 'f').value as { b: string[] }).b.length, 5000, 'one word very often');
  t.equal(
    readYaml('# \u00e9\ufeff\u4e2d\n"\u{1f600}": "\\u0000"\n', 'f').placeOf({
      path: ['\u{1f600}'],
      of: 'key',
    }).line,
    2,
  );
  t.end();
});
