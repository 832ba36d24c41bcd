// Goal: a run's folder that somebody made up, with digests and hashes that fit, is played again or
// explained, or refused with the file and the place: never is it our own bug. Method: folders of
// runs on the model in place of switches, of which values, drawn by a seed, are replaced by ones of
// each type and by ones far out; then all that is derived is made again, and the folder is read,
// played again and explained.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { renderExplanation } from '../../../reports/render-explanation.js';
import changes from '../../../scenarios/antrea/changes.js';
import encap from '../../../scenarios/antrea/encap.js';
import services from '../../../scenarios/antrea/services-antrea-proxy.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { randomFor } from '../../base/random.js';
import { viewOf } from '../../explain/run-view.js';
import { fitted, forge, openReal, runOf, type Documents } from '../../run/records/forged-folder.js';
import { folderFormat, type RunManifest } from '../../run/records/manifest.js';
import { readRunFolder, withRecorded } from '../../run/records/read-run-folder.js';
import { replay } from '../../run/records/replay-record.js';
import { writeRunFolder } from '../../run/records/run-folder.js';
import type { RunRecord } from '../../run/records/run-record.js';

type Place = readonly (string | number)[];

/** Where values are: keys and indices that lead there. */
function placesIn(value: unknown, path: Place = []): readonly Place[] {
  const within = Array.isArray(value)
    ? value.entries()
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [path, ...[...within].flatMap(([step, item]) => placesIn(item, [...path, step]))];
}

const missing = Symbol('missing');
const others: readonly unknown[] = [
  missing,
  null,
  true,
  0,
  -1,
  1.5,
  70000,
  2 ** 53,
  1e300,
  '',
  'x',
  '\u0000',
  '-1',
  'x'.repeat(70000),
  [],
  [null],
  [[]],
  {},
];

/** Puts `other` in the place of the value at `path`; that it was already is no change. */
function replaced(whole: unknown, path: Place, other: unknown): unknown {
  const copy = structuredClone(whole) as Record<string | number, unknown>;
  const within = path
    .slice(0, -1)
    .reduce((value, step) => value[step] as Record<string | number, unknown>, copy);
  const last = path.at(-1) ?? '';
  if (other !== missing) within[last] = other;
  else if (Array.isArray(within)) within.splice(Number(last), 1);
  else delete within[last];
  return copy;
}

/** The result of reading, explaining and replaying the folder, with the words of a refusal. */
async function outcomeOf(folder: string): Promise<string> {
  const place = { root: '/nowhere', run: folder };
  try {
    const { report, scenarios } = await readRunFolder(place.root, folder);
    for (const [index, scenario] of scenarios.entries()) {
      const reported = report.scenarios.slice(index, index + 1);
      const part = { report: { ...report, scenarios: reported }, scenarios: [scenario] };
      const kinds = await withRecorded(place, index, async () => {
        const view = await viewOf(part, 'of all');
        for (const vector of view.scenarios[0]?.vectors ?? []) renderExplanation(vector);
        return (await replay(scenario, report.seed, () => true, openReal)).map(({ kind }) => kind);
      });
      const other = kinds.find((kind) => kind !== 'same');
      if (other !== undefined) return other;
    }
    return 'same';
  } catch (error) {
    if (error instanceof InputError) return `refused: ${error.message}`;
    if (error instanceof Unsupported) return `unsupported: ${error.message}`;
    return `bug: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

/**
 * What can be otherwise and all be the same again: what only people read, and what of a network no
 * packet of these vectors meets.
 */
const withoutEffect = [
  /^scenarios\.\d+\.(topology|plan)\b/,
  /^scenarios\.\d+\.timeline\.\d+\.(what|topology|plan|steps)\b/,
  /^report\./,
  /^manifest\.machine\b/,
];

/** Of each kind all places: kinds are drawn alike, however many places have them. */
function placesByKind(documents: Documents): readonly (readonly Place[])[] {
  const kinds = new Map<string, Place[]>();
  for (const place of placesIn(documents).filter(({ length }) => length > 1)) {
    const kind = place.map((step) => (typeof step === 'number' ? '*' : step)).join('.');
    kinds.set(kind, [...(kinds.get(kind) ?? []), place]);
  }
  return [...kinds.values()];
}

function at(value: unknown, path: Place): unknown {
  return path.reduce<unknown>((found, step) => (found as Record<string, unknown>)[step], value);
}

const seed = Number(process.env['FORGED_SEED'] ?? 1);
const times = Number(process.env['FORGED_TIMES'] ?? 1);

async function hold(t: Test, run: RunRecord, least: number): Promise<void> {
  const tries = least * times;
  const root = t.testdir({});
  const folder = join(root, await writeRunFolder(root, run, []));
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as RunManifest;
  const whole = { manifest: { format: manifest.format, machine: manifest.machine }, ...run };
  await forge(folder, fitted(whole));
  t.equal(await outcomeOf(folder), 'same', 'with nothing changed');
  const random = randomFor(seed, 'forged');
  const kinds = placesByKind(whole);
  const seen = new Map<string, number>();
  for (let tried = 0; tried < tries; tried++) {
    const places = kinds[random.integer(0, kinds.length - 1)] ?? [];
    const place = places[random.integer(0, places.length - 1)] ?? [];
    const other = others[random.integer(0, others.length - 1)];
    if (JSON.stringify(at(whole, place)) === JSON.stringify(other)) continue;
    const changed = replaced(whole, place, other) as Documents;
    await forge(folder, place[0] === 'scenarios' ? fitted(changed) : changed);
    const outcome = await outcomeOf(folder);
    const put = other === missing ? 'missing' : JSON.stringify(other).slice(0, 40);
    const what = `${place.join('.')}: ${put}`;
    const [kind = ''] = outcome.split(':');
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const isAccepted =
      kind === 'same'
        ? withoutEffect.some((kind) => kind.test(place.join('.')))
        : kind === 'different' ||
          /^(refused|unsupported): [^]*(manifest|report|record)\.json: /.test(outcome);
    if (!isAccepted) t.fail(`${what}: ${outcome.slice(0, 2000)}`);
  }
  t.ok((seen.get('refused') ?? 0) > tries / 2, `${JSON.stringify([...seen])} of ${tries}`);
}

void t.test('vectors, one by one', async (t) => {
  const ids = ['ping/p1/p2', 'tcp/p1/p4'];
  await hold(t, await runOf(encap, { nodes: '2', tunnel: 'geneve' }, (id) => ids.includes(id)), 60);
});

void t.test('a timeline', async (t) => {
  await hold(t, await runOf(changes, { tunnel: 'geneve' }), 12);
});

void t.test('Services', async (t) => {
  let left = 3;
  await hold(t, await runOf(services, { tunnel: 'geneve' }, () => left-- > 0), 25);
});

void t.test('what is nested deeper than a program can follow', async (t) => {
  const run = await runOf(encap, { nodes: '2', tunnel: 'geneve' }, (id) => id === 'ping/p1/p2');
  const folder = join(t.testdir({}), 'run');
  await mkdir(folder);
  const manifest = {
    format: folderFormat,
    machine: { node: '', architecture: '', kernel: '' },
  } as const;
  await forge(folder, { manifest, ...run });
  t.equal(await outcomeOf(folder), 'same');
  const record = join(folder, 'record.json');
  const text = await readFile(record, 'utf8');
  const deep = `"topology":{"deep":${'['.repeat(1e5)}${']'.repeat(1e5)},`;
  await writeFile(record, text.replace('"topology":{', deep));
  t.match(await outcomeOf(folder), /^refused: .*record\.json: it is nested deeper/);
});
