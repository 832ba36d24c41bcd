/**
 * What chassis of OVN cost: until all are up and programmed on the sim, on the wall and of
 * processors by who took them, and memory. Prints Markdown. `node dist/bench/ovn/ovn.js [CHASSIS |
 * CHASSIS/GROUP]…`, smaller ones first: `50/10` has a router for each ten chassis in place of one
 * for all; 10 and 50 by default. Memory is that of the daemons, pages that they share counted once,
 * and the most that this process has had.
 */
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { ovn } from '../../harness/control/ovn/index.js';
import type { ClusterPlan } from '../../harness/domain/plan/cluster-plan.js';
import type { OvsSwitches } from '../../harness/testbeds/ovs-switches.js';
import { openSim } from '../../harness/testbeds/sim/sim.js';
import { openImage } from '../../images/images.js';
import { ovnCluster } from '../../topologies/ovn/ovn-cluster.js';
import { ofChildren, ownProcessor, processorOf } from '../cost.js';
import { describeMachine, table } from '../describe-machine.js';
import { inRouterGroups } from './router-groups.js';

const podsPerNode = 4;

/** Seconds until so many chassis are up, on a quiet machine. */
const barsS: Readonly<Record<string, number>> = { '10': 3, '50': 45, '50/10': 30, '100/10': 90 };

const daemonKinds = ['ovn-northd', 'ovn-controllers', 'databases', 'vswitchds'] as const;
type DaemonKind = (typeof daemonKinds)[number];

interface Measured {
  readonly load: number;
  readonly flows: number;
  readonly upS: number;
  readonly downS: number;
  readonly oursS: number;
  readonly daemonsS: Readonly<Record<DaemonKind, number>>;
  readonly memoryBytes: number;
}

const image = await openImage('trixie', console.error);

async function measure(plan: ClusterPlan): Promise<Measured> {
  const load = loadavg()[0] ?? 0;
  const [before, startedMs] = [await ownAndChildren(), performance.now()];
  const switches = await openSim(plan, image);
  const upS = (performance.now() - startedMs) / 1000;
  try {
    const oursS = (await ownAndChildren()) - before;
    const pids = daemonsOf(switches);
    const seconds = daemonKinds.map(
      async (kind) => [kind, await processorsOf(pids[kind])] as const,
    );
    const daemonsS = Object.fromEntries(await Promise.all(seconds)) as Measured['daemonsS'];
    const memoryBytes = await memoryOf(Object.values(pids).flat());
    const flows = flowsIn(switches.compiled ?? plan);
    const closingMs = performance.now();
    await switches.close();
    const downS = (performance.now() - closingMs) / 1000;
    return { load, flows, upS, downS, oursS, daemonsS, memoryBytes };
  } finally {
    await switches.close();
  }
}

function daemonsOf({ daemons, ovnDaemons }: OvsSwitches): Readonly<Record<DaemonKind, number[]>> {
  const ofSwitches = [...daemons.values()];
  const ofOvn = (program: string) =>
    [...(ovnDaemons ?? [])].flatMap(([name, pid]) => (name.startsWith(program) ? [pid] : []));
  return {
    'ovn-northd': ofOvn('ovn-northd'),
    'ovn-controllers': ofOvn('ovn-controller'),
    databases: [...ofOvn('ovsdb-server'), ...ofSwitches.map(({ server }) => server)],
    vswitchds: ofSwitches.map(({ vswitchd }) => vswitchd),
  };
}

/** Seconds of processors: of this process, and of those that it has started and that have ended. */
async function ownAndChildren(): Promise<number> {
  return ownProcessor() + (await ofChildren());
}

async function processorsOf(pids: readonly number[]): Promise<number> {
  return (await Promise.all(pids.map(processorOf))).reduce((sum, one) => sum + one, 0);
}

/** Proportional set size, in bytes (proc_pid_smaps_rollup(5)). */
async function memoryOf(pids: readonly number[]): Promise<number> {
  const rollups = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8')),
  );
  return rollups.reduce(
    (sum, text) => sum + Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024,
    0,
  );
}

function flowsIn({ nodes }: ClusterPlan): number {
  return nodes.flatMap(({ bridges }) => bridges).reduce((sum, { flows }) => sum + flows.length, 0);
}

function planOf(size: string): ClusterPlan {
  const [chassis = 0, group] = size.split('/').map(Number);
  const plan = ovn().plan(ovnCluster({ nodes: chassis, podsPerNode }));
  return group === undefined ? plan : inRouterGroups(plan, group);
}

async function row(size: string): Promise<readonly string[]> {
  const { load, flows, upS, downS, oursS, daemonsS, memoryBytes } = await measure(planOf(size));
  const barS = barsS[size];
  return [
    size,
    load.toFixed(1),
    flows.toLocaleString('en'),
    `${upS.toFixed(2)} s`,
    barS === undefined ? '' : `${barS} s`,
    ...[oursS, ...daemonKinds.map((kind) => daemonsS[kind])].map((one) => `${one.toFixed(2)} s`),
    ...[memoryBytes, process.resourceUsage().maxRSS * 1024].map(
      (bytes) => `${(bytes / 2 ** 30).toFixed(2)} GiB`,
    ),
    `${downS.toFixed(2)} s`,
  ];
}

const sizes = process.argv.length > 2 ? process.argv.slice(2) : ['10', '50'];
const rows: (readonly string[])[] = [];
for (const size of sizes) rows.push(await row(size));
console.log(
  `Measured on ${describeMachine()}. A chassis has ${podsPerNode} pods on a logical switch.\n`,
);
const heads = ['chassis', 'load', 'flows', 'up and programmed', 'bar', 'processors: ours'];
console.log(table([...heads, ...daemonKinds, 'memory: daemons', 'ours', 'down'], rows));
