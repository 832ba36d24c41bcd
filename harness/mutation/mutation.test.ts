// Goal: mutants are the faults that people make, none of them changes anything until it lives, and survivors are told from justified ones.
// Method: golden lists for small texts; instrumented functions run with each mutant alive; planted imports, survivors and reasons.
import t from 'tap';
import ts from 'typescript';
import { importsOf } from '../tidiness/imports.js';
import { parse } from '../tidiness/sources.js';
import { instrument } from './instrument.js';
import { judgeSurvivors, type Justification } from './justification.js';
import { nameMutants } from './mutant.js';
import { findMutants } from './mutants.js';
import { question } from './question.js';
import { digestsOfTests, sharedModules, testsReaching } from './shared.js';

const path = 'harness/packet/a.ts';

/** The mutants of a text, as they are listed. */
function mutationsOf(text: string): readonly string[] {
  return nameMutants(path, text, findMutants(parse({ path, text }))).map(({ mutation }) => mutation);
}

void t.test('mutants of each kind of syntax', (t) => {
  const expected: readonly (readonly [text: string, ...mutations: readonly string[]])[] = [
    ['f(a < b);', 'f(a < b); removed', 'a < b → true', 'a < b → false', 'a < b → a <= b'],
    ['const x = a - 0xff;', 'a - 0xff → a + 0xff', '0xff → 0x100'],
    ['const x = a >>> 8, y = a >>> 0;', 'a >>> 8 → a << 8', '8 → 9', 'a >>> 0 → a >> 0', '0 → 1'],
    ['f = a - 7 + (b - 7);', 'f = a - 7 + (b - 7); removed', 'a - 7 + (b - 7) → a - 7 - (b - 7)', 'a - 7 → a + 7', '7 → 8', 'b - 7 → b + 7', '7 → 8 (2)'],
    ['const x = ~a & 9n;', '~a & 9n → ~a | 9n', '~a → a', '9n → 10n'],
    ['if (a && !b) c = d;', 'a && !b → false', 'a → true', '!b → true', 'c = d; removed'],
    ['while (a || b) continue;', 'a → false', 'b → false'],
    ['for (let i = a; i < n; i++) break;', 'i < n → false', 'i < n → i <= n', 'i++ → i--'],
    ['const x = !(a || b);', 'a || b → true', 'a → false', 'b → false'],
    ['const x = a ? b : c;', 'a → true', 'a → false'],
    [`const x = a ?? 'b', y = bytes[i] ?? 0;`, `a ?? 'b' → 'b'`, `a ?? 'b' → a`, `'b' → ''`, 'bytes[i] ?? 0 → 0'],
    ['const x = steps[i]?.outputs ?? [];', 'steps[i]?.outputs ?? [] → []'],
    ['const [x = 0] = a?.b.c(d);', 'a?.b.c(d) → a.b.c(d)'],
    ['const x = a.filter(b).length;', 'a.filter(b) → a'],
    ['const x = a?.b.filter(c).length;', 'a?.b.filter(c).length → a.b.filter(c).length'],
    ['const x = a.some(b);', 'a.some(b) → a.every(b)'],
    ['const x = /^a+$/;', '/^a+$/ → /a+$/', '/^a+$/ → /^a+/', '/^a+$/ → /^a$/'],
    ['const x = String.raw`a`;', 'String.raw`a` → \'\''],
    ['const x = `${a + b}`;', '`${a + b}` → \'\'', 'a + b → a - b'],
  ];
  for (const [text, ...mutations] of expected) t.same(mutationsOf(text), mutations, text);
  t.end();
});

void t.test('what is for people, for types or an assertion is left alone', (t) => {
  for (const text of [
    `import { a } from 'b';`, `type A = 'b' | 1;`, `const x = a as 'b';`, `assert(a < 1, 'text');`, 'throw new InputError(`${a} and 1`);', `throw complain(at, 'text');`,
    'class A extends B { constructor() { super(c); } }', `const x = oneOf(a, 'text', b);`, `const told = { summary: 'text', because: a };`, `const x = { 'a': b };`, 'const [first = 0] = a;',
  ]) t.same(mutationsOf(text), [], text);
  t.same(mutationsOf(`throw complain(part(at, 1), 'text');`), ['1 → 2'], 'where it is said to be is no text');
  t.end();
});

