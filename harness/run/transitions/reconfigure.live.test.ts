// Goal: while pods and nodes come and go, a switch restarts, and an agent does, model and
// switches hold the flows of a fresh install. Method: a cluster grows, shrinks, loses a daemon and
// an agent, and grows again, step by step on both; flows are read back and held against a new model
// of the plan.
import t from 'tap';
import { sweep } from '../../control/antrea/sweep.js';
import { openImage } from '../../../images/images.js';
import { antreaCluster } from '../../../topologies/antrea/antrea-cluster.js';
import { compareProgram } from '../../compare/compare-program.js';
import { antrea as antreaOf } from '../../control/antrea/index.js';
import {
  stepsBetween,
  stepsOfReplay,
  stepsOfStart,
  type AgentStep,
} from '../../control/agent-steps.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { openSim } from '../../testbeds/sim/sim.js';

const antrea = antreaOf('0.8');
const large = antreaCluster({ nodes: 3, podsPerNode: 2, tunnel: 'geneve' });
const small = {
  ...large,
  nodes: large.nodes.slice(1).map((node) => ({ ...node, pods: node.pods.slice(1) })),
};

void t.test('as if new', async (t) => {
  const first = antrea.plan(small);
  const sim = await openSim(first, await openImage('trixie', (line) => t.comment(line)));
  t.teardown(() => sim.close());
  const model = openModel(first, sim.versions);
  const take = async (steps: readonly AgentStep[], what: string, plan: ClusterPlan) => {
    for (const step of steps) {
      for (const testbed of [model, sim]) {
        if (step.kind !== 'change') await testbed.reconfigure(step);
        else
          t.strictSame((await testbed.call([step]))[0]?.outputs, [], `${what}: no frame comes out`);
      }
    }
    const [held, real] = [await model.program(), await sim.program()];
    t.strictSame(compareProgram(await openModel(plan).program(), real).differences, [], what);
    t.strictSame(compareProgram(held, real).differences, [], `${what}: in the model`);
  };
  const nodeOf = (plan: ClusterPlan, name: string) =>
    plan.nodes.find(({ node }) => node === name) ?? ({} as NodePlan);
  const grown = antrea.plan(large, first);
  await take(stepsBetween(first, grown), 'a node and pods come', grown);
  const { vswitchd } = sim.daemons.get('n2') ?? {};
  await take([{ kind: 'restart', node: 'n2' }], 'a switch without flows', {
    nodes: grown.nodes.map((node) =>
      node.node === 'n2'
        ? { ...node, bridges: node.bridges.map((bridge) => ({ ...bridge, flows: [] })) }
        : node,
    ),
  });
  t.not(sim.daemons.get('n2')?.vswitchd, vswitchd, 'another process');
  await take(stepsOfReplay(nodeOf(grown, 'n2')), 'and its flows', grown);
  const shrunk = antrea.plan(small, grown);
  await take(stepsBetween(grown, shrunk), 'a node and pods go', shrunk);
  const restarted = antrea.plan(small, antrea.restarted?.(shrunk, 'n2'));
  await take(
    [
      ...stepsOfStart(nodeOf(shrunk, 'n2'), nodeOf(restarted, 'n2')),
      ...sweep(nodeOf(restarted, 'n2')),
    ],
    'an agent that restarts',
    restarted,
  );
  const again = antrea.plan(large, restarted);
  await take(stepsBetween(restarted, again), 'a node of the same name comes', again);
  await t.rejects(sim.reset(), /no reset takes back/);
});
