// Goal: a scenario's code that seeks to end a run well changes no verdict, or leaves none, exit
// code 3. Method: the compiled program as a process of its own, on scenarios of a few lines, of
// which most promise what does not come true.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import t from 'tap';
import { mapConcurrently } from '../../base/concurrency/map-concurrently.js';
import { runWrong, type Ended, type Wrong } from '../testkit/wrong-scenario.js';

const folder = t.testdir({});
const temporary = await mkdtemp('/tmp/scenario-');
t.teardown(() => rm(temporary, { recursive: true }));
const run = (name: string, wrong: Wrong): Promise<Ended> =>
  runWrong({ folder, temporary }, name, wrong, 60);

/** All that is sent diverges, whatever else the code does. */
const broken = 'return { kind: "denied", why: "nothing is allowed" }';
const reallyExit = 'process.reallyExit(0)';
/** By what ends it well, and with which code it ends. */
const endsWell: Readonly<Record<string, { readonly wrong: Wrong; readonly code: number }>> = {
  'really-exits-at-top': { wrong: { top: reallyExit }, code: 3 },
  'really-exits-in-topology': { wrong: { topology: reallyExit }, code: 3 },
  'really-exits-in-plan': { wrong: { plan: reallyExit }, code: 3 },
  'really-exits-in-intent': { wrong: { intent: reallyExit }, code: 3 },
  'really-exits-beside': { wrong: { plan: `setImmediate(() => ${reallyExit})` }, code: 3 },
  'really-exits-as-it-ends': {
    wrong: { top: `process.on('exit', () => ${reallyExit});`, intent: broken },
    code: 1,
  },
  'sets-exit-code-as-it-ends': {
    wrong: { top: 'process.on("exit", () => { process.exitCode = 0; });', intent: broken },
    code: 1,
  },
  'kills-itself': { wrong: { vectors: 'process.kill(process.pid, "SIGKILL")' }, code: 3 },
  'terminates-itself': {
    wrong: { topology: 'process.kill(process.pid, "SIGTERM"); for (;;) continue' },
    code: 3,
  },
  'kills-the-judge': { wrong: { vectors: 'process.kill(process.ppid, "SIGKILL")' }, code: 3 },
  'wakes-the-debugger': {
    wrong: { vectors: 'process.kill(process.ppid, "SIGUSR1")', intent: broken },
    code: 1,
  },
  aborts: { wrong: { intent: 'process.abort()' }, code: 3 },
  'exits-in-a-thread': {
    wrong: {
      top:
        'import { Worker } from "node:worker_threads"; ' +
        'new Worker("process.exit(0); process.reallyExit(0)", { eval: true });',
      intent: broken,
    },
    code: 1,
  },
  'changes-what-all-use': {
    wrong: {
      top:
        'Array.prototype.some = () => false; Array.prototype.filter = () => []; ' +
        'Map.prototype.get = () => undefined; JSON.stringify = () => "{}";',
      topology: 'return { name: "x", tunnel: "geneve", nodes: [] }',
    },
    code: 2,
  },
  'changes-what-judges': {
    wrong: {
      top: 'process.exitCode = 0; globalThis.process = { exit() {} }; Object.freeze(process);',
      intent: broken,
    },
    code: 1,
  },
  'closes-all-descriptors': {
    wrong: {
      vectors: 'for (let one = 3; one < 40; one++) try { closeSync(one) } catch { continue }',
      top: 'import { closeSync } from "node:fs";',
    },
    code: 3,
  },
  'answers-by-itself': {
    wrong: {
      vectors: 'writeSync(4, Buffer.from("0500000001020304ff", "hex"))',
      top: 'import { writeSync } from "node:fs";',
    },
    code: 2,
  },
};

void t.test('code that seeks to end a run well', { timeout: 240_000 }, async (t) => {
  const ended = await mapConcurrently(
    2,
    Object.entries(endsWell),
    async ([name, { wrong }]) => await run(name, wrong),
  );
  for (const [index, [name, { code }]] of Object.entries(endsWell).entries()) {
    t.equal(ended[index]?.code, code, `${name}: ${ended[index]?.stderr}`);
    if (code === 3) t.match(ended[index]?.stderr, /no verdict|ended|did the work/, name);
  }
  t.same(await readdir(temporary), [], 'no folder is left');
});

void t.test('what it prints is no part of the report', async (t) => {
  const said = await run('prints', { top: 'console.log("verdict   conforms");' });
  t.match(said, { code: 0, stderr: /verdict {3}conforms/ });
  t.equal(said.stdout.match(/verdict {3}conforms/g)?.length, 1);
});