void t.test('an instrumented text does what it did, and with a mutant alive what the mutant does', (t) => {
  const text = `
    function f(bytes, end) {
      const seen = [];
      for (let index = 0; index + 1 < end; index += 2) if (bytes[index]?.odd.valueOf()) seen.push(index); else seen.push(-index);
      return seen.filter((each) => each !== 2 && (each < 9 || each > 11)).join();
    }
    f([{ odd: true }, undefined, undefined, undefined, { odd: false }, undefined, { odd: 1 }], 8)`;
  const mutants = findMutants(parse({ path, text }));
  const run = (program: string, living?: number): string => {
    Object.assign(globalThis, { [question]: (mutant: number) => mutant === living });
    try {
      return String((0, eval)(ts.transpile(program)));
    } catch (error) {
      return error instanceof TypeError ? 'throws' : 'is no program';
    }
  };
  const instrumented = instrument(text, mutants, 0);
  t.equal(run(instrumented), '0,-2,-4,6');
  t.ok(mutants.length > 25, `${mutants.length} mutants`);
  const names = nameMutants(path, text, mutants);
  mutants.forEach((mutant, number) => {
    const mutation = names[number]?.mutation ?? '';
    // It would never end.
    if (mutation === 'index += 2 → index -= 2') return;
    t.equal(run(instrumented, number), run(`${text.slice(0, mutant.start)}${mutant.replacement === undefined ? ';' : `(${mutant.replacement})`}${text.slice(mutant.end)}`), mutation);
  });
  t.end();
});

void t.test('shared modules and the tests that reach them', (t) => {
  const imports = [
    ['harness/model/model.ts', `import { a } from '../packet/both.js'; import { b } from '../packet/one.js'; import type { C } from '../packet/type.js'; import { e } from './own.js';`],
    ['harness/testbeds/sim/sim.ts', `import { a } from '../../openflow/through.js'; import type { C } from '../../packet/type.js';`],
    ['harness/openflow/through.ts', `export * from '../packet/both.js';`],
    ['harness/fabric/host.ts', `import { d } from '../packet/common.js';`],
    ['harness/compare/frames.ts', `import { e } from '../model/own.js';`],
    ['harness/packet/packet.test.ts', `import { a } from './both.js';`],
    ['harness/base/early.test.ts', `import { a } from '../openflow/through.js';`],
    ['harness/packet/packet.live.test.ts', `import { a } from './both.js';`],
    ['harness/packet/other.test.ts', `import type { a } from './both.js';`],
  ].flatMap(([from = '', text = '']) => importsOf(parse({ path: from, text })));
  t.same(sharedModules(imports), ['harness/compare/frames.ts', 'harness/fabric/host.ts', 'harness/packet/both.ts', 'harness/packet/common.ts']);
  t.same(testsReaching('harness/packet/both.ts', imports), ['harness/packet/packet.test.ts', 'harness/base/early.test.ts'], 'those beside it first');
  t.end();
});

void t.test('what a test says holds until something changes that it loads', (t) => {
  const project = (texts: Readonly<Record<string, string>>) => Object.entries({ 'a.test.ts': `import './b.js';`, 'b.ts': `import './c.js';`, 'c.ts': '', 'd.test.ts': `import type { C } from './c.js';`, ...texts }).map(([path, text]) => ({ path, text }));
  const digests = (texts: Readonly<Record<string, string>>, surroundings = 'v20') => {
    const sources = project(texts);
    return digestsOfTests(sources, sources.map(parse).flatMap(importsOf), [{ path: 'node', text: surroundings }]);
  };
  const before = digests({});
  t.same([...before.keys()], ['a.test.ts', 'd.test.ts']);
  t.same(digests({ 'e.ts': 'f();' }), before);
  const after = digests({ 'c.ts': 'f();' });
  t.not(after.get('a.test.ts'), before.get('a.test.ts'));
  t.equal(after.get('d.test.ts'), before.get('d.test.ts'), 'it loads types alone');
  t.not(digests({}, 'v22').get('d.test.ts'), before.get('d.test.ts'));
  t.end();
});

void t.test('survivors and reasons', (t) => {
  const survivor = (mutation: string) => ({ file: path, lineNumber: 7, line: 'if (a < 1) b();', mutation });
  const reason: Justification = { file: path, line: 'if (a < 1) b();', mutations: ['1 → 2'], why: 'a is never 1' };
  t.match(judgeSurvivors([survivor('1 → 2'), survivor('a < 1 → true')], [reason]), { justified: [{ survivor: { mutation: '1 → 2' } }], unverified: [{ mutation: 'a < 1 → true' }], stale: [] });
  t.match(judgeSurvivors([survivor('1 → 2')], [{ ...reason, mutations: ['1 → 2', 'a < 1 → true'] }]), { unverified: [], stale: [{ mutations: ['a < 1 → true'] }] }, 'a mutant that is killed today');
  t.match(judgeSurvivors([{ ...survivor('1 → 2'), line: 'if (a < 1) c();' }], [reason]), { unverified: [{ mutation: '1 → 2' }], stale: [{ mutations: ['1 → 2'] }] }, 'a line that has changed');
  t.match(judgeSurvivors([survivor('1 → 2')], [{ ...reason, line: 'a < 1' }]), { unverified: [], stale: [] }, 'a part of the line will do');
  t.end();
});
