/**
 * What the sim testbed costs: nodes up, programmed and torn down; memory a node; frames a second
 * through the switches alone and with the model beside them; what the launcher adds to a command.
 * Prints Markdown. `node dist/bench/sim.js`; with numbers of nodes, what these cost alone: 200, 400
 * and 1000 have bars, which are printed beside. Ours are seconds of this process, planning
 * included, and of what it starts and waits for; memory in all is that of the daemons, and the most
 * that this process has had.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openImage } from '../images/images.js';
import { antrea } from '../harness/control/antrea/index.js';
import { encodeEthernet, etherTypes } from '../harness/packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../harness/packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../harness/packet/protocols/transport/udp.js';
import type { ClusterPlan } from '../harness/domain/plan/cluster-plan.js';
import { openModel } from '../harness/testbeds/model/model-testbed.js';
import type { Testbed } from '../harness/testbeds/testbed.js';
import { openSim } from '../harness/testbeds/sim/sim.js';
import { type OvsSwitches } from '../harness/testbeds/ovs-switches.js';
import { antreaCluster } from '../topologies/antrea/antrea-cluster.js';
import { ofChildren, ownProcessor, processorOf } from './cost.js';
import { describeMachine, median, table } from './describe-machine.js';

const podsPerNode = 3;
const rounds = 3;
const launches = 9;

/** Seconds until so many nodes are up, programmed and verified, on a quiet machine. */
const barsS: Readonly<Record<number, number>> = { 200: 20, 400: 75, 1000: 480 };

