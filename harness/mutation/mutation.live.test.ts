/**
 * Goal: a mutant that no test notices is found to survive, one that a test notices is not, one that loops is stopped; and a real module
 * has no survivor without a reason. Method: a planted project with a weak test; the sandbox on the project itself.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { importsOf } from '../tidiness/imports.js';
import { parse, readSources } from '../tidiness/sources.js';
import { judgeSurvivors } from './justification.js';
import { justifications } from './justifications.js';
import { createSandbox } from './sandbox.js';
import { testsReaching } from './shared.js';
import { tryModule, type Fate } from './trial.js';

/** The compiled file is in dist/harness/mutation. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const mute = () => undefined;

async function emptyFolder(t: Test): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'flowbed-mutation-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

void t.test('a module with a weak test', async (t) => {
  const text = `
export function total(bytes) {
  let sum = 0;
  for (let index = 0; index < bytes.length; index++) sum += bytes[index];
  return sum > 100 ? 100 : sum;
}
export const unused = () => 7;`;
  const test = (body: string) => `import t from 'tap'; import { total } from './sum.js'; ${body}`;
  const project = t.testdir({
    'package.json': '{ "type": "module" }',
    node_modules: t.fixture('symlink', join(root, 'node_modules')),
    dist: { 'sum.js': text, 'weak.test.js': test('t.equal(total([1, 2]), 3);'), 'other.test.js': test('t.equal(total([101]), 100);'), 'wrong.test.js': test('t.equal(total([1]), 2);') },
  });
  const sandbox = await createSandbox(project, await emptyFolder(t));
  const fates = async (...tests: readonly string[]): Promise<Readonly<Record<string, Fate>>> =>
    Object.fromEntries((await tryModule(sandbox, { path: 'sum.ts', text }, tests, mute)).map(({ mutation, fate }) => [mutation, fate]));
  const weak = await fates('weak.test.ts');
  t.match(weak, { 'index < bytes.length → false': 'killed', 'index++ → index--': 'stopped', '7 → 8': 'unreached', 'sum > 100 → true': 'killed', 'sum > 100 → false': 'survived', 'sum > 100 → sum >= 100': 'survived' });
  const both = await fates('weak.test.ts', 'other.test.ts');
  t.match(both, { 'sum > 100 → false': 'killed', 'sum > 100 → sum >= 100': 'survived', '7 → 8': 'unreached' }, 'a second test notices more');
  await t.rejects(fates('weak.test.ts', 'wrong.test.ts'), { message: /^wrong\.test\.ts fails without any mutant/ });
});

void t.test('fabric/routing has no survivor without a reason', async (t) => {
  const sources = await readSources();
  const module = sources.find(({ path }) => path === 'harness/fabric/routing.ts');
  if (module === undefined) return t.fail('the module is gone');
  const tests = testsReaching(module.path, sources.map(parse).flatMap(importsOf)).filter((test) => test.startsWith('harness/fabric/'));
  const tried = await tryModule(await createSandbox(root, await emptyFolder(t)), module, tests, mute);
  t.ok(tried.length > 5, `${tried.length} mutants`);
  const { unverified, stale } = judgeSurvivors(tried.filter(({ fate }) => fate === 'survived' || fate === 'unreached'), justifications.filter(({ file }) => file === module.path));
  t.same([unverified, stale], [[], []]);
  return undefined;
});
