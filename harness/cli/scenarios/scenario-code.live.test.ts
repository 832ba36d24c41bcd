// Goal: a scenario's code that goes wrong ends a run with a sentence that names its file, the
// function and the place, with exit code 2, and leaves nothing. Method: the compiled program as a
// process of its own, on scenarios of a few lines, each wrong in one way; a limit of few seconds of
// processor time for those that never come back.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import t from 'tap';
import { mapConcurrently } from '../../base/concurrency/map-concurrently.js';
import { main } from '../flowbed-process.js';
import { runWrong, type Ended, type Wrong } from '../testkit/wrong-scenario.js';

const folder = t.testdir({});
const temporary = await mkdtemp('/tmp/scenario-');
t.teardown(() => rm(temporary, { recursive: true }));

const run = (name: string, wrong: Wrong, limitS: number): Promise<Ended> =>
  runWrong({ folder, temporary }, name, wrong, limitS);

/** By what it is called. */
const cases: Readonly<Record<string, { readonly wrong: Wrong; readonly message: RegExp }>> = {
  'exit-at-top': {
    wrong: { top: 'process.exit(0);' },
    message: /exit-at-top\.mjs:4:9: a scenario's code calls process\.exit\(0\)/,
  },
  'exit-in-function': {
    wrong: { vectors: 'process.exit()' },
    message: /exit-in-function\.mjs:10:\d+: a scenario's code calls process\.exit\(\)/,
  },
  'exit-caught': {
    wrong: { top: 'try { process.exit(0); } catch { throw new Error("caught"); }' },
    message: /exit-caught\.mjs:4:\d+: scenario .* cannot be loaded: its module threw Error: caught/,
  },
  'throws-at-top': {
    wrong: { top: 'throw new Error("no");' },
    message: /throws-at-top\.mjs:4:7: scenario .* cannot be loaded: its module threw Error: no/,
  },
  'throws-undefined-at-top': {
    wrong: { top: 'throw undefined;' },
    message: /throws-undefined-at-top\.mjs: .* its module threw undefined/,
  },
  'is-no-code': {
    wrong: { top: 'const x = ;' },
    message: /is-no-code\.mjs: scenario .* cannot be loaded: its module threw SyntaxError/,
  },
  'throws-in-topology': {
    wrong: { topology: 'throw new TypeError("x is not y")' },
    message: /throws-in-topology\.mjs:8:\d+: scenario .*: topology\(\) threw TypeError: x is not y/,
  },
  'throws-text-in-vectors': {
    wrong: { vectors: 'throw "a text"' },
    message: /throws-text-in-vectors\.mjs: vectors\(\) threw the text "a text"/,
  },
  'throws-null-in-plan': {
    wrong: { plan: 'throw null' },
    message: /throws-null-in-plan\.mjs: controlPlane\.plan\(\) threw null/,
  },
  'throws-in-intent': {
    wrong: { intent: 'throw { toJSON() { throw 1; } }' },
    message: /throws-in-intent\.mjs: intent\(\) of what p1 sends threw a value of type object/,
  },
  'gives-a-promise': {
    wrong: { topology: 'return Promise.reject(new Error("late"))' },
    message: /gives-a-promise\.mjs: topology\(\) gave a promise/,
  },
  'gives-nothing': {
    wrong: { vectors: 'return undefined' },
    message: /gives-nothing\.mjs: vectors\(\) gave nothing/,
  },
  'gives-no-list': {
    wrong: { vectors: 'return {}' },
    message:
      /gives-no-list\.mjs: vectors\(\) gave what is no vectors:\n.*expected array, received object/,
  },
  'gives-half-a-topology': {
    wrong: { topology: 'return { nodes: [{}] }' },
    message: /topology\(\) gave what is no topology:[^]*at nodes\[0\]\.underlay/,
  },
  'gives-an-unknown-stimulus': {
    wrong: { vectors: 'return [{ id: "x", stimulus: { kind: "pong", from: "p1" } }]' },
    message: /vectors\(\) gave what is no vectors:[^]*at \[0\]\.stimulus\.kind/,
  },
  'gives-one-twice': {
    wrong: { vectors: 'const [one] = v.podToPod(topology); return [one, one]' },
    message: /vectors\(\) gave two vectors called "ping\/p1\/p2", number 1 and number 2 of 2/,
  },
  'gives-a-function': {
    wrong: { topology: 'return { nodes: () => [] }' },
    message: /gives-a-function\.mjs: topology\(\) gave what is no data: .*could not be cloned/,
  },
  'throws-in-after': {
    wrong: { members: 'after() { throw new Error("none before") }' },
    message: /throws-in-after\.mjs:12:\d+: scenario .*: after\(\) threw Error: none before/,
  },
  'throws-in-timeline': {
    wrong: { members: 'timeline() { throw new Error("no past") }' },
    message: /throws-in-timeline\.mjs:12:\d+: scenario .*: timeline\(\) threw Error: no past/,
  },
  'throws-in-a-getter': {
    wrong: { members: 'get title() { throw new Error("no title") }' },
    message:
      /throws-in-a-getter\.mjs:12:\d+: scenario .*: reading its default export threw Error: no title/,
  },
  'has-no-axes': {
    wrong: { members: 'axes: null' },
    message: /has-no-axes\.mjs: .* has no scenario as its default export; [^]*at axes/,
  },
  'has-no-control-plane': {
    wrong: { members: 'controlPlane: null' },
    message: /has no scenario as its default export; [^]*at controlPlane/,
  },
  'in-typescript': {
    wrong: {
      extension: 'ts',
      top: 'interface Unneeded {\n  readonly x: number;\n}\nprocess.exit(0);',
    },
    message: /in-typescript\.ts:7:9: a scenario's code calls process\.exit/,
  },
  'rejects-beside': {
    wrong: { plan: 'void Promise.reject(new Error("late"))' },
    message:
      /rejects-beside\.mjs:9:\d+: a scenario's code goes wrong beside the run: a promise was rejected and nobody waits for it: Error: late/,
  },
  'rejects-undefined-beside': {
    wrong: { plan: 'void Promise.reject(undefined)' },
    message:
      /a scenario's code goes wrong beside the run: a promise was rejected and nobody waits for it: undefined/,
  },
  'throws-beside': {
    wrong: { plan: 'setImmediate(() => { throw new Error("later"); })' },
    message:
      /throws-beside\.mjs:9:\d+: a scenario's code goes wrong beside the run: an error that nobody caught: Error: later/,
  },
  'exits-beside': {
    wrong: { plan: 'setImmediate(() => process.exit(0))' },
    message: /exits-beside\.mjs:9:\d+: a scenario's code calls process\.exit\(0\)/,
  },
};