function planOf(nodes: number): ClusterPlan {
  return antrea('0.8').plan(antreaCluster({ nodes, podsPerNode, tunnel: 'geneve' }));
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

/**
 * Proportional set size of both daemons of every node, in bytes: pages that nodes share are counted
 * once.
 */
async function memoryOf(sim: OvsSwitches): Promise<number> {
  const pids = [...sim.daemons.values()].flatMap(({ vswitchd, server }) => [vswitchd, server]);
  const sizes = await Promise.all(
    pids.map(
      async (pid) =>
        Number(
          /^Pss:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0,
        ) * 1024,
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function scale(counts: readonly number[]): Promise<string> {
  const image = await openImage('trixie', console.error);
  const rows: string[][] = [];
  for (const nodes of counts) {
    const [up, down, each, inAll]: [number[], number[], number[], number[]] = [[], [], [], []];
    const [ours, vswitchds, servers]: [number[], number[], number[]] = [[], [], []];
    let flows = 0;
    for (let round = 0; round < (nodes < 200 ? rounds : 1); round++) {
      const before = await ownAndChildren();
      const plan = planOf(nodes);
      const opened = await timed(() => openSim(plan, image));
      ours.push((await ownAndChildren()) - before);
      const daemons = [...opened.value.daemons.values()];
      vswitchds.push(await processorsOf(daemons.map(({ vswitchd }) => vswitchd)));
      servers.push(await processorsOf(daemons.map(({ server }) => server)));
      up.push(opened.ms);
      const memory = await memoryOf(opened.value);
      each.push(memory / nodes);
      inAll.push(memory + process.resourceUsage().maxRSS * 1024);
      down.push((await timed(() => opened.value.close())).ms);
      flows = flowsIn(plan);
    }
    const ratio = median(ours.map((own, round) => own / (vswitchds[round] ?? 0)));
    rows.push([
      nodes.toLocaleString('en'),
      flows.toLocaleString('en'),
      seconds(median(up)) + (barsS[nodes] === undefined ? '' : ` (bar ${barsS[nodes]} s)`),
      seconds(median(down)),
      ...[ours, vswitchds].map((one) => `${median(one).toFixed(2)} s`),
      ratio.toFixed(2),
      `${median(servers).toFixed(2)} s`,
      `${(median(each) / 2 ** 20).toFixed(1)} MiB`,
      `${(median(inAll) / 2 ** 30).toFixed(2)} GiB`,
    ]);
  }
  const heads = ['nodes', 'flows', 'up and programmed', 'down'];
  const processors = ['processors: ours', 'vswitchds', 'ratio', 'ovsdb-servers'];
  return table([...heads, ...processors, 'memory a node', 'memory in all'], rows);
}

function flowsIn({ nodes }: ClusterPlan): number {
  return nodes.reduce(
    (sum, { bridges }) => sum + bridges.reduce((total, bridge) => total + bridge.flows.length, 0),
    0,
  );
}

/** Seconds of processors: of this process, and of those that it has started and that have ended. */
async function ownAndChildren(): Promise<number> {
  return ownProcessor() + (await ofChildren());
}

async function processorsOf(pids: readonly number[]): Promise<number> {
  return (await Promise.all(pids.map(processorOf))).reduce((sum, one) => sum + one, 0);
}

/**
 * A UDP datagram from the first pod to the second, on one node: an entry of the datapath's cache
 * from the second on.
 */
function datagram(sequence: number): Uint8Array {
  const addresses = { src: '10.10.1.2', dst: '10.10.1.3' };
  const udp = encodeUdp({ srcPort: 40000, dstPort: 9 }, new Uint8Array(64), addresses);
  const ip = encodeIpv4(
    { ...addresses, protocol: ipProtocols.udp, ttl: 64, identification: sequence & 0xffff },
    udp,
  );
  return encodeEthernet(
    { src: '0a:00:0a:0a:01:02', dst: '0a:00:0a:0a:01:03', etherType: etherTypes.ipv4 },
    ip,
  );
}

async function throughput(): Promise<string> {
  const image = await openImage('trixie', console.error);
  const plan = planOf(1);
  const port = plan.nodes[0]?.bridges[0]?.ports.find(({ kind }) => kind === 'endpoint')?.name ?? '';
  const model = openModel(plan);
  const sim = await openSim(plan, image);
  /** Frames a second, each with the switch's output held against the model's where there is one. */
  const rate = async (batch: number, total: number, beside?: Testbed): Promise<number> => {
    await beside?.reset();
    const { ms } = await timed(async () => {
      for (let sent = 0; sent < total; sent += batch) {
        const calls = [
          {
            kind: 'receive' as const,
            node: 'n1',
            port,
            frames: Array.from({ length: batch }, (_, index) => datagram(sent + index)),
          },
        ];
        const [step] = await sim.call(calls);
        const predicted = await beside?.call(calls);
        const frames = step?.outputs ?? [];
        if (frames.length !== batch) throw new Error(`${batch} frames in, ${frames.length} out`);
        if (
          predicted?.[0]?.outputs.some(
            ({ frame }, index) =>
              Buffer.compare(frame, frames[index]?.frame ?? new Uint8Array()) !== 0,
          ) === true
        )
          throw new Error('the model predicts another frame');
      }
    });
    return total / (ms / 1000);
  };
  try {
    const rows: string[][] = [];
    for (const [name, batch, total] of [
      ['one at a time', 1, 1000],
      ['64 at a time', 64, 6400],
      ['640 at a time', 640, 12800],
    ] as const) {
      const [alone, judged]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        alone.push(await rate(batch, total));
        judged.push(await rate(batch, total, model));
      }
      rows.push([
        name,
        String(total),
        thousands(median(alone)),
        thousands(median(judged)),
        `${(median(judged) / median(alone)).toFixed(2)}`,
      ]);
    }
    return table(
      ['frames in a call', 'frames', 'frames a second', 'judged a second', 'ratio'],
      rows,
    );
  } finally {
    await sim.close();
  }
}

/** The same command by the launcher, which looks whether all is built, and by node itself. */
async function launcher(): Promise<string> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const program = join(root, 'dist/bundle/main.js');
  const run = async (file: string, args: readonly string[]) =>
    (await timed(() => promisify(execFile)(file, args, { cwd: root }))).ms;
  const [itself, launched]: [number[], number[]] = [[], []];
  for (let round = 0; round < launches; round++) {
    itself.push(await run(process.execPath, [program, 'list']));
    launched.push(await run(join(root, 'flowbed'), ['list']));
  }
  const [node, whole] = [median(itself), median(launched)];
  return table(
    ['`flowbed list`', 'ms', 'ratio'],
    [
      ['by node', node.toFixed(0), '1.00'],
      ['by the launcher', whole.toFixed(0), (whole / node).toFixed(2)],
    ],
  );
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

const wanted = process.argv.slice(2).map(Number);
console.log(
  `Measured on ${describeMachine()}; the median of ${rounds} rounds. A node is one ` +
    `ovsdb-server and one ovs-vswitchd with ${podsPerNode} pods, Antrea's pipeline on br-int.\n`,
);
console.log(await scale(wanted.length > 0 ? wanted : [2, 10, 50]));
if (wanted.length === 0) {
  console.log(`\n${await throughput()}`);
  console.log(`\n${await launcher()}`);
}
