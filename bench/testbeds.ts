/**
 * What each testbed costs for one cluster, Antrea's with 3 nodes of 3 pods: up and programmed, all
 * vectors of antrea/encap judged, and down; and for a machine that migrates between two nodes of
 * ovn-kubernetes, where OVN's daemons come up and end as well. Behind them the same as whole
 * commands, in worlds, and what mininet needs to start and stop as many switches and hosts, where
 * it is on PATH. Prints Markdown. `node dist/bench/testbeds.js [BACKEND…]`, all that this machine
 * has by default.
 */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openImage } from '../images/images.js';
import { seedVariable } from '../images/uml/fixed-random.js';
import { openKernel } from '../images/uml/kernel.js';
import encap from '../scenarios/antrea/encap.js';
import liveMigration from '../scenarios/ovn-kubernetes/live-migration.js';
import { attempt } from '../harness/base/errors/outcome.js';
import { runScenario } from '../harness/run/run-scenario.js';
import type { Backend } from '../harness/testbeds/backend.js';
import { backendNamed, backends } from '../harness/testbeds/registry.js';
import { runInGuest } from '../harness/worlds/uml/run-in-guest.js';
import { describeMachine, median, table } from './describe-machine.js';
import { scratchFolder } from '../harness/ovs/workspace/workspace.js';

const pairs = { scenario: encap, axes: { nodes: '3', tunnel: 'geneve' }, rounds: 3 };
const migration = {
  scenario: liveMigration,
  axes: { story: 'there-and-back', zones: 'one', nodes: '2', family: 'ipv4' },
  rounds: 1,
};
type Played = typeof pairs | typeof migration;

interface Round {
  readonly upS: number;
  readonly judgedS: number;
  readonly downS: number;
  readonly verdict: string;
  readonly vectors: number;
}

const image = await openImage('trixie', (line) => console.error(line));
const nowMs = () => performance.now();

async function playOn(backend: Backend, { scenario, axes }: Played): Promise<Round> {
  let [upMs, downMs] = [0, 0];
  const startedMs = nowMs();
  const { report } = await runScenario(scenario, axes, {
    seed: 1,
    depth: 'cold',
    nowMs,
    openReal: async (plan) => {
      const switches = await backend.open(plan, image);
      upMs = nowMs() - startedMs;
      return {
        ...switches,
        close: async () => {
          const closingMs = nowMs();
          await switches.close();
          downMs = nowMs() - closingMs;
        },
      };
    },
  });
  const { verdict, vectors } = report;
  const judgedMs = nowMs() - startedMs - upMs - downMs;
  return {
    upS: upMs / 1000,
    judgedS: judgedMs / 1000,
    downS: downMs / 1000,
    verdict,
    vectors: vectors.length,
  };
}

async function rowOf(backend: Backend, what: Played): Promise<readonly string[]> {
  const played: Round[] = [];
  for (let round = 0; round < what.rounds; round++) {
    const outcome = await attempt(() => playOn(backend, what));
    if (outcome.kind !== 'ok') return [backend.name, '', '', '', '', outcome.cause.message];
    played.push(outcome.value);
  }
  const middle = (by: (round: Round) => number) => `${median(played.map(by)).toFixed(2)} s`;
  return [
    backend.name,
    middle(({ upS }) => upS),
    middle(({ judgedS }) => judgedS),
    middle(({ downS }) => downS),
    String(played[0]?.vectors ?? 0),
    [...new Set(played.map(({ verdict }) => verdict))].join(', '),
  ];
}

/** A command as a whole, from its start to its end. */
function wholeRow(name: string, command: string, args: readonly string[]): readonly string[] {
  const startedMs = nowMs();
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const seconds = ((nowMs() - startedMs) / 1000).toFixed(2);
  const why = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
  return [name, '', `${seconds} s, all of it`, '', '', status === 0 ? 'ends well' : why];
}

/** A guest that is entered, and left at once. */
async function worldRow(): Promise<readonly string[]> {
  const kernel = { ...(await openKernel()), seedVariable };
  const folder = await scratchFolder();
  const startedMs = nowMs();
  const code = await runInGuest(
    { command: ['/bin/true'], cwd: '/', variables: {}, shared: [], needed: [] },
    { kernel, seed: 1, folder, onLine: (line) => console.error(line), silenceLimitMs: 60_000 },
  );
  const seconds = ((nowMs() - startedMs) / 1000).toFixed(2);
  await rm(folder, { recursive: true, force: true });
  return ['true(1) in --world uml', '', `${seconds} s, all of it`, '', '', `exit code ${code}`];
}

const launcher = fileURLToPath(new URL('../../flowbed', import.meta.url));
const named = process.argv.slice(2);
const chosen = named.length === 0 ? backends : named.map(backendNamed);
const rows: (readonly string[])[] = [];
const migrations: (readonly string[])[] = [];
for (const backend of chosen) rows.push(await rowOf(backend, pairs));
for (const backend of chosen) migrations.push(await rowOf(backend, migration));
if (named.length === 0)
  rows.push(
    await worldRow(),
    ...['sim', 'netns'].map((backend) =>
      wholeRow(`${backend}, --world uml`, launcher, [
        ...['run', 'antrea/encap', '--passes', 'cold', '--set', 'nodes=3'],
        ...['--world', 'uml', '--backend', backend],
      ]),
    ),
    // Three switches in a row, with three hosts each, started and stopped again: nothing is judged.
    wholeRow('mininet', 'mn', ['--topo', 'linear,3,3', '--controller', 'none', '--test', 'none']),
  );
console.log(`Measured on ${describeMachine()}; the median of ${pairs.rounds} rounds.\n`);
const head = ['testbed', 'up', 'judged', 'down', 'vectors', 'verdict'];
console.log(table(head, rows));
console.log('\nLive migration, one round:\n');
console.log(table(head, migrations));
process.exit();
