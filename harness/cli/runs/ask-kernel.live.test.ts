// Goal: what diverges on the sim says by itself whether a kernel does the same. Method: a scenario
// whose promise is wrong, which a kernel confirms; then its record as switches would have left it
// that forward nothing, which no kernel confirms.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { kernelFolder } from '../../../images/uml/kernel.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import { forge, fitted } from '../../run/records/forged-folder.js';
import type { RunManifest } from '../../run/records/manifest.js';
import { flowbedIn } from '../flowbed-process.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';
const project = fileURLToPath(new URL('../../../../', import.meta.url));

const scenario = `import { antrea, defineScenario, vectors } from 'flowbed';
import { antreaCluster } from 'flowbed/topologies/antrea/antrea-cluster';
export default defineScenario({
  name: 'wrong-promise',
  title: 'Nobody is promised anything, and pings pass',
  axes: {},
  topology: () => antreaCluster({ nodes: 2, podsPerNode: 1, tunnel: 'geneve' }),
  controlPlane: antrea('0.8'),
  vectors: (topology) => vectors.podToPod(topology),
  intent: () => ({ kind: 'denied', why: 'so it was promised' }),
});
`;

/** Nothing came out of the switches. */
async function silenced(folder: string): Promise<void> {
  const { report, scenarios } = await readRunFolder('', folder);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as RunManifest;
  const silent = scenarios.map((one) => ({
    ...one,
    vectors: one.vectors.map(({ vector, real }) => ({
      vector,
      ...(real === undefined
        ? {}
        : { real: { ...real, passes: real.passes.map((pass) => ({ ...pass, frames: [] })) } }),
    })),
  }));
  await forge(folder, fitted({ manifest, report, scenarios: silent }));
}

void t.test('a finding, and a kernel', { skip, timeout: 600_000 }, async (t) => {
  const here = t.testdir({ 'wrong-promise.ts': scenario });
  const file = join(here, 'wrong-promise.ts');
  const ran = await flowbedIn(here, ['run', file, '--passes', 'cold', '--report', here], {
    FLOWBED_NO_CONFIRM: undefined,
  });
  t.equal(ran.code, 1, ran.stderr);
  t.match(ran.stdout, /verdict {3}diverges[^]*\n {2}kernel {4}ping\S+ is confirmed on a kernel/);
  t.match(await readFile(join(here, 'report.md'), 'utf8'), 'confirmed on a kernel: ');
  const [, name = ''] = /^ {2}folder +(\S+)$/m.exec(ran.stdout) ?? [];
  const folder = join(project, name);
  t.teardown(() => rm(folder, { recursive: true }));
  const { report } = await readRunFolder('', folder);
  const [finding, other] = report.scenarios.flatMap(({ vectors }) =>
    vectors.flatMap(({ id, onKernel }) => (onKernel === undefined ? [] : [{ id, onKernel }])),
  );
  t.match(finding, { onKernel: { kind: 'confirmed' } });
  t.match(other, { onKernel: { kind: 'confirmed' } }, 'each direction is a finding');

  await rm(join(folder, 'kernel.json'));
  await silenced(folder);
  const elsewhere = ['replay', folder, '--backend', 'netns', '--world', 'uml'];
  const again = await flowbedIn(here, elsewhere);
  t.equal(again.code, 1, again.stderr);
  t.match(again.stdout, /ping\S+ is model only: /);
  const explained = await flowbedIn(here, ['explain', folder, finding?.id ?? '']);
  t.match(explained.stdout, / kernel {4}model only: /);
});
