// Goal: what the kernel's connection tracker translates is what the model says, and what the
// userspace datapath does; a kernel that translates to other ports is found. Method: openflow/nat
// on the sim and in a guest, then in a guest with one flow more than was programmed.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { cacheFolder } from '../../../images/cache.js';
import { trustVariable } from '../../../images/other-writers.js';
import { seedVariable } from '../../../images/uml/fixed-random.js';
import { kernelFolder, openKernel } from '../../../images/uml/kernel.js';
import { worldVariable } from '../../base/world.js';
import { runReport } from '../../run/records/run-report.js';
import { runInGuest } from '../../worlds/uml/run-in-guest.js';
import { flowbedIn } from '../flowbed-process.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';
const limitMs = 900_000;
const project = fileURLToPath(new URL('../../../../', import.meta.url));

void t.test('on both datapaths', { skip, timeout: limitMs }, async (t) => {
  const request = ['run', 'openflow/nat', '--set', 'ports=given,ports=chosen', '--json'];
  for (const where of [[], ['--backend', 'netns', '--world', 'uml']]) {
    const ran = await flowbedIn(t.testdir({}), [...request, ...where]);
    t.equal(ran.code, 0, ran.stderr);
    t.match(runReport.parse(JSON.parse(ran.stdout)), { verdict: 'conforms' });
  }
});

void t.test('other ports', { skip, timeout: limitMs }, async (t) => {
  const folder = join(t.testdir({}), 'guest');
  await mkdir(folder);
  const kernel = await openKernel();
  const program = join(project, 'dist/harness/cli/testkit/wrong-translation.js');
  const flow =
    'table=0,priority=70,udp,nw_dst=10.10.1.3 ' +
    'actions=ct(commit,zone=1,table=1,nat(src=10.10.1.193:5004-5007))';
  const said: string[] = [];
  await runInGuest(
    {
      command: [process.execPath, '--single-threaded', program, flow, 'udp/range', 'tcp/range'],
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
  t.match(said.join('\n'), /^udp\/range diverges .*differs in udp\.src/m);
  t.ok(said.includes('tcp/range conforms'), 'the flow takes UDP alone');
});
