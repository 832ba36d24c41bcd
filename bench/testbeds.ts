/**
 * What each testbed costs for one cluster, Antrea's with 3 nodes of 3 pods: up and programmed, all
 * vectors of antrea/encap judged, and down. Prints Markdown.
 * `node dist/bench/testbeds.js [BACKEND…]`, all that this machine has by default.
 */
import { openImage } from '../images/images.js';
import encap from '../scenarios/antrea/encap.js';
import { attempt } from '../harness/base/errors/outcome.js';
import { runScenario } from '../harness/run/run-scenario.js';
import type { Backend } from '../harness/testbeds/backend.js';
import { backendNamed, backends } from '../harness/testbeds/registry.js';
import { describeMachine, median, table } from './describe-machine.js';

const axes = { nodes: '3', tunnel: 'geneve' };
const rounds = 3;

interface Round {
  readonly upS: number;
  readonly judgedS: number;
  readonly downS: number;
  readonly verdict: string;
  readonly vectors: number;
}

const image = await openImage('trixie', (line) => console.error(line));
const nowMs = () => performance.now();

async function playOn(backend: Backend): Promise<Round> {
  let [upMs, downMs] = [0, 0];
  const startedMs = nowMs();
  const { report } = await runScenario(encap, axes, {
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

async function rowOf(backend: Backend): Promise<readonly string[]> {
  const played: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const outcome = await attempt(() => playOn(backend));
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

const named = process.argv.slice(2);
const chosen = named.length === 0 ? backends : named.map(backendNamed);
const rows: (readonly string[])[] = [];
for (const backend of chosen) rows.push(await rowOf(backend));
console.log(`Measured on ${describeMachine()}; the median of ${rounds} rounds.\n`);
console.log(table(['testbed', 'up', 'judged', 'down', 'vectors', 'verdict'], rows));
process.exit();
