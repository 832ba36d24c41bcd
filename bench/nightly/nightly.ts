/**
 * How long nights and searches take (docs/bench.md): `node dist/bench/nightly/nightly.js [matrix]
 * [bisect] [shrink] [store] [fleet]`, all of them where none is named. Each prints a row.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { within } from '../../harness/base/files/path-part.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import type { Network } from '../../harness/kube/objects.js';
import truthTable from '../../scenarios/antrea/truth-table.js';
import { describeMachine, table } from '../describe-machine.js';
import { writeLargeStore } from './large-store.js';
import { estimateFleet } from './fleet.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = join(root, 'dist/harness/cli/main.js');
/** What the five seed systems have, each with the values of axes that run by default. */
const systems = ['antrea/*', 'contrail/*', 'ovn-cni/*', 'ovn-kubernetes/*'];

interface Measured {
  readonly what: string;
  readonly wallS: number;
  /** Of all processes that it started. */
  readonly processorS: number;
  readonly bar: string;
  readonly came: string;
}

const scratch = await mkdtemp(join(tmpdir(), 'flowbed-bench-'));

async function flowbed(args: readonly string[]): Promise<Omit<Measured, 'what' | 'bar'>> {
  const began = performance.now();
  const timed = join(scratch, 'times');
  const { stdout } = await promisify(execFile)(
    'bash',
    [
      ...['-c', 'TIMEFORMAT="%U %S"; { time "$@" 2>/dev/null; } 2>"$TIMES"', 'bash'],
      ...[process.execPath, main, ...args],
    ],
    { cwd: scratch, maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: '1', TIMES: timed } },
  ).catch((error: unknown) => error as { readonly stdout: string });
  const [user = NaN, system = NaN] = (await readFile(timed, 'utf8'))
    .trim()
    .split(/\s+/)
    .map(Number);
  const lines = stdout.trim().split('\n');
  return {
    wallS: (performance.now() - began) / 1000,
    processorS: user + system,
    came: lines.find((line) => /^night|→|first bad|vectors/.test(line)) ?? lines.at(-1) ?? '',
  };
}

async function matrix(): Promise<readonly Measured[]> {
  await writeFile(join(scratch, 'night.yaml'), JSON.stringify({ scenarios: systems }));
  return [
    {
      what: 'the whole matrix of all five systems, default axes',
      bar: '300 s',
      ...(await flowbed(['nightly', 'night.yaml', '--night', 'bench'])),
    },
  ];
}

