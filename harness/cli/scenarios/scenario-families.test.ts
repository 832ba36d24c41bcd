// Goal: each scenario is in one family, and families are few. Method: names with and without a
// first word that others share; the project's own.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { scenarioFamilies, scenariosCalled } from './scenario-families.js';
import { scenarioNames } from './scenarios.js';

void t.test('by folder, and by a first word that three share', (t) => {
  t.same(
    scenarioFamilies(['a/encap', 'a/win-b', 'a/win-c', 'a/win-d', 'a/x-y', 'a/x-z', 'b/win-e']),
    [
      { name: 'a', scenarios: ['a/encap', 'a/x-y', 'a/x-z'] },
      { name: 'a/win-*', scenarios: ['a/win-b', 'a/win-c', 'a/win-d'] },
      { name: 'b', scenarios: ['b/win-e'] },
    ],
  );
  t.end();
});

void t.test('what a word asks for', (t) => {
  const names = ['a/encap', 'a/win-b', 'a/win-c', 'a/win-d', 'b/win-e'];
  const called = (word: string) => scenariosCalled(word, names);
  t.same(called('a/encap'), ['a/encap'], 'a scenario');
  t.same(called('a'), ['a/encap'], 'a family');
  t.same(called('a/win-*'), ['a/win-b', 'a/win-c', 'a/win-d'], 'a family of first words');
  t.same(called('*/win-*'), ['a/win-b', 'a/win-c', 'a/win-d', 'b/win-e'], 'a pattern');
  t.same(called('./mine.ts'), ['./mine.ts'], 'a file');
  for (const unknown of ['a/', 'c', 'c/*', ''])
    t.throws(() => called(unknown), { message: /unknown scenario or family/ }, unknown);
  t.end();
});

void t.test("the project's own", async (t) => {
  const names = await scenarioNames(fileURLToPath(new URL('../../../..', import.meta.url)));
  const families = scenarioFamilies(names);
  t.same([...families.flatMap(({ scenarios }) => scenarios)].sort(), names, 'each is in one');
  t.ok(names.length > 20 && families.length < names.length / 5, `${families.length} families`);
});
