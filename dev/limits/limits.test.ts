// Goal: docs/limits.md lists what the code refuses, in the code's own words. Method: render it
// again; collect from planted sources, where a message comes by a parameter, a constant or a
// condition.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readSources } from '../tidiness/sources.js';
import { collectFields } from './collect-fields.js';
import { collectNotCompared } from './collect-not-compared.js';
import { collectRefusals } from './collect-refusals.js';
import { renderLimits } from './render-limits.js';

void t.test('docs/limits.md is up to date', async (t) => {
  const page = await readFile(
    fileURLToPath(new URL('../../../docs/limits.md', import.meta.url)),
    'utf8',
  );
  const sources = await readSources();
  t.equal(renderLimits(page, sources), page, 'if a refusal was meant to change: npm run limits');
  const planted = { path: 'harness/model/a.ts', text: "throw new Unsupported('no such thing');" };
  t.match(
    renderLimits(page, [...sources, planted]),
    /- no such thing \(\[a\.ts\]/,
    'a new refusal is a new line',
  );
});

const refusalsIn = (...texts: readonly string[]) =>
  collectRefusals(texts.map((text, index) => ({ path: `harness/${index}.ts`, text }))).map(
    ({ message }) => message,
  );

void t.test('a message', async (t) => {
  t.same(refusalsIn("throw new Unsupported('the model ' + `reads no ${field} here`);"), [
    'the model reads no … here',
  ]);
  t.same(
    refusalsIn(
      'export const start = "nobody knows";',
      'throw new Unpredictable(`${start} what comes`);',
    ),
    ['nobody knows what comes'],
    'by a constant of another file',
  );
  t.same(
    refusalsIn(
      'const refuse = (what: string): never => { throw new Unsupported(`not known is ${what}`); };',
      "refuse('a'); refuse(`b=${value}`);",
    ),
    ['not known is a', 'not known is b=…'],
    'by a parameter, call by call',
  );
  t.same(refusalsIn("throw new Unsupported(is ? 'one of them' : 'none of them');"), [
    'one of them or none of them',
  ]);
  t.same(refusalsIn('throw new Unsupported(message);', "new InputError('not of these')"), []);
  t.same(refusalsIn("x(new Unsupported('twice in it')); y(new Unsupported('twice in it'));"), [
    'twice in it',
  ]);
});

void t.test('fields of manifests, and what is not compared', async (t) => {
  const text =
    "const podSchema = struct({ spec: struct({ a: only('b'), c: z.array().max(0, ''), " +
    "...unused('d', 'e') }) });";
  t.same(collectFields([{ path: 'a.ts', text }]), [
    { object: 'Pod', path: 'spec.a', only: 'b' },
    { object: 'Pod', path: 'spec.c', only: 'an empty list' },
  ]);
  t.same(collectNotCompared({ path: 'a.ts', text: "f({ what: `a ${n}`, why: 'b' }, { why })" }), [
    { what: 'a …', why: 'b' },
  ]);
});