void t.test('code that goes wrong', { timeout: 120_000 }, async (t) => {
  const ended = await mapConcurrently(
    2,
    Object.entries(cases),
    async ([name, { wrong }]) => await run(name, wrong, 60),
  );
  for (const [index, [name, { message }]] of Object.entries(cases).entries()) {
    t.match(ended[index], { code: 2, stderr: message }, name);
    t.notMatch(ended[index]?.stderr, /\n +at .*:\d+/, 'no stack');
  }
  t.same(await readdir(temporary), [], 'no folder is left');
});

const limitS = 3;
const endless = 'for (;;) continue;';
const forever = 'await new Promise(() => undefined);';
const stuck: Readonly<
  Record<string, { readonly wrong: Wrong; readonly code?: number; readonly message: RegExp }>
> = {
  'loops-at-top': {
    wrong: { top: endless },
    message: /loops-at-top\.mjs:4:\d+: its top level of this scenario does not come back/,
  },
  'loops-in-topology': {
    wrong: { top: `const spin = () => { ${endless} };`, topology: 'spin()' },
    message:
      /loops-in-topology\.mjs:8:\d+: topology\(\) of this scenario does not come back: .* last in spin\(\) at .*:4:\d+/,
  },
  'loops-in-intent': {
    wrong: { intent: endless },
    message:
      /loops-in-intent\.mjs:11:\d+: intent\(\) of this scenario does not come back: it has used 3 s of processor time/,
  },
  'loops-in-promises': {
    wrong: { top: 'async function forever() { for (;;) await null; } void forever();' },
    message: /loops-in-promises\.mjs:4:\d+: forever\(\) of this scenario does not come back/,
  },
  'awaits-nothing': {
    wrong: { top: forever },
    message: /awaits-nothing\.mjs: .* awaits something at its top level that nothing which is left/,
  },
  'awaits-beside-a-timer': {
    wrong: { top: `setInterval(() => undefined, 10); ${forever}` },
    code: 3,
    message: /there is no verdict: .* gave no answer in 30 s, and scenario .*awaits-beside/,
  },
};

void t.test('code that does not come back', { timeout: 120_000 }, async (t) => {
  const ended = await mapConcurrently(
    5,
    Object.entries(stuck),
    async ([name, { wrong }]) => await run(name, wrong, limitS),
  );
  for (const [index, [name, { code = 2, message }]] of Object.entries(stuck).entries())
    t.match(ended[index], { code, stderr: message }, name);
});

void t.test(
  'what is sound, and continues beside the run, keeps neither verdict nor program',
  async (t) => {
    t.match(await run('timer-beside', { top: 'setInterval(() => undefined, 10);' }, 60), {
      code: 0,
    });
    t.match(await run('sound', {}, 60), { code: 0 });
  },
);

void t.test('the limit is a number of seconds', async (t) => {
  const ended = new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, 'list', 'antrea/encap'],
      { env: { ...process.env, FLOWBED_SCENARIO_LIMIT_S: 'soon' } },
      (error, _, stderr) => {
        resolve({ code: error?.code, stderr });
      },
    );
  });
  t.match(await ended, {
    code: 2,
    stderr: /FLOWBED_SCENARIO_LIMIT_S: expected a number of seconds, got "soon"/,
  });
});
