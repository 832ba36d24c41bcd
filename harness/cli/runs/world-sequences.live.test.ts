// Goal: sequences are held to the kernel's datapath with nothing in its cache, and a frame that is
// lost on its way out is seen, though counters are asked no more behind each packet. Method: frozen
// cases of TCP in a guest, and again on a wire that loses frames.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { cacheFolder } from '../../../images/cache.js';
import { trustVariable } from '../../../images/other-writers.js';
import { seedVariable } from '../../../images/uml/fixed-random.js';
import { kernelFolder, openKernel } from '../../../images/uml/kernel.js';
import { worldVariable } from '../../base/world.js';
import { runInGuest } from '../../worlds/uml/run-in-guest.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';
const project = fileURLToPath(new URL('../../../../', import.meta.url));

void t.test('sequences on a kernel', { skip, timeout: 900_000 }, async (t) => {
  const folder = join(t.testdir({}), 'guest');
  await mkdir(folder);
  const kernel = await openKernel();
  const program = join(project, 'dist/harness/cli/testkit/sequences-on-wire.js');
  const cases = join(project, 'harness/fuzz/frozen/given-up-before-answer.json');
  const said: string[] = [];
  await runInGuest(
    {
      command: [process.execPath, '--single-threaded', program, cases],
      cwd: project,
      variables: {
        PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${kernel.programs}`,
        LC_ALL: 'C.UTF-8',
        [worldVariable]: 'uml',
        FLOWBED_CACHE: cacheFolder(),
        [trustVariable]: 'yes',
      },
      needed: [project, cacheFolder()],
      shared: [],
    },
    {
      kernel: { ...kernel, seedVariable },
      seed: 1,
      folder,
      onLine: (line) => void said.push(line),
      silenceLimitMs: 300_000,
    },
  );
  t.match(said.join('\n'), /^whole: nothing differs; 0 hit, some missed$/m);
  t.match(said.join('\n'), /^lossy: frames .*differs; 0 hit, some missed$/m);
});
