/**
 * Goal: a mutant that no test notices is found to survive, one that a test notices is not, one that loops is stopped; and a real module
 * has no survivor without a reason. Method: a planted project with a weak test and a module that keeps something; the sandbox on the project itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { importsOf } from '../tidiness/imports.js';
import { parse, readSources, type Source } from '../tidiness/sources.js';
import { judgeSurvivors } from './justification.js';
import { justifications } from './justifications.js';
import { createSandbox, type Sandbox } from './sandbox.js';
import { openMemory, type Memory } from './memory.js';
import { whileItWorks } from './patience.js';
import { testsReaching } from './shared.js';
import { survey } from './survey.js';
import { tryModule, type Tried } from './trial.js';

/** The compiled file is in dist/harness/mutation. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const mute = () => undefined;

async function tryOne(sandbox: Sandbox, module: Source, tests: readonly string[], memory: Memory): Promise<readonly Tried[]> {
  const [surveyed] = await survey(sandbox, [module], () => tests, mute);
  return surveyed === undefined ? [] : tryModule(sandbox, surveyed, memory, mute);
}

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
export const unused = () => 7;
export const doubled = [3].map((each) => each * 2);
let held = 0;
export function hold(count) {
  held += count;
  const most = held;
  held -= count;
  return most;
}`;
  const test = (body: string) => `import t from 'tap'; import { doubled, hold, total } from './sum.js'; t.test('sum', async (t) => { ${body} });`;
  const project = t.testdir({
    'package.json': '{ "type": "module" }',
    node_modules: t.fixture('symlink', join(root, 'node_modules')),
    dist: { 'sum.js': text, 'weak.test.js': test('t.equal(total([1, 2]), 3); t.same(doubled, [6]); t.equal(hold(4), 4); t.equal(hold(5), 5);'), 'other.test.js': test('t.equal(total([101]), 100);'), 'wrong.test.js': test('t.equal(total([1]), 2);') },
  });
  const sandbox = await createSandbox(project, await emptyFolder(t));
  const file = join(await emptyFolder(t), 'said');
  const fates = async (used: Sandbox, ...tests: readonly string[]): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries((await tryOne(used, { path: 'sum.ts', text }, tests, openMemory(file, new Map(tests.map((test) => [test, test]))))).map(({ mutation, fate }) => [mutation, fate]));
  const weak = await fates(sandbox, 'weak.test.ts');
  t.match(weak, { 'index < bytes.length → false': 'killed', 'index++ → index--': 'stopped', '7 → 8': 'unreached', 'sum > 100 → true': 'killed', 'sum > 100 → false': 'survived', 'sum > 100 → sum >= 100': 'survived' });
  t.match(weak, { 'each * 2 → each / 2': 'killed' }, 'made while the module is loaded');
  t.match(weak, { 'held -= count → held += count': 'killed', 'held += count → held -= count': 'killed' }, 'what one mutant leaves behind kills no other');
  const attempted: unknown[] = [];
  const counting: Sandbox = { ...sandbox, open: (mutant) => { const stage = sandbox.open(mutant); return { ...stage, play: (test, ...rest) => { attempted.push(test); return stage.play(test, ...rest); } }; } };
  t.same(await fates(counting, 'weak.test.ts'), weak);
  t.same(attempted, [], 'what a test said is not asked again');
  const both = await fates(counting, 'weak.test.ts', 'other.test.ts');
  t.match(both, { 'sum > 100 → false': 'killed', 'sum > 100 → sum >= 100': 'survived', '7 → 8': 'unreached' }, 'a second test notices more');
  t.same([...new Set(attempted)], ['other.test.ts'], 'only the second is asked');
  t.match(await fates(sandbox, 'other.test.ts', 'weak.test.ts'), both, 'whatever the order');
  await t.rejects(fates(sandbox, 'weak.test.ts', 'wrong.test.ts'), { message: /^wrong\.test\.ts fails without any mutant/ });
});

void t.test('a program is waited for as long as it works', async (t) => {
  const started = (script: string) => {
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    t.teardown(() => child.kill('SIGKILL'));
    return { pid: child.pid, end: once(child, 'exit').then(([code]: readonly unknown[]) => code) };
  };
  const [working, waiting, ending] = [started('for (;;);'), started('setInterval(() => undefined, 1e6)'), started('for (let n = 0; n < 1e9; n++); process.exit(3)')];
  t.equal(await whileItWorks(working.end, working.pid, { lookMs: 50, workS: 0.5, idleLooks: Infinity }), undefined, 'too long');
  t.equal(await whileItWorks(waiting.end, waiting.pid, { lookMs: 50, workS: Infinity, idleLooks: 20 }), undefined, 'for nothing');
  t.equal(await whileItWorks(ending.end, ending.pid, { lookMs: 50, workS: 120, idleLooks: 2400 }), 3);
});

void t.test('fabric/routing has no survivor without a reason', async (t) => {
  const sources = await readSources();
  const module = sources.find(({ path }) => path === 'harness/fabric/routing.ts');
  if (module === undefined) return t.fail('the module is gone');
  const tests = testsReaching(module.path, sources.map(parse).flatMap(importsOf)).filter((test) => test.startsWith('harness/fabric/'));
  const tried = await tryOne(await createSandbox(root, await emptyFolder(t)), module, tests, { recall: () => undefined, keep: mute });
  t.ok(tried.length > 5, `${tried.length} mutants`);
  const { unverified, stale } = judgeSurvivors(tried.filter(({ fate }) => fate === 'survived' || fate === 'unreached'), justifications.filter(({ file }) => file === module.path));
  t.same([unverified, stale], [[], []]);
  return undefined;
});
