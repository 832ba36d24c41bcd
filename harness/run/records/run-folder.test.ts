/**
 * Goal: who reads a run's folder gets what the run wrote, or an error that names what was changed:
 * a file that is missing or other bytes, a field of another type, and contents that contradict each
 * other, with bad input and never with our own bug. Method: folders of runs on the model in place
 * of switches; each file, each key and each value is tampered with in turn, as they are and once
 * more with all digests made again, so that what contradicts itself is caught by that alone.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import changes from '../../../scenarios/antrea/changes.js';
import encap from '../../../scenarios/antrea/encap.js';
import { sha256 } from '../../base/files/digest.js';
import { InputError } from '../../base/errors/errors.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Scenario } from '../../domain/scenario.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { Switches } from '../../testbeds/testbed.js';
import { assembleRun } from '../shards/assemble-run.js';
import { sealOf, type RunManifest } from './manifest.js';
import type { Depth } from '../passes.js';
import { readRunFolder } from './read-run-folder.js';
import type { RunRecord } from './run-record.js';
import { writeRunFolder } from './run-folder.js';
import { runScenario } from '../run-scenario.js';

const openReal = (plan: ClusterPlan): Promise<Switches> => {
  const model = openModel(plan);
  return Promise.resolve({
    ...model,
    call: (calls) => model.call(calls, firstCandidateOracle),
    lookups: () => ({ hit: model.traces().length, missed: 0 }),
    assertUndisturbed: () => Promise.resolve(),
  });
};

async function runOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  ids?: readonly string[],
  depth: Depth = 'all',
): Promise<RunRecord> {
  const only =
    ids === undefined ? {} : { only: ({ id }: { readonly id: string }) => ids.includes(id) };
  const played = await runScenario(scenario, axes, {
    seed: 1,
    depth,
    nowMs: () => 0,
    openReal,
    ...only,
  });
  return assembleRun([played], {
    again: './flowbed run',
    seed: 1,
    backend: 'sim',
    image: 'trixie',
    imageDigest: sha256('trixie'),
  });
}

const alone = ['ping/p1/p2', 'tcp/p1/p4'];
const together: Scenario = {
  ...encap,
  vectors: (topology) =>
    encap
      .vectors(topology)
      .filter(({ id }) => alone.includes(id))
      .map((vector) => ({ ...vector, together: 'all' })),
};
const small = await runOf(encap, { nodes: '2', tunnel: 'geneve' }, alone, 'cold');
const logs = [{ name: 'point-1/cluster-1/n1/ovs-vswitchd.log', text: 'a line\n' }];

/** Any JSON, to be tampered with. */
interface Json {
  [key: string]: Json;
}
type Documents = Readonly<Record<'manifest.json' | 'report.json' | 'record.json', Json>>;
const names = ['manifest.json', 'report.json', 'record.json'] as const;

async function documentsIn(folder: string): Promise<Documents> {
  const read = await Promise.all(
    names.map(
      async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8'))] as const,
    ),
  );
  return Object.fromEntries(read) as unknown as Documents;
}

/** Makes all digests of the folder again, as somebody would who wants to be believed. */
async function reseal(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as RunManifest;
  const files: Record<string, string> = {};
  for (const name of Object.keys(manifest.files))
    files[name] = sha256(await readFile(join(folder, name)));
  const content = { ...manifest, files };
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify({ ...content, seal: sealOf(content) }),
  );
}

