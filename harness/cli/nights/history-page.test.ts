// Goal: the links of a history's page lead somewhere, wherever the page lies. Method: run folders
// with and without a report, and one that is gone; pages inside and outside of the project.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import t from 'tap';
import { linkTo } from './history-page.js';

void t.test('from any folder', (t) => {
  const root = t.testdir({
    runs: { 1: { 'report.html': '' }, 2: { 'report.json': '' } },
    'another place': {},
  });
  for (const from of [root, resolve(root, 'another place'), '/', '/tmp']) {
    for (const [folder, end] of [
      ['runs/1', 'runs/1/report.html'],
      ['runs/2', 'runs/2'],
    ] as const) {
      const link = linkTo(root, folder, from) ?? '';
      t.ok(link.endsWith(end), `${folder} from ${from}`);
      t.ok(existsSync(resolve(from, decodeURIComponent(link))), link);
    }
  }
  t.equal(linkTo(root, 'runs/3', root), undefined, 'it was removed');
  t.equal(linkTo(root, '', root), undefined, 'a point that was not played');
  t.end();
});
