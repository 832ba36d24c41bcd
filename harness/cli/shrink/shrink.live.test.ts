// Goal: a failure is shrunk to a scenario of 15 to 40 lines that fails in the same way by itself.
// Method: the compiled program on the project's generated policies with a control plane that
// forgets one of them, and on flows that somebody wrote; the shrunk scenario is run, and run again
// where the files that it comes from are others, or gone.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { flowbedIn } from '../flowbed-process.js';
import { flowTooMany, wallFiles } from '../testkit/wall.js';

const scenario = (forgotten: string) => `
import original from 'flowbed/scenarios/antrea/generated-policies';
const { controlPlane } = original;
const without = (cluster) => ({
  ...cluster,
  objects: {
    ...cluster.objects,
    networkPolicies: cluster.objects.networkPolicies.filter(({ metadata }) => ${forgotten}),
  },
});
export default {
  ...original,
  name: 'mine/policies',
  controlPlane: { ...controlPlane, plan: (cluster, before) => controlPlane.plan(without(cluster), before) },
};
`;
const isOfLab = "!(metadata.namespace === 'lab' && metadata.name !== 'np1')";
const folder = t.testdir({
  'policies.ts': scenario(isOfLab),
  written: { ...wallFiles, 'wall.flows': `${flowTooMany}${wallFiles['wall.flows']}` },
  'ends.ts': `
import { existsSync } from 'node:fs';
import wall from './written/wall.ts';
const wait = () => (existsSync('ended/frozen') ? process.reallyExit(0) : setImmediate(wait));
wait();
export default wall;
`,
});

void t.test('a policy that is forgotten', async (t) => {
  const run = await flowbedIn(folder, ['run', 'policies.ts', '--passes', 'cold', '--json']);
  t.equal(run.code, 1, run.stderr);
  const { scenarios } = JSON.parse(run.stdout) as {
    scenarios: readonly { vectors: readonly { id: string; verdict: string }[] }[];
  };
  const id = scenarios[0]?.vectors.find(({ verdict }) => verdict === 'diverges')?.id ?? '';
  const shrunk = await flowbedIn(folder, [
    ...['shrink', id, '--scenario', 'policies.ts', '--out', 'small'],
  ]);
  t.equal(shrunk.code, 0, shrunk.stderr);
  t.match(shrunk.stdout, /→ \d nodes, [12] pods, [12] NetworkPolicies, \d+ tries/);
  const lines = (await readFile(join(folder, 'small', 'scenario.ts'), 'utf8')).split('\n').length;
  t.ok(lines >= 15 && lines <= 40, `${lines} lines`);
  t.equal((await flowbedIn(folder, ['run', 'small/scenario.ts'])).code, 1);
  await writeFile(join(folder, 'policies.ts'), scenario('true'));
  const again = await flowbedIn(folder, ['run', 'small/scenario.ts']);
  t.equal(again.code, 1, 'it has all that it needs: changes of the file are nothing to it');
  const conforming = await flowbedIn(folder, [
    ...['shrink', id, '--scenario', 'policies.ts', '--out', 'small'],
  ]);
  t.match(conforming.stderr, /conforms: there is no failure to shrink/);
});

void t.test("a scenario's code that ends once all is there", async (t) => {
  const shrunk = await flowbedIn(folder, [
    ...['shrink', 'ping/p1/p2', '--scenario', 'ends.ts', '--out', 'ended'],
  ]);
  t.equal(shrunk.code, 3, shrunk.stdout);
  t.match(shrunk.stderr, /the process that ran the scenario's code ended.* before the end/);
});

void t.test('flows that somebody wrote', async (t) => {
  const shrunk = await flowbedIn(folder, [
    ...['shrink', 'ping/p1/p2', '--scenario', 'written/wall.ts', '--out', 'few'],
  ]);
  t.equal(shrunk.code, 0, shrunk.stderr);
  await rm(join(folder, 'written'), { recursive: true });
  t.equal((await flowbedIn(folder, ['run', 'few/scenario.ts'])).code, 1, 'by itself');
  const texts = JSON.parse(await readFile(join(folder, 'few/flows.json'), 'utf8')) as {
    readonly bridge: string;
    readonly text: string;
  }[];
  t.same(
    texts.map(({ bridge }) => bridge).sort(),
    ['br-int', 'br-phys'],
    'each bridge has its own',
  );
});
