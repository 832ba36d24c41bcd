// Goal: each scenario is in one family, and families are few. Method: names with and without a
// first word that others share; the project's own.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { scenarioFamilies } from './scenario-families.js';
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

void t.test("the project's own", async (t) => {
  const names = await scenarioNames(fileURLToPath(new URL('../../../..', import.meta.url)));
  const families = scenarioFamilies(names);
  t.same([...families.flatMap(({ scenarios }) => scenarios)].sort(), names, 'each is in one');
  t.ok(names.length > 20 && families.length < names.length / 5, `${families.length} families`);
});
