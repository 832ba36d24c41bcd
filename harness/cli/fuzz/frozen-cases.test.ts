// Goal: cases of a file or a folder are read in the order of their names; what is none is named.
// Method: files as --freeze writes them.
import { join } from 'node:path';
import t from 'tap';
import { printRegression } from '../../fuzz/regression-case.js';
import { readFrozenCases } from './frozen-cases.js';

const text = (flow: string) =>
  printRegression({ why: 'w', found: [], groups: [], flows: [flow], beyond: [], steps: [] });

void t.test('cases are read again', async (t) => {
  const dir = t.testdir({ 'b.json': text('drop'), 'a.json': text('normal'), a: {}, none: {} });
  t.same(
    (await readFrozenCases(dir)).map(({ flows }) => flows),
    [['normal'], ['drop']],
  );
  t.same((await readFrozenCases(join(dir, 'b.json'))).length, 1);
  await t.rejects(readFrozenCases(join(dir, 'none')), { message: /expected files \*\.json in/ });
  await t.rejects(readFrozenCases(join(dir, 'c.json')), { message: /--frozen: .* found no/ });
});