/** What reading the folder is refused with; undefined where it is taken. */
async function refusal(folder: string): Promise<string | undefined> {
  try {
    await readRunFolder('/nowhere', folder);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

void t.test('what was written is read', async (t) => {
  const root = t.testdir({});
  const cold = await runOf(together, { nodes: '2', tunnel: 'geneve' }, undefined, 'cold');
  const none = await runOf(encap, { nodes: '2', tunnel: 'geneve' }, []);
  t.equal(none.report.verdict, 'inconclusive');
  const runs = [
    small,
    await runOf(changes, { tunnel: 'geneve' }),
    await runOf(together, { nodes: '2', tunnel: 'geneve' }),
    none,
    cold,
  ];
  for (const [index, run] of runs.entries()) {
    t.equal(await writeRunFolder(root, run, logs), `runs/${index + 1}`);
    t.ok(
      JSON.stringify(await readRunFolder(root, String(index + 1))) === JSON.stringify(run),
      `run ${index + 1}, its keys in order`,
    );
  }
  await t.rejects(readRunFolder(root, '9'), {
    name: 'InputError',
    message: /there is no run 9: looked for .*runs\/9; runs are 1, 2, 3, 4, 5/,
  });
});

void t.test('each file, missing, empty, cut off, or with one byte otherwise', async (t) => {
  const root = t.testdir({});
  const whole = join(root, await writeRunFolder(root, small, logs));
  const files = (await readdir(whole, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(whole, join(parentPath, name)));
  t.same(files.sort(), [
    'logs/point-1/cluster-1/n1/ovs-vswitchd.log',
    'manifest.json',
    'record.json',
    'report.json',
  ]);
  for (const file of files) {
    const bytes = await readFile(join(whole, file));
    const middle = Math.floor(bytes.length / 2);
    for (const [how, tampered] of Object.entries({
      missing: undefined,
      empty: Buffer.alloc(0),
      'cut off': bytes.subarray(0, middle),
      otherwise: bytes.with(middle, (bytes[middle] ?? 0) ^ 1),
    })) {
      if (tampered === undefined) await rm(join(whole, file));
      else await writeFile(join(whole, file), tampered);
      t.match(await refusal(whole), new RegExp(`${file}: `), `${file} ${how}`);
    }
    await rm(join(whole, file), { force: true });
    await mkdir(join(whole, file));
    t.match(
      await refusal(whole),
      new RegExp(`${file}: it cannot be read: it is no regular file`),
      `${file} a folder`,
    );
    await rm(join(whole, file), { recursive: true });
    execFileSync('mkfifo', [join(whole, file)]);
    t.match(
      await refusal(whole),
      new RegExp(`${file}: it cannot be read: it is no regular file`),
      `${file} a pipe`,
    );
    await rm(join(whole, file));
    await writeFile(join(whole, file), bytes);
  }
  t.equal(await refusal(whole), undefined, 'put back as it was');
});

/**
 * A field tampered with so that it still is of its type, and the digests made again; and what finds
 * it.
 */
const contradictions: Readonly<
  Record<string, { readonly tamper: (documents: Documents) => void; readonly message: RegExp }>
> = {
  'no scenarios': {
    tamper: ({ 'report.json': report, 'record.json': record }) => {
      Object.assign(report, { scenarios: [] });
      Object.assign(record, { scenarios: [] });
    },
    message: /report\.json: scenarios: there are none/,
  },
  'no scenarios in the record': {
    tamper: ({ 'record.json': record }) => void Object.assign(record, { scenarios: [] }),
    message: /record\.json: scenarios: report\.json has 1, and here are 0/,
  },
  'a vector missing in the record': {
    tamper: ({ 'record.json': record }) => list(record, 'scenarios', 0, 'vectors').pop(),
    message:
      /record\.json: scenarios\[0\]\.vectors\[1\]: report\.json has tcp\/p1\/p4, and here is none/,
  },
  'a vector missing in both': {
    tamper: ({ 'record.json': record, 'report.json': report }) => {
      for (const one of [record, report]) list(one, 'scenarios', 0, 'vectors').pop();
    },
    message:
      /report\.json: scenarios\[0\]\.counts: expected [^]*traceHash: expected [^]*manifest\.json: inputs: /,
  },
  'no vectors': {
    tamper: ({ 'record.json': record, 'report.json': report }) => {
      for (const one of [record, report]) list(one, 'scenarios', 0, 'vectors').splice(0);
    },
    message: /report\.json: scenarios\[0\]\.vectors: there are none, and no reason why/,
  },
  'a vector twice': {
    tamper: ({ 'record.json': record, 'report.json': report }) => {
      for (const one of [record, report])
        list(one, 'scenarios', 0, 'vectors').push(list(one, 'scenarios', 0, 'vectors')[0] as Json);
    },
    message: /report\.json: scenarios\[0\]\.vectors: two are called ping\/p1\/p2/,
  },
  'vectors in another order': {
    tamper: ({ 'record.json': record }) => list(record, 'scenarios', 0, 'vectors').reverse(),
    message:
      /record\.json: scenarios\[0\]\.vectors\[0\]: report\.json has ping\/p1\/p2, and here is tcp/,
  },
  'another trace hash': {
    tamper: ({ 'report.json': report }) =>
      void Object.assign(report, { traceHash: '0'.repeat(64) }),
    message: /report\.json: traceHash: expected "[^0]/,
  },
  'another trace hash of a scenario, and of the run to fit': {
    tamper: ({ 'report.json': report }) => {
      Object.assign(at(report, 'scenarios', 0), { traceHash: '0'.repeat(64) });
      Object.assign(report, { traceHash: sha256('0'.repeat(64)) });
    },
    message: /report\.json: scenarios\[0\]\.traceHash: expected/,
  },
  'another verdict': {
    tamper: ({ 'report.json': report }) => void Object.assign(report, { verdict: 'diverges' }),
    message: /report\.json: verdict: expected "conforms", got "diverges"/,
  },
  'another verdict of a vector': {
    tamper: ({ 'report.json': report }) =>
      void Object.assign(at(report, 'scenarios', 0, 'vectors', 0), { verdict: 'inconclusive' }),
    message:
      /scenarios\[0\]\.vectors\[0\]\.verdict: expected "conforms", got "inconclusive"[^]*scenarios\[0\]\.verdict/,
  },
  'counts that do not add up': {
    tamper: ({ 'report.json': report }) =>
      void Object.assign(at(report, 'counts', 'frames'), { expected: 7 }),
    message: /report\.json: counts: expected/,
  },
  'counts of a vector': {
    tamper: ({ 'report.json': report }) =>
      void Object.assign(at(report, 'scenarios', 0, 'vectors', 1, 'counts', 'frames'), { made: 0 }),
    message: /vectors\[1\]\.verdict: expected "inconclusive"/,
  },
  'more made than expected': {
    tamper: ({ 'report.json': report }) =>
      void Object.assign(at(report, 'scenarios', 0, 'vectors', 1, 'counts', 'frames'), {
        made: 9999,
      }),
    message: /vectors\[1\]\.counts\.frames: .* cannot be/,
  },
  'a frame of the record': {
    tamper: ({ 'record.json': record }) =>
      void Object.assign(
        at(record, 'scenarios', 0, 'vectors', 0, 'real', 'passes', 0, 'frames', 0),
        { frame: '00' },
      ),
    message: /traceHash: expected/,
  },
  'a counter of the record': {
    tamper: ({ 'record.json': record }) =>
      void Object.assign(at(record, 'scenarios', 0, 'vectors', 0, 'real', 'counts', 0), {
        packets: 77,
      }),
    message: /traceHash: expected/,
  },
  'nothing seen': {
    tamper: ({ 'record.json': record }) => {
      delete at(record, 'scenarios', 0, 'vectors', 0)['real'];
    },
    message:
      /record\.json: scenarios\[0\]\.vectors\[0\]: report\.json has a verdict, conforms, and here is nothing/,
  },
  'a stimulus of the record': {
    tamper: ({ 'record.json': record }) =>
      void Object.assign(at(record, 'scenarios', 0, 'vectors', 0, 'vector', 'stimulus'), {
        to: '10.10.1.9',
      }),
    message: /vectors\[0\]\.vector\.stimulus: expected/,
  },
  'the topology': {
    tamper: ({ 'record.json': record }) =>
      void Object.assign(at(record, 'scenarios', 0, 'topology'), { name: 'x' }),
    message: /manifest\.json: inputs: expected/,
  },
  'the plan': {
    tamper: ({ 'record.json': record }) =>
      list(record, 'scenarios', 0, 'plan', 'nodes', 0, 'bridges', 0, 'flows').pop(),
    message: /manifest\.json: inputs: expected/,
  },
  'the seed': {
    tamper: ({ 'manifest.json': manifest }) => void Object.assign(manifest, { seed: 2 }),
    message: /manifest\.json: seed: expected 1, got 2/,
  },
  'the image': {
    tamper: ({ 'report.json': report }) => void Object.assign(report, { image: 'sid' }),
    message: /manifest\.json: image: expected "sid", got "trixie"/,
  },
  'a digest of an input': {
    tamper: ({ 'manifest.json': manifest }) =>
      void Object.assign(at(manifest, 'inputs', 0), { plan: '0'.repeat(64) }),
    message: /manifest\.json: inputs: expected/,
  },
};

function at(document: Json, ...path: readonly (string | number)[]): Json {
  return path.reduce<Json>((value, step) => value[step] ?? {}, document);
}

function list(document: Json, ...path: readonly (string | number)[]): Json[] {
  return at(document, ...path) as unknown as Json[];
}

void t.test('what contradicts itself is reported, though every digest fits', async (t) => {
  const root = t.testdir({});
  const whole = join(root, await writeRunFolder(root, small, logs));
  for (const [how, { tamper, message: expected }] of Object.entries(contradictions)) {
    const folder = join(root, 'tampered');
    await cp(whole, folder, { recursive: true });
    const documents = await documentsIn(folder);
    tamper(documents);
    for (const name of names) await writeFile(join(folder, name), JSON.stringify(documents[name]));
    await reseal(folder);
    const message = await refusal(folder);
    t.match(message, expected, how);
    t.notMatch(message, /it is not what the run wrote/, `${how}: not by a digest`);
    await rm(folder, { recursive: true });
  }
});

void t.test('a digest of what is together is that of its frames', async (t) => {
  const root = t.testdir({});
  const folder = join(
    root,
    await writeRunFolder(root, await runOf(together, { nodes: '2', tunnel: 'geneve' }), []),
  );
  const { 'record.json': record } = await documentsIn(folder);
  Object.assign(at(record, 'scenarios', 0, 'vectors', 1, 'together', 'passes', 0, 'frames', 0), {
    frame: '00',
  });
  await writeFile(join(folder, 'record.json'), JSON.stringify(record));
  await reseal(folder);
  t.match(
    await refusal(folder),
    /record\.json: scenarios\[0\]\.vectors\[1\]\.together\.observed: expected/,
  );
});

/** Where values are, of a list its first item alone: keys and indices that lead there. */
function placesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  const within = Array.isArray(value)
    ? [[0, value[0]] as const].slice(0, value.length)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [
    ...(path.length === 0 ? [] : [path]),
    ...within.flatMap(([step, item]) => placesIn(item, [...path, step])),
  ];
}

const others: readonly unknown[] = [null, 7, 'x', [], {}];

void t.test('each value, left out and replaced by one of each type, is bad input', async (t) => {
  const root = t.testdir({});
  const folder = join(root, await writeRunFolder(root, small, logs));
  const whole = await documentsIn(folder);
  let tried = 0;
  for (const name of names) {
    for (const path of placesIn(whole[name])) {
      const [last = ''] = path.slice(-1);
      for (const other of ['left out', ...others]) {
        const document = structuredClone(whole[name]);
        const within = at(document, ...path.slice(0, -1));
        if (JSON.stringify(within[last]) === JSON.stringify(other)) continue;
        if (other === 'left out') delete within[last];
        else within[last] = other as Json;
        await writeFile(join(folder, name), JSON.stringify(document));
        const message = await refusal(folder);
        tried++;
        if (message?.includes(name) !== true)
          t.match(message, new RegExp(name), `${path.join('.')} as ${JSON.stringify(other)}`);
      }
    }
    await writeFile(join(folder, name), JSON.stringify(whole[name]));
    await reseal(folder);
  }
  t.ok(tried > 1000, `${tried} were tried`);
});

void t.test('of a value of another type the message has the path', async (t) => {
  const root = t.testdir({});
  const folder = join(root, await writeRunFolder(root, small, logs));
  const whole = await documentsIn(folder);
  for (const [name, path, message] of [
    [
      'report.json',
      ['scenarios', 0, 'vectors', 1, 'counts', 'frames', 'made'],
      /report\.json: not as [^]*expected number, received null[^]*scenarios\[0\]\.vectors\[1\]\.counts\.frames\.made/,
    ],
    [
      'record.json',
      ['scenarios', 0, 'plan', 'nodes', 0, 'bridges', 0, 'name'],
      /record\.json: not as [^]*scenarios\[0\]\.plan\.nodes\[0\]\.bridges\[0\]\.name/,
    ],
    ['manifest.json', ['inputs', 0, 'plan'], /manifest\.json: not as [^]*inputs\[0\]\.plan/],
  ] as const) {
    const document = structuredClone(whole[name]);
    Object.assign(at(document, ...path.slice(0, -1)), { [String(path.at(-1))]: null });
    await writeFile(join(folder, name), JSON.stringify(document));
    t.match(await refusal(folder), message);
    await writeFile(join(folder, name), JSON.stringify(whole[name]));
  }
  const outside = { ...whole['manifest.json'], files: { '../secret': sha256('') } };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(outside));
  t.match(await refusal(folder), /files\["\.\.\/secret"\]/);
});
