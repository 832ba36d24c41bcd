/**
 * What the reference model costs, on one node of a busy Antrea cluster: packets a second beside
 * `ofproto/trace` and beside the slow path of the same switch, which must give the very frames that
 * the model gives; flows that come and go; memory. Prints Markdown. `node dist/bench/model.js
 * [FLOWS/PARTS…]`, 1000/100 and 100000/10000 by default: flows, and those of them that are parts
 * of conjunctions.
 */
import { randomFor } from '../harness/base/random.js';
import { antrea } from '../harness/control/antrea/index.js';
import { insert, remove, rulesOf } from '../harness/model/tables/flow-tables.js';
import type { ModelNode } from '../harness/model/model-node.js';
import { buildNode } from '../harness/model/build-node.js';
import type { NodePlan } from '../harness/domain/plan/cluster-plan.js';
import { antreaCluster } from '../topologies/antrea/antrea-cluster.js';
import { busyNode, type NodeSize } from './busy-node.js';
import { describeMachine, table } from './describe-machine.js';
import { collect, cost, type Cost } from './cost.js';
import { packetsARound, rounds, thousands, rates } from './packet-rates.js';

const nodesAtOnce = 1000;
const nodesACluster = 10;
const changes = 10_000;

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
