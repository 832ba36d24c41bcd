// Goal: what docs/architecture.md says of the code's shape stays true: imports point one way,
// nothing waits, files are short. Method: read every source of the project; each rule must also
// catch a planted violation.
import t from 'tap';
import { importsOf } from './imports.js';
import { importViolations, roomOf } from './import-violations.js';
import { layers } from './layers.js';
import { findCycle } from './room-circle.js';
import { parse, readSources } from './sources.js';
import { outerTestViolations } from './outer-test-violations.js';
import { importCircles } from './import-circles.js';
import {
  columnsMax,
  complainAboutFiles,
  complainAboutFunctions,
  complainAboutLines,
  functionLinesMax,
  linesMax,
} from './lengths.js';
import { pathViolations, unsafeJoins, allowedPaths } from './path-violations.js';
import { timeViolations, exceptions, usesOfTime } from './time-violations.js';

const sources = await readSources();
const files = sources.map(parse);

void t.test('imports point one way', (t) => {
  const imports = files.flatMap(importsOf);
  t.ok(sources.length > 50, `${sources.length} modules were read`);
  t.ok(imports.length > sources.length, `${imports.length} imports were seen`);
  t.same(importViolations(imports), []);
  t.equal(findCycle(layers), undefined);
  t.same(
    [...new Set(sources.map(({ path }) => roomOf(path)))].filter(
      (room) => layers[room] === undefined,
    ),
    [],
    'each folder has a row',
  );
  const paths = new Set(sources.map(({ path }) => path));
  t.same(
    imports.filter(({ to }) => !paths.has(to)),
    [],
    'each import leads to a file that was read',
  );
  t.end();
});

void t.test('planted imports are caught', (t) => {
  const planted = (path: string, text: string): readonly string[] =>
    importViolations(importsOf(parse({ path, text })));
  t.match(planted('harness/model/a.ts', `\nimport { b } from '../ovs/b.js';`), [
    /^harness\/model\/a\.ts:2: harness\/model must not import harness\/ovs\/b\.ts; it may import harness\/base, /,
  ]);
  t.match(planted('harness/fabric/a.ts', `export * from '../testbeds/testbed.js';`), [
    /harness\/fabric must not/,
  ]);
  t.match(planted('harness/compare/a.ts', `const b = await import('../ovs/b.js');`), [
    /harness\/compare must not/,
  ]);
  t.match(planted('harness/base/a.ts', `let b: import('../domain/b.js').B;`), [
    /harness\/base must not/,
  ]);
  t.match(planted('harness/run/a.ts', `import scenario from '../../scenarios/antrea/encap.js';`), [
    /harness\/run must not/,
  ]);
  t.match(planted('harness/model/a.test.ts', `import { b } from '../ovs/b.js';`), [
    /harness\/model must not/,
  ]);
  t.same(planted('harness/model/a.live.test.ts', `import { b } from '../ovs/b.js';`), []);
  t.match(planted('harness/model/a.live.test.ts', `import { b } from '../run/b.js';`), [
    /harness\/model must not/,
  ]);
  t.match(planted('harness/intent/a.ts', `import { select } from '../kube/select.js';`), [
    /harness\/intent must not/,
  ]);
  t.same(planted('harness/intent/a.ts', `import type { Policy } from '../kube/policy.js';`), []);
  t.match(planted('harness/new/a.ts', `import { b } from '../base/b.js';`), [/no row/]);
  t.equal(findCycle({ a: ['b'], b: ['types of c'], c: ['a'] }), 'a → b → c → a');
  t.end();
});

void t.test('nothing sleeps, reads the clock or draws unseeded random numbers', (t) => {
  t.same(files.flatMap(timeViolations), []);
  const paths = sources.map(({ path }) => path);
  t.same(
    Object.keys(exceptions).filter((path) => !paths.includes(path)),
    [],
    'each exception is a file',
  );
  t.same(
    files
      .filter((file) => file.fileName in exceptions && usesOfTime(file).length === 0)
      .map(({ fileName }) => fileName),
    [],
    'each exception is needed',
  );
  t.end();
});

void t.test('planted waits are caught', (t) => {
  const planted: readonly string[] = [
    'setTimeout(work, 5);',
    'globalThis.setTimeout(work, 5);',
    'setInterval(work, 5);',
    'await sleep(5);',
    'await delay(5);',
    `import { setTimeout as pause } from 'node:timers/promises';`,
    'const now = Date.now();',
    'const now = new Date();',
    'performance.now()',
    'Math.random() < 0.5',
    'process.hrtime.bigint()',
    'Atomics.wait(a, 0, 0, 5);',
  ];
  for (const text of planted)
    t.match(
      timeViolations(parse({ path: 'harness/run/a.ts', text: `\n${text}` }))[0],
      /^harness\/run\/a\.ts:2: /,
      text,
    );
  t.same(
    timeViolations(
      parse({
        path: 'harness/run/a.ts',
        text:
          'const then = new Date(0); // setTimeout(\nconst text = "sleep(5)"; ' +
          'testbed.advance(5);',
      }),
    ),
    [],
  );
  t.end();
});

void t.test('names from outside become paths by one way alone', (t) => {
  t.same(files.flatMap(pathViolations), []);
  const paths = sources.map(({ path }) => path);
  t.same(
    Object.keys(allowedPaths).filter((path) => !paths.includes(path)),
    [],
    'each exception is a file',
  );
  t.same(
    files
      .filter((file) => file.fileName in allowedPaths && unsafeJoins(file).length === 0)
      .map(({ fileName }) => fileName),
    [],
    'each exception is needed',
  );
  t.end();
});

