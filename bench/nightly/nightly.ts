/**
 * How long nights and searches take (docs/bench.md): `node dist/bench/nightly/nightly.js [matrix]
 * [bisect] [ovs] [shrink] [store] [fleet]`, all of them where none is named. Each prints a row.
 * `fleet=FOLDER` takes durations from that store, and not from what `matrix` recorded.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine, table } from '../describe-machine.js';
import { estimateFleet } from './fleet.js';
import { writeLargeStore } from './large-store.js';
import { flowbedIn, type Measured } from './measure-command.js';
import { bisectFlows, bisectOvs, shrinkPolicies } from './searches.js';
import { scratchFolder } from '../../harness/ovs/workspace/workspace.js';

/** What the five seed systems have, each with the values of axes that run by default. */
const systems = ['antrea/*', 'contrail/*', 'ovn-cni/*', 'ovn-kubernetes/*'];
const scratch = await scratchFolder();

async function matrix(): Promise<readonly Measured[]> {
  await writeFile(join(scratch, 'night.yaml'), JSON.stringify({ scenarios: systems }));
  return [
    {
      what: 'the whole matrix of all five systems, default axes',
      bar: '300 s',
      ...(await flowbedIn(scratch, {
        args: ['nightly', 'night.yaml', '--night', 'bench'],
        line: /^night bench: .*$/m,
      })),
    },
  ];
}

async function store(): Promise<readonly Measured[]> {
  const folder = join(scratch, 'large');
  const { rows, vector, bytes } = await writeLargeStore(folder);
  const size = `${rows.toLocaleString('en')} rows, ${Math.round(bytes / 2 ** 20)} MiB`;
  return [
    {
      what: `history, ${size}`,
      bar: '2 s',
      ...(await flowbedIn(scratch, {
        args: ['history', '--store', folder],
        line: /^since night-58, in night-59: .*$/m,
      })),
    },
    {
      what: `history VECTOR, ${size}`,
      bar: '2 s',
      ...(await flowbedIn(scratch, {
        args: ['history', vector, '--store', folder],
        line: /^.*\btcp\/p0\/p7\b.*$/m,
      })),
    },
  ];
}

const parts = {
  matrix,
  bisect: () => bisectFlows(scratch),
  ovs: () => bisectOvs(scratch),
  shrink: () => shrinkPolicies(scratch),
  store,
} as const;

try {
  const asked = process.argv.slice(2).map((word) => word.split('='));
  const wanted = asked.map(([name = '']) => name);
  const names = [...Object.keys(parts), 'fleet'] as const;
  for (const name of wanted)
    if (!names.includes(name))
      throw new Error(`unknown part "${name}": known are ${names.join(', ')}`);
  const recorded = asked.find(([name]) => name === 'fleet')?.[1] ?? join(scratch, 'history');
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
    console.log(`\n${await estimateFleet(recorded)}`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
