/**
 * What the reference model costs, on one node of a busy Antrea cluster: packets a second beside
 * `ofproto/trace` and beside the slow path of the same switch, which must give the very frames that
 * the model gives; flows that come and go; memory. Prints Markdown. `node dist/bench/model.js
 * [FLOWS/PARTS…]`, 1000/100 and 100000/10000 by default: flows, and those of them that are parts
 * of conjunctions.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Unavailable } from '../harness/base/errors/errors.js';
import { randomFor } from '../harness/base/random.js';
import { antrea } from '../harness/control/antrea/index.js';
import { insert, remove, rulesOf } from '../harness/model/tables/flow-tables.js';
import type { ModelNode } from '../harness/model/model-node.js';
import { resetNode } from '../harness/model/reset-node.js';
import { buildNode } from '../harness/model/build-node.js';
import { receiveFrame } from '../harness/model/receive-frame.js';
import type { NodePlan } from '../harness/domain/plan/cluster-plan.js';
import { connectUnixctl } from '../harness/ovs/unixctl.js';
import { openSim } from '../harness/testbeds/sim/sim.js';
import type { OvsSwitches } from '../harness/testbeds/ovs-switches.js';
import { openImage } from '../images/images.js';
import { antreaCluster } from '../topologies/antrea/antrea-cluster.js';
import { busyNode, type NodeSize } from './busy-node.js';
import { packetsOf, type Traffic, type SentFrame } from './busy-traffic.js';
import { describeMachine, median, table } from './describe-machine.js';

const rounds = 3;
/** Until the code that runs is the one that was optimized. */
const warmingRounds = 5;
const packetsARound = 6000;
/**
 * The model is over with one of them before it has had to clean up behind itself: it is timed with
 * several.
 */
const roundsInARow = 5;
const nodesAtOnce = 1000;
const nodesACluster = 10;
const changes = 10_000;
/** Commands that a client of the switch's socket asks for before it waits for answers. */
const inFlight = 16;

/**
 * Seconds that a piece of work took: on the wall, and of the processor for who did it, and for both
 * who did it and who asked.
 */
interface Cost {
  readonly wall: number;
  readonly processor: number;
  readonly both: number;
}

/**
 * What others have left is removed first. @param other who does it, where that is not
 * this process itself.
 */
async function cost(
  work: () => Promise<void> | void,
  other: () => Promise<number> = () => Promise.resolve(0),
): Promise<Cost> {
  collect();
  const now = async () => ({
    wall: performance.now() / 1000,
    own: ownProcessor(),
    other: await other(),
  });
  const before = await now();
  await work();
  const after = await now();
  const [own, others] = [after.own - before.own, after.other - before.other];
  return {
    wall: after.wall - before.wall,
    processor: others === 0 ? own : others,
    both: own + others,
  };
}

function sum(costs: readonly Cost[]): Cost {
  const total = (by: keyof Cost) => costs.reduce((seconds, one) => seconds + one[by], 0);
  return { wall: total('wall'), processor: total('processor'), both: total('both') };
}

