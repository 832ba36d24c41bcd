// Goal: the files of a scenario are those that it imports and names, and no others. Method: a
// scenario with flows and a network beside it, and a file that it does not name; one that is not
// there, and one that is empty, as an editor leaves it between truncate and write.
import { join } from 'node:path';
import t from 'tap';
import { filesOf } from './files-of-scenario.js';
import { wallFiles } from '../testkit/wall.js';

void t.test('the files of a scenario', async (t) => {
  const folder = t.testdir({ 'empty.ts': '', b: { ...wallFiles, 'notes.txt': 'none' } });
  const names = ['network.yaml', 'wall.flows', 'wall.ts'].map((name) => join(folder, 'b', name));
  const found = await filesOf('/nowhere', join(folder, 'b', 'wall.ts'));
  t.same(found, names);
  await t.rejects(filesOf('/nowhere', 'antrea/none'), /there is no scenario antrea\/none/);
  await t.rejects(filesOf('/nowhere', join(folder, 'empty.ts')), /empty\.ts is empty/);
});
