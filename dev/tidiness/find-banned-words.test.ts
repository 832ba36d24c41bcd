// Goal: code, output and docs use the field's terms, so that a search for one leads somewhere.
// Method: search every source and page for words that were invented here; planted ones are caught.
import t from 'tap';
import { bannedWords, stillUsed } from './banned-words.js';
import { complainAboutWords } from './find-banned-words.js';
import { readPages, readSources } from './sources.js';

void t.test('no invented word is used', async (t) => {
  const pages = await readPages();
  t.ok(pages.length > 20, `${pages.length} pages were read`);
  t.same(complainAboutWords([...(await readSources()), ...pages]), []);
  const patterns = bannedWords.map(({ pattern }) => pattern);
  t.equal(new Set(patterns).size, patterns.length, 'each pattern is listed once');
  t.same(
    Object.keys(stillUsed).filter((pattern) => !patterns.includes(pattern)),
    [],
    'each exception is a pattern',
  );
});

void t.test('planted words are caught', (t) => {
  const words = [
    { pattern: String.raw`\bput off\b`, use: 'freeze' },
    { pattern: String.raw`\blanes?\b`, use: 'shard' },
  ];
  const planted = (text: string, path = 'harness/run/a.ts', allowed = {}) =>
    complainAboutWords([{ path, text: `\n${text}` }], words, allowed);
  for (const [text, match] of [
    ['// A packet is put off.', 'put off'],
    ['/**\n * A packet is put\n * off.\n */', 'put off'],
    ["a('is put ' +\n    'off');", 'put off'],
    ['a(`${n} Lanes`);', 'Lanes'],
    ['const putOff = 1;', 'putOff'],
    ['const firstLane = 1;', 'firstLane'],
    ['interface LaneNumber {}', 'LaneNumber'],
  ] as const)
    t.match(planted(text), [new RegExp(`^harness/run/a\\.ts:\\d: "${match}": (freeze|shard)$`)]);
  t.same(planted('a\nA packet is put\noff.', 'docs/a.md'), ['docs/a.md:3: "put off": freeze']);
  for (const text of ['const plane = 1;', 'const planes = explanes(1);', '// output office'])
    t.same(planted(text), [], text);
  t.end();
});

void t.test('what is still used may only become less', (t) => {
  const words = [{ pattern: 'lane', use: 'shard' }];
  const with2 = [{ path: 'a.ts', text: '// lane, lane' }];
  t.same(complainAboutWords(with2, words, { lane: 2 }), []);
  t.match(complainAboutWords(with2, words, { lane: 1 }), [/^a\.ts:1: /, /^a\.ts:1: /]);
  t.match(complainAboutWords(with2, words, { lane: 3 }), [/occurs 2 times, and .* allows 3$/]);
  t.end();
});
