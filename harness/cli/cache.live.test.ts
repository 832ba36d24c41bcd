// Goal: a cache in whose place others could put another is not used, and nothing is made in it
// first. Method: the compiled program, with a cache below a folder in which everybody can rename.
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { flowbedIn } from './flowbed-process.js';

const folder = t.testdir({});

void t.test('below a folder in which others can rename', async (t) => {
  const above = join(folder, 'above');
  await mkdir(above);
  await chmod(above, 0o777);
  const variables = { FLOWBED_CACHE: join(above, 'cache') };
  const refusal = /the image cache is not used: \S*\/above, above it, can be written to by others/;
  const doctor = await flowbedIn(folder, ['doctor'], variables);
  t.match(doctor, { code: 3, stdout: refusal });
  const run = await flowbedIn(folder, ['run', 'antrea/encap'], variables);
  t.match(run, { code: 3, stderr: refusal });
  t.same(await readdir(join(above, 'cache')), [], 'nothing was made first');
});