void t.test('planted paths are caught', (t) => {
  const planted = (text: string, path = 'harness/run/a.ts') =>
    pathViolations(
      parse({
        path,
        text:
          `import { join, join as put } from 'node:path'; import path from 'path'; import * ` +
          `as fs from 'node:fs'; import { mkdir } from 'node:fs/promises';\n${text}`,
      }),
    );
  for (const text of [
    'join(dir, port);',
    'join(dir, `${port}.port`);',
    "join(dir, 'a', node.name);",
    "put(dir, 'a' + port);",
    'path.resolve(dir, port);',
    'await mkdir(`${dir}/${node}`);',
    "fs.rmSync(dir + '/' + node);",
    'fs.renameSync(dir, `${dir}/${node}`);',
  ])
    t.match(planted(text), [/^harness\/run\/a\.ts:2: .* becomes a path; take within\(\)/], text);
  for (const text of [
    "join(dir, 'conf.db');",
    'join(root);',
    'join(dir, pathPart(port));',
    'within(dir, port);',
    'await mkdir(within(dir, node));',
    "[a, b].join('/');",
    'await mkdir(dir, `${mode}`);',
    'fs.readFileSync(`/proc/${pid}/stat`);',
    'other.join(dir, port);',
  ])
    t.same(planted(text), [], text);
  t.same(planted('join(dir, port);', 'harness/run/a.test.ts'), []);
  t.end();
});

void t.test('tests can be played again and again', (t) => {
  t.same(files.flatMap(outerTestViolations), []);
  const planted = (text: string, path = 'harness/run/a.test.ts') =>
    outerTestViolations(parse({ path, text: `import t from 'tap';\n${text}` }));
  for (const text of [
    'function f() { t.equal(1, 1); }',
    "t.test('', async () => { t.ok(1); });",
    'f(t);',
    't.testdir({});',
  ])
    t.match(planted(text), [/^harness\/run\/a\.test\.ts:2: .*; use the t of the test/], text);
  for (const text of [
    "t.test('', async (t) => { t.ok(1); f(t); [1].forEach(() => t.ok(1)); });",
    't.teardown(f);',
    'function f(t: Test) { t.ok(1); }',
    'a.t;',
    "import { type Test } from 'tap';",
  ])
    t.same(planted(text), [], text);
  t.same(planted('t.comment(1);', 'harness/run/a.live.test.ts'), []);
  t.end();
});

void t.test('no files import each other', (t) => {
  t.same(importCircles(files.flatMap(importsOf)), []);
  const planted = (...edges: readonly string[]) =>
    importCircles(
      edges.map((edge) => {
        const [from = '', to = ''] = edge;
        return { place: from, from, to, kind: 'type' as const };
      }),
    );
  t.same(planted('ab', 'bc', 'ac'), []);
  t.same(planted('xa', 'bc', 'ca', 'ab', 'ay'), ['a -> b -> c -> a']);
  t.same(planted('ab', 'ba', 'cd', 'dc'), ['a -> b -> a', 'c -> d -> c']);
  t.same(planted('ab', 'bc', 'cd', 'da', 'ba'), ['a -> b -> a, and 2 more files']);
  t.same(planted('aa'), ['a -> a']);
  const file = (path: string, text: string) => importsOf(parse({ path, text }));
  t.same(
    importCircles([
      ...file('harness/model/a.ts', `import type { B } from './b.js';`),
      ...file('harness/model/b.ts', `export { a } from './a.js';`),
    ]),
    ['harness/model/a.ts -> harness/model/b.ts -> harness/model/a.ts'],
    'types count, and re-exports',
  );
  t.end();
});

void t.test(`files have at most ${linesMax} lines`, (t) => {
  t.same(complainAboutFiles(sources), []);
  const text = 'a\n'.repeat(linesMax + 1);
  t.same(complainAboutFiles([{ path: 'a.ts', text }], {}), ['a.ts: 251 lines, of 250']);
  t.same(complainAboutFiles([{ path: 'a.ts', text }], { 'a.ts': 251 }), []);
  t.match(complainAboutFiles([{ path: 'a.ts', text }], { 'a.ts': 252 }), [/251 lines, and .* 252/]);
  t.end();
});

void t.test(`functions have at most ${functionLinesMax} lines`, (t) => {
  t.same(files.flatMap(complainAboutFunctions), []);
  const functions = (path: string, lines: number) =>
    complainAboutFunctions(
      parse({ path, text: `\nconst a = () => {\n${'b();\n'.repeat(lines - 2)}};\n` }),
    );
  t.same(functions('harness/run/a.ts', functionLinesMax), []);
  t.same(functions('harness/run/a.ts', functionLinesMax + 1), [
    'harness/run/a.ts:2: a function of 81 lines, of 80',
  ]);
  t.same(functions('harness/run/a.test.ts', functionLinesMax + 1), [], 'but in tests');
  t.same(functions('harness/run/testkit/a.ts', functionLinesMax + 1), [], 'and in testkits');
  t.end();
});

void t.test(`lines have at most ${columnsMax} columns`, (t) => {
  t.same(files.flatMap(complainAboutLines), []);
  const lines = (text: string) => complainAboutLines(parse({ path: 'a.ts', text }));
  const long = 'x '.repeat(columnsMax);
  t.same(lines(`a;\nb('${long}');\n`), ['a.ts:2']);
  t.same(lines(`a;\n// ${long}\n`), ['a.ts:2']);
  t.same(lines(`a(\`\n${long}y\n\`, /${long}/);\n`), []);
  t.end();
});
