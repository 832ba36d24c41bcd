/**
 * Goal: the model does with any frame what a real switch does. Method: random pipelines of a few
 * tables that lead into one another, random frames, whole and broken; every frame goes twice
 * through a model and a switch (the second time it finds the switch's cache), and what comes out of
 * every port and what every flow counted is compared. A difference is shrunk before it is
 * reported.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { Unsupported } from '../base/errors/errors.js';
import { randomFor } from '../base/random.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { formatFlowId, type FlowCount, type SwitchStep } from '../domain/switching.js';
import { diffFlows } from '../openflow/flows/diff-flows.js';
import { parseFlow, type Flow } from '../openflow/flows/flow.js';
import { openSim } from '../testbeds/sim/sim.js';
import {
  someFrame,
  somePipeline,
  someProtocol,
  type Injection,
} from './testkit/arbitrary-pipeline.js';
import type { ModelNode } from './model-node.js';
import { buildNode } from './build-node.js';
import { flowCounts, receiveFrame } from './receive-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const pipelines = 40;
const framesPerPipeline = 12;

const bridge: BridgePlan = {
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  flows: [],
  ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
};
const plan = (flows: readonly string[]): NodePlan => ({
  node: 'n1',
  bridges: [{ ...bridge, flows }],
  hosts: [],
});

const image = await openImage('trixie', (line) => t.comment(line));
const sim = await openSim({ nodes: [plan([])] }, image);
t.teardown(() => sim.close());
let held: readonly Flow[] = [];

const describe = ({ outputs }: SwitchStep): string =>
  outputs.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`).join('\n') ||
  'nothing';
const counted = (counts: readonly FlowCount[]): string =>
  counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${packets} ${formatFlowId(flow)}`)
    .sort()
    .join('\n');

/** What the model refused, by its words. */
const refusals = new Map<string, number>();
let compared = 0;

/**
 * Plays each frame twice on both; the first difference in words, or undefined. What the model
 * refuses begins again on both.
 */
async function difference(
  flows: readonly string[],
  injections: readonly Injection[],
): Promise<string | undefined> {
  const desired = flows.map((flow) => parseFlow(flow));
  await sim.bundle('n1', bridge.name, diffFlows(held, desired));
  held = desired;
  await sim.reset();
  let model = buildNode(plan(flows));
  for (const injection of injections) {
    try {
      const found =
        (await differenceAt(model, injection)) ??
        (await differenceAt(model, injection)) ??
        (await differenceOfCounts(model));
      if (found !== undefined)
        return `${Buffer.from(injection.frame).toString('hex')} into ${injection.port}: ${found}`;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      const words = error.message.replace(/, at a frame into .*|: .*/s, '');
      refusals.set(words, (refusals.get(words) ?? 0) + 1);
      model = buildNode(plan(flows));
      await sim.reset();
    }
  }
  return undefined;
}

/** What comes out of the ports. */
async function differenceAt(
  model: ModelNode,
  { port, frame }: Injection,
): Promise<string | undefined> {
  const learned = () => JSON.stringify(model.bridges.map(({ macs }) => [...macs]));
  const before = learned();
  const expected = describe(receiveFrame(model, port, frame).step);
  const [step] = await sim.call([{ kind: 'receive', node: 'n1', port, frames: [frame] }]);
  compared++;
  // The switch's cache follows what it learns, but only when its revalidators get to it: counting
  // empties the cache.
  if (learned() !== before) await sim.counts();
  const found = step === undefined ? '' : describe(step);
  return found === expected
    ? undefined
    : `the model sends\n${expected}\nthe switch sends\n${found}`;
}

async function differenceOfCounts(model: ModelNode): Promise<string | undefined> {
  const [expected, found] = [counted(flowCounts(model)), counted(await sim.counts())];
  return found === expected
    ? undefined
    : `the model counts\n${expected}\nthe switch counts\n${found}`;
}

/** Leaves out flows and frames for as long as a difference is left. */
async function smallest(
  flows: readonly string[],
  injections: readonly Injection[],
): Promise<string> {
  const differs = async (fewer: readonly string[], less: readonly Injection[]) =>
    (await difference(fewer, less)) !== undefined;
  let [keptFlows, keptFrames] = [flows, injections];
  for (const injection of injections)
    if (
      await differs(
        keptFlows,
        keptFrames.filter((kept) => kept !== injection),
      )
    )
      keptFrames = keptFrames.filter((kept) => kept !== injection);
  for (const flow of flows)
    if (
      await differs(
        keptFlows.filter((kept) => kept !== flow),
        keptFrames,
      )
    )
      keptFlows = keptFlows.filter((kept) => kept !== flow);
  const frames = keptFrames.map(
    ({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`,
  );
  return [...keptFlows, ...frames, await difference(keptFlows, keptFrames)].join('\n');
}

void t.test('the model and a switch do the same', async (t) => {
  const random = randomFor(seed, 'model against switch');
  for (let pipeline = 0; pipeline < pipelines; pipeline++) {
    const focus = someProtocol(random);
    const flows = somePipeline(random, focus);
    const injections = Array.from({ length: framesPerPipeline }, () => someFrame(random, focus));
    const found = await difference(flows, injections);
    if (found !== undefined)
      t.strictSame(
        (await smallest(flows, injections)).split('\n'),
        [],
        `pipeline ${pipeline} of seed ${seed}`,
      );
    if (found !== undefined) return;
  }
  t.ok(compared > pipelines * framesPerPipeline, `${compared} packets compared`);
  t.comment([...refusals].map(([words, times]) => `refused ${times} times: ${words}`).join('\n'));
});
