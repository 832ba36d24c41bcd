// Goal: a new system touches no room that serves every system. Method: what each of these imports
// and names; a planted import and a planted name must be caught.
import t from 'tap';
import { genericRoomViolations } from './generic-rooms.js';
import { importsOf } from './imports.js';
import { parse, readSources } from './sources.js';

const sources = await readSources();

void t.test('rooms that serve every system know none', (t) => {
  t.same(genericRoomViolations(sources, sources.map(parse).flatMap(importsOf)), []);
  t.end();
});

void t.test('what names or imports one is caught', (t) => {
  const planted = (path: string, text: string) =>
    genericRoomViolations([{ path, text }], importsOf(parse({ path, text })));
  t.match(planted('harness/run/a.ts', "import { b } from '../control/antrea/index.js';\n"), [
    /^harness\/run\/a\.ts:1: serves every system, and imports harness\/control\/antrea\/index\.ts$/,
    /^harness\/run\/a\.ts:1: serves every system, and names one/,
  ]);
  t.match(planted('topologies/a.ts', "const name = 'Antrea';\n"), [/names one: const name/]);
  t.match(planted('harness/intent/kubernetes/a.ts', "import { b } from '../antrea/path.js';\n"), [
    /imports harness\/intent\/antrea\/path\.ts$/,
  ]);
  t.same(planted('harness/intent/antrea/a.ts', "import { b } from './path.js';\n"), []);
  t.same(planted('harness/run/a.test.ts', "import { b } from '../control/antrea/index.js';\n"), []);
  t.end();
});