/** 64 commits of a user's flows, of which the 41st keeps a pod from another. */
async function bisect(): Promise<readonly Measured[]> {
  const repository = join(scratch, 'user');
  await mkdir(repository);
  const git = (...args: readonly string[]) =>
    promisify(execFile)('git', [
      ...['-C', repository, '-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...args],
    ]);
  await git('init', '-q');
  const wall = await readFile(join(root, 'docs/scenarios.md'), 'utf8');
  for (const name of ['network.yaml', 'wall.flows', 'wall.ts'])
    await writeFile(within(repository, name), blockNamed(wall, name));
  const flows = blockNamed(wall, 'wall.flows');
  for (let number = 0; number <= 64; number++) {
    const planted =
      number >= 41 ? 'priority=200,ip,nw_src=10.10.1.2,nw_dst=10.10.1.3 actions=drop\n' : '';
    await writeFile(join(repository, 'wall.flows'), `${flows}${planted}# change ${number}\n`);
    await git('add', '-A');
    await git('commit', '-q', '-m', `change ${number}`);
  }
  return [
    {
      what: 'bisect over 64 commits',
      bar: '120 s',
      ...(await flowbed([
        ...['bisect', 'ping/p1/p2', '--scenario', 'wall.ts', '--repo', repository],
        ...['--good', 'HEAD~64', '--bad', 'HEAD'],
      ])),
    },
  ];
}

/** How the blocks of the page begin that hold these files. */
const beginnings: Readonly<Record<string, string>> = {
  'network.yaml': '# yaml-language-server',
  'wall.flows': '# br-int',
  'wall.ts': 'import { readFileSync }',
};

/** What a page has in a block for a file. */
function blockNamed(page: string, name: string): string {
  const blocks = [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const found = blocks.find((text) => text.startsWith(beginnings[name] ?? name));
  if (found === undefined) throw new Error(`docs/scenarios.md has no ${name}`);
  return found;
}

/** A control plane that forgets the policies of a namespace, in 50 pods under 200 policies. */
const forgetful = `import original from 'flowbed/scenarios/antrea/truth-table';
const { controlPlane } = original;
const kept = ({ metadata }) => metadata.namespace !== 'lab';
const without = (cluster) => ({
  ...cluster,
  objects: {
    ...cluster.objects,
    networkPolicies: cluster.objects.networkPolicies.filter(kept),
  },
});
export default {
  ...original,
  name: 'bench/forgetful',
  controlPlane: {
    ...controlPlane,
    plan: (cluster, before) => controlPlane.plan(without(cluster), before),
  },
};
`;

const axes = { pods: '50', policies: '1', change: '0' } as const;

async function shrink(): Promise<readonly Measured[]> {
  await writeFile(join(scratch, 'forgetful.ts'), forgetful);
  const set = ['--set', 'pods=50,policies=1,change=0'];
  const vector = divergingVector();
  return [
    {
      what: `shrink ${vector} of 50 pods and 200 policies`,
      bar: '60 s',
      ...(await flowbed([
        ...['shrink', vector, '--scenario', 'forgetful.ts', ...set, '--out', 'small'],
      ])),
    },
  ];
}

/** The first whose promise is another without the policies that are forgotten. */
function divergingVector(): string {
  const { intent, controlPlane, topology, vectors } = truthTable;
  const network: Network = topology(axes);
  const kindOf = (cluster: Network, stimulus: Stimulus) =>
    intent(cluster, stimulus, controlPlane.promises).kind;
  const forgetting = withoutLab(network);
  const found = vectors(network).find(
    ({ id, stimulus }) =>
      id.startsWith('tcp-') && kindOf(network, stimulus) !== kindOf(forgetting, stimulus),
  );
  if (found === undefined) throw new Error('no promise depends on the policies of lab');
  return found.id;
}

function withoutLab(cluster: Network): Network {
  const { objects } = cluster;
  if (objects === undefined) return cluster;
  const networkPolicies = objects.networkPolicies.filter(
    ({ metadata }) => metadata.namespace !== 'lab',
  );
  return { ...cluster, objects: { ...objects, networkPolicies } };
}

async function store(): Promise<readonly Measured[]> {
  const folder = join(scratch, 'large');
  const { rows, vector, bytes } = await writeLargeStore(folder);
  const size = `${rows.toLocaleString('en')} rows, ${Math.round(bytes / 2 ** 20)} MiB`;
  return [
    {
      what: `history, ${size}`,
      bar: '2 s',
      ...(await flowbed(['history', '--store', folder])),
    },
    {
      what: `history VECTOR, ${size}`,
      bar: '2 s',
      ...(await flowbed(['history', vector, '--store', folder])),
    },
  ];
}

const parts = { matrix, bisect, shrink, store } as const;

try {
  const wanted = process.argv.slice(2);
  const names = [...Object.keys(parts), 'fleet'] as const;
  for (const name of wanted)
    if (!names.includes(name))
      throw new Error(`unknown part "${name}": known are ${names.join(', ')}`);
  console.log(`Measured on ${describeMachine()}.\n`);
  const measured: Measured[] = [];
  for (const [name, measure] of Object.entries(parts))
    if (wanted.length === 0 || wanted.includes(name)) measured.push(...(await measure()));
  if (measured.length > 0)
    console.log(
      table(
        ['what', 'wall', 'of processors', 'bar', 'result'],
        measured.map(({ what, wallS, processorS, bar, came }) => [
          ...[what, `${wallS.toFixed(1)} s`, `${processorS.toFixed(1)} s`, bar, came.trim()],
        ]),
      ),
    );
  if (wanted.length === 0 || wanted.includes('fleet'))
    console.log(`\n${await estimateFleet(join(scratch, 'history'))}`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
