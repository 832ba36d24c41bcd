/**
 * Goal: tunnels of any options carry any frame as a real switch does, and take it off again.
 * Method: two nodes with random tunnel ports, flows that set tunnel fields, and underlays whose
 * flows do more than forward; random frames, whole and broken. What comes out of the first node's
 * uplink goes into the second's, whole and damaged; frames and counters are compared at each.
 * SUITE=trixie for one version, SEED for other tunnels.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { Unsupported } from '../../base/errors/errors.js';
import { randomFor, type Random } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { formatFlowId, type FlowCount, type SwitchStep } from '../../domain/switching.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { type OvsSwitches } from '../../testbeds/ovs-switches.js';
import { anyFrame, damaged, pick } from '../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../behaviour.js';
import type { ModelNode } from '../model-node.js';
import { buildNode } from '../build-node.js';
import { flowCounts, receiveFrame } from '../receive-frame.js';
import { somePair } from '../testkit/tunnels/arbitrary-tunnels.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const seed = Number(process.env['SEED'] ?? 1);
const pairs = Number(process.env['PAIRS'] ?? 10);
const framesAPair = 20;

const describe = ({ outputs }: SwitchStep): string =>
  outputs.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`).join('\n') ||
  'nothing';
const counted = (counts: readonly FlowCount[]): readonly string[] =>
  counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${packets} ${flow.node} ${flow.bridge} ${formatFlowId(flow)}`)
    .sort();

interface Seen {
  compared: number;
  crossed: number;
  readonly refusals: Map<string, number>;
}

for (const suite of suites) {
  void t.test(`tunnels on ${suite}`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const seen: Seen = { compared: 0, crossed: 0, refusals: new Map() };
    for (let index = 0; index < pairs; index++) {
      const random = randomFor(seed, `tunnels ${index}`);
      const plans = somePair(random);
      const sim = await openSim({ nodes: plans }, image);
      const difference = await differenceBetween(sim, plans, random, seen).finally(() =>
        sim.close(),
      );
      if (difference === undefined) continue;
      t.strictSame(
        [
          ...plans.flatMap(({ bridges }) =>
            bridges.flatMap(({ name, ports, flows }) => [
              name,
              ...ports.map((port) => JSON.stringify(port)),
              ...flows,
            ]),
          ),
          ...difference.split('\n'),
        ],
        [],
        `pair ${index} of seed ${seed}`,
      );
      return;
    }
    t.ok(seen.crossed > pairs, `${seen.crossed} frames came out of a tunnel's other end`);
    t.comment(
      [
        `${seen.compared} frames compared`,
        ...[...seen.refusals].map(([words, times]) => `refused ${times} times: ${words}`),
      ].join('\n'),
    );
  });
}

/** The first difference in words. What the model refuses begins again on both. */
async function differenceBetween(
  sim: OvsSwitches,
  plans: readonly NodePlan[],
  random: Random,
  seen: Seen,
): Promise<string | undefined> {
  const build = () =>
    plans.map((plan) =>
      buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest),
    );
  let nodes = build();
  for (let count = 0; count < framesAPair; count++) {
    try {
      const found =
        (await differenceOnTheWay(sim, nodes, random, seen)) ??
        (await differenceOfCounts(sim, nodes));
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      const words = error.message.replace(/, at a frame into .*/s, '');
      seen.refusals.set(words, (seen.refusals.get(words) ?? 0) + 1);
      nodes = build();
      await sim.reset();
    }
  }
  return undefined;
}

async function differenceOnTheWay(
  sim: OvsSwitches,
  [first, second]: readonly ModelNode[],
  random: Random,
  seen: Seen,
): Promise<string | undefined> {
  const sent = await play(sim, first!, pick(random, ['p1', 'p2', 'p3']), anyFrame(random), seen);
  if (typeof sent === 'string') return sent;
  for (const { port, frame } of sent.outputs) {
    if (port !== 'up') continue;
    const arrived = await play(
      sim,
      second!,
      'up',
      random.integer(1, 5) === 1 ? damaged(random, frame) : frame,
      seen,
    );
    if (typeof arrived === 'string') return arrived;
    if (arrived.outputs.some((output) => output.port.startsWith('p'))) seen.crossed++;
  }
  return undefined;
}

/** What came out, or the difference. */
async function play(
  sim: OvsSwitches,
  node: ModelNode,
  port: string,
  frame: Uint8Array,
  seen: Seen,
): Promise<SwitchStep | string> {
  const learned = () =>
    JSON.stringify([
      [...node.neighbours.learned].map(([place, { mac }]) => [place, mac]),
      node.bridges.map(({ macs }) => [...macs]),
    ]);
  const before = learned();
  const expected = receiveFrame(node, port, frame).step;
  const [found = { outputs: [] }] = await sim.call([
    { kind: 'receive', node: node.name, port, frames: [frame] },
  ]);
  seen.compared++;
  // What is cached follows what was learned when revalidators get to it: counting empties the
  // cache.
  if (learned() !== before) await sim.counts();
  if (describe(found) === describe(expected)) return found;
  return (
    `${Buffer.from(frame).toString('hex')} into ${port} of ${node.name}: the model ` +
    `sends\n${describe(expected)}\nthe switch sends\n${describe(found)}`
  );
}

async function differenceOfCounts(
  sim: OvsSwitches,
  nodes: readonly ModelNode[],
): Promise<string | undefined> {
  const [expected, found] = [counted(nodes.flatMap(flowCounts)), counted(await sim.counts())];
  return expected.join() === found.join()
    ? undefined
    : `the model counts\n${expected.join('\n')}\nthe switch counts\n${found.join('\n')}`;
}
