/**
 * What a pod costs in a cluster of OVN that grows, in the order of ovn-heater's density_light: the
 * base cluster first, then a pod at a time, nodes in turn, and the next one once it answers a ping.
 * `node dist/bench/ovn/pods-in-turn.js [CHASSIS [PODS]]`, 10 and 10 by default. Prints Markdown.
 */
import { loadavg } from 'node:os';
import { Unavailable } from '../../harness/base/errors/errors.js';
import { ovn } from '../../harness/control/ovn/index.js';
import type { Topology } from '../../harness/domain/topology.js';
import { runStimulus } from '../../harness/fabric/fabric.js';
import { runToEnd } from '../../harness/lockstep/play-in-lockstep.js';
import { drawsFor } from '../../harness/lockstep/vector-randomness.js';
import type { AgentState } from '../../harness/run/timeline/agent-state.js';
import { applyThroughOvn } from '../../harness/run/timeline/apply-through-ovn.js';
import type { OvsSwitches } from '../../harness/testbeds/ovs-switches.js';
import { openSim } from '../../harness/testbeds/sim/sim.js';
import { openImage } from '../../images/images.js';
import { ovnCluster } from '../../topologies/ovn/ovn-cluster.js';
import { describeMachine, table } from '../describe-machine.js';

const [chassis = 10, pods = 10] = process.argv.slice(2).map(Number);
const controlPlane = ovn();
const podsMax = 1 + Math.ceil(pods / chassis);
const whole = ovnCluster({ nodes: chassis, podsPerNode: podsMax });

/** The base cluster has a pod a node; `more` pods have come, to one node after the other. */
function clusterWith(more: number): Topology {
  return {
    ...whole,
    nodes: whole.nodes.map((node, index) => ({
      ...node,
      pods: node.pods.slice(0, 1 + Math.floor((more + chassis - 1 - index) / chassis)),
    })),
  };
}

/** From the first pod of the node after it to the one that has come. */
async function ping(switches: OvsSwitches, { plan }: AgentState, number: number): Promise<void> {
  const index = (number - 1) % chassis;
  const at = clusterWith(number).nodes[index];
  const from = whole.nodes[(index + 1) % chassis]?.pods[0]?.name ?? '';
  const to = at?.pods.at(-1)?.ip ?? '';
  const fabric = runStimulus(plan, { kind: 'ping', from, to }, drawsFor(1, `ping/${number}`));
  const { notes } = await runToEnd(switches, fabric, fabric.next());
  const isAnswered = notes.some((note) => note.kind === 'received' && note.what === 'echo-reply');
  if (!isAnswered) throw new Unavailable(`pod ${number}, ${to}, does not answer ${from}`);
}

async function add(switches: OvsSwitches, state: AgentState, number: number): Promise<AgentState> {
  const cluster = clusterWith(number);
  const event = { kind: 'cluster', what: `pod ${number} comes`, cluster } as const;
  const run = { controlPlane, real: switches };
  return await applyThroughOvn(run, state, event, async (step) => {
    await switches.reconfigure(step as Parameters<OvsSwitches['reconfigure']>[0]);
  });
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

const image = await openImage('trixie', console.error);
const load = loadavg()[0] ?? 0;
const base = clusterWith(0);
const startedMs = performance.now();
const switches = await openSim(controlPlane.plan(base), image);
const baseMs = performance.now() - startedMs;
const tookMs: number[] = [];
try {
  let state: AgentState = {
    agentViews: { cluster: base, stale: new Map() },
    plan: switches.compiled ?? controlPlane.plan(base),
  };
  for (let number = 1; number <= pods; number++) {
    const beganMs = performance.now();
    state = await add(switches, state, number);
    await ping(switches, state, number);
    tookMs.push(performance.now() - beganMs);
  }
} finally {
  await switches.close();
}
const sorted = tookMs.toSorted((a, b) => a - b);
const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
console.log(`Measured on ${describeMachine()}.\n`);
console.log(
  table(
    ['chassis', 'load', 'base cluster', 'pods', 'a pod: least', 'median', 'most'],
    [
      [
        String(chassis),
        load.toFixed(1),
        seconds(baseMs),
        String(pods),
        ...[sorted[0] ?? 0, middle, sorted.at(-1) ?? 0].map(seconds),
      ],
    ],
  ),
);