function ownProcessor(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** proc_pid_stat(5): utime and stime, in hundredths of a second. */
async function processorOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The same packets through the model, the real switch's slow path, and its ofproto/trace. */
async function rates(size: NodeSize, traffic: Traffic): Promise<readonly string[]> {
  const plan = busyNode(size);
  const turns = packetsOf(plan, packetsARound, traffic);
  const packets = turns.flat();
  const model = buildNode(plan);
  const sim = await openSim({ nodes: [plan] }, await openImage('trixie', console.error));
  const found = { model: [] as Cost[], slow: [] as Cost[], one: [] as Cost[], many: [] as Cost[] };
  try {
    const { vswitchd } = sim.daemons.get(plan.node) ?? { vswitchd: process.pid };
    const switching = () => processorOf(vswitchd);
    const unixctl = await connectUnixctl(join(sim.dir, plan.node, 'ovs-vswitchd.ctl'), {
      name: 'ovs-vswitchd',
      whyEnded: () => Promise.resolve(new Unavailable('ovs-vswitchd has ended')),
    });
    const ports = new Map(
      plan.bridges.flatMap((bridge) =>
        bridge.ports.map(({ name, ofport }) => [name, ofport] as const),
      ),
    );
    await unixctl.call('upcall/disable-megaflows'); // or else one packet would answer for many
    const trace = async ({ port, frame }: SentFrame) =>
      void (await unixctl.call(
        'ofproto/trace',
        'br-int',
        `in_port=${ports.get(port)}`,
        Buffer.from(frame).toString('hex'),
      ));
    for (let round = 0; round < warmingRounds; round++) throughModel(model, packets);
    for (let round = 0; round < rounds; round++) {
      found.model.push(
        await cost(() => {
          for (let time = 0; time < roundsInARow; time++) throughModel(model, packets);
        }),
      );
      await sim.reset();
      const { hit, missed } = sim.lookups();
      const frames: SentFrame[] = [];
      const ofTurns: Cost[] = [];
      for (const packets of turns) {
        await unixctl.call('revalidator/purge'); // what is kept of a turn would answer for the next
        ofTurns.push(
          await cost(async () => {
            frames.push(...(await throughSwitch(sim, plan.node, packets)));
          }, switching),
        );
      }
      found.slow.push(sum(ofTurns));
      if (sim.lookups().hit > hit || sim.lookups().missed - missed < packets.length)
        throw new Error('the cache has answered');
      if (textOf(frames) !== textOf(throughModel(model, packets)))
        throw new Error('model and switch differ');
      found.one.push(
        await cost(async () => {
          for (const packet of packets) await trace(packet);
        }, switching),
      );
      found.many.push(
        await cost(async () => {
          for (let at = 0; at < packets.length; at += inFlight)
            await Promise.all(packets.slice(at, at + inFlight).map(trace));
        }, switching),
      );
    }
    unixctl.close();
  } finally {
    await sim.close();
  }
  const rate = (costs: readonly Cost[], by: keyof Cost) =>
    packets.length / median(costs.map((one) => one[by]));
  const ofModel = (by: keyof Cost) => roundsInARow * rate(found.model, by);
  const beside = (costs: readonly Cost[], by: keyof Cost) => [
    thousands(rate(costs, by)),
    (ofModel(by) / rate(costs, by)).toFixed(1),
  ];
  const { hit, missed } = model.megaflows?.stats ?? { hit: 0, missed: 0 };
  return [
    `${thousands(size.flows)} (${thousands(size.parts)})`,
    traffic,
    `${((100 * missed) / (hit + missed)).toFixed(0)} %`,
    thousands(ofModel('processor')),
    ...beside(found.one, 'wall'),
    ...beside(found.many, 'both'),
    ...beside(found.many, 'processor'),
    ...beside(found.slow, 'processor'),
  ];
}

/** Each time with nothing kept of earlier packets. */
function throughModel(model: ModelNode, packets: readonly SentFrame[]): readonly SentFrame[] {
  resetNode(model);
  model.generations.program++;
  const found: SentFrame[] = [];
  for (const { port, frame } of packets)
    for (const output of receiveFrame(model, port, frame).step.outputs) found.push(output);
  return found;
}

async function throughSwitch(
  sim: OvsSwitches,
  node: string,
  packets: readonly SentFrame[],
): Promise<readonly SentFrame[]> {
  const found: SentFrame[] = [];
  for (const [port, frames] of byPort(packets))
    found.push(...((await sim.call([{ kind: 'receive', node, port, frames }]))[0]?.outputs ?? []));
  return found;
}

/**
 * In an order that does not depend on that of the packets: the same text for the same frames at the
 * same ports.
 */
function textOf(frames: readonly SentFrame[]): string {
  return frames
    .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
    .sort()
    .join('\n');
}

function byPort(packets: readonly SentFrame[]): ReadonlyMap<string, readonly Uint8Array[]> {
  const found = new Map<string, Uint8Array[]>();
  for (const { port, frame } of packets) found.set(port, [...(found.get(port) ?? []), frame]);
  return found;
}

/** Making a node, its memory, and one flow that goes and comes back. */
async function sizes(size: NodeSize): Promise<readonly string[]> {
  const plan = busyNode(size);
  const made = await measureMade([plan]);
  const [node] = made.nodes;
  const tables = node?.bridges[0]?.tables ?? new Map<number, never>();
  const rules = rulesOf(tables);
  const random = randomFor(1, 'changes');
  const chosen = Array.from(
    { length: changes },
    () => rules[random.integer(0, rules.length - 1)],
  ).filter((rule) => rule !== undefined);
  const { processor } = await cost(() => {
    for (const rule of chosen) {
      remove(tables, rule);
      insert(tables, rule);
    }
  });
  return [
    thousands(size.flows),
    `${made.cost.processor.toFixed(2)} s`,
    `${Math.round(made.bytes / size.flows)} B`,
    `${((processor / chosen.length) * 1e6).toFixed(0)} µs`,
  ];
}

async function measureMade(
  plans: readonly NodePlan[],
): Promise<{ readonly nodes: readonly ModelNode[]; readonly bytes: number; readonly cost: Cost }> {
  const before = heldBytes();
  let nodes: readonly ModelNode[] = [];
  const spent = await cost(() => void (nodes = plans.map((plan) => buildNode(plan))));
  return { nodes, bytes: heldBytes() - before, cost: spent };
}

/** Of the heap and beside it, after all that nobody holds is gone. */
function heldBytes(): number {
  collect();
  collect(); // what only waited for its last words
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/**
 * Many nodes in one process: clusters of ten, every node with the flows that it needs for the
 * others.
 */
async function manyNodes(): Promise<string> {
  const plans = Array.from(
    { length: nodesAtOnce / nodesACluster },
    () =>
      antrea('0.8').plan(antreaCluster({ nodes: nodesACluster, podsPerNode: 3, tunnel: 'geneve' }))
        .nodes,
  ).flat();
  const made = await measureMade(plans);
  const flows = made.nodes.reduce(
    (sum, { bridges }) =>
      sum + bridges.reduce((total, { tables }) => total + rulesOf(tables).length, 0),
    0,
  );
  return table(
    ['model nodes', 'flows', 'made in', 'memory'],
    [
      [
        thousands(made.nodes.length),
        thousands(flows),
        `${made.cost.processor.toFixed(1)} s`,
        `${(made.bytes / 2 ** 20).toFixed(0)} MiB`,
      ],
    ],
  );
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}

const wanted = process.argv
  .slice(2)
  .map((text) => text.split('/').map(Number))
  .map(([flows = 0, parts = 0]): NodeSize => ({ flows, parts }));
const all =
  wanted.length > 0
    ? wanted
    : [
        { flows: 1000, parts: 100 },
        { flows: 100_000, parts: 10_000 },
      ];
console.log(
  `Measured on ${describeMachine()}; the median of ${rounds} rounds of ${packetsARound} packets.\n`,
);
const measured: (readonly string[])[] = [];
for (const size of all) {
  for (const traffic of [
    'whole connections',
    'first packets',
    'first packets, all different',
  ] as const) {
    const row = await rates(size, traffic);
    console.error(row.join(' | ')); // the table comes once all is measured
    measured.push(row);
  }
}
console.log(
  table(
    [
      'flows (parts of conjunctions)',
      'packets',
      'translated',
      'model',
      'trace, one at a time',
      'times',
      'trace, both ends',
      'times',
      'trace, the switch',
      'times',
      'slow path',
      'times',
    ],
    measured,
  ),
);
const held: (readonly string[])[] = [];
for (const size of all) held.push(await sizes(size));
console.log(`\n${table(['flows', 'made in', 'memory a flow', 'one goes and comes'], held)}`);
if (wanted.length === 0) console.log(`\n${await manyNodes()}`);
