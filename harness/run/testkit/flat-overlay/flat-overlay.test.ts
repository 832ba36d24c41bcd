// Goal: a system of its own needs no change of a generic room. Method: a control plane that shares
// nothing with another one is run on the model against itself; then its switches lose the tunnel of
// one node, and what crosses nodes must differ from the promise and the model alike.
import t from 'tap';
import { equalNodes } from '../../../../topologies/equal-nodes.js';
import type { ClusterPlan } from '../../../domain/plan/cluster-plan.js';
import { defineScenario } from '../../../domain/scenario.js';
import { intentOf } from '../../../intent/intent.js';
import { openModelSwitches } from '../../../testbeds/model/model-switches.js';
import * as vectors from '../../../vectors/index.js';
import { runScenario } from '../../run-scenario.js';
import { flatOverlay } from './flat-overlay.js';

const scenario = defineScenario({
  name: 'test/flat-overlay',
  title: 'Pods of two nodes on one Ethernet',
  axes: { pods: { values: ['2'], default: ['2'] } },
  topology: () => ({
    ...equalNodes({ name: 'flat', nodes: 2, podsPerNode: 2 }),
    vni: 7,
  }),
  controlPlane: flatOverlay,
  vectors: (topology) => [...vectors.podToPod(topology), ...vectors.podToPodTcp(topology)],
  intent: intentOf,
});

async function verdicts(change: (plan: ClusterPlan) => ClusterPlan = (plan) => plan) {
  const { report } = await runScenario(
    scenario,
    { pods: '2' },
    {
      seed: 1,
      nowMs: () => 0,
      depth: 'cold',
      openReal: (plan) => Promise.resolve(openModelSwitches(change(plan))),
    },
  );
  return report.vectors.map(({ id, verdict }) => ({ id, verdict }));
}

void t.test('every pod reaches every pod', async (t) => {
  const all = await verdicts();
  t.ok(all.length > 20, `${all.length} vectors`);
  t.strictSame(
    all.filter(({ verdict }) => verdict !== 'conforms'),
    [],
  );
});

void t.test('without the tunnel of one node what crosses nodes diverges', async (t) => {
  const severed = (plan: ClusterPlan): ClusterPlan => ({
    ...plan,
    nodes: plan.nodes.map((node) =>
      node.node === 'n1'
        ? {
            ...node,
            bridges: node.bridges.map((bridge) =>
              bridge.name === 'br-flat'
                ? { ...bridge, flows: ['priority=1,in_port=100,actions=drop', ...bridge.flows] }
                : bridge,
            ),
          }
        : node,
    ),
  });
  const all = await verdicts(severed);
  const within = /\/(p1\/p2|p2\/p1|p3\/p4|p4\/p3)$/;
  t.strictSame(
    all.filter(({ id, verdict }) => !within.test(id) && verdict !== 'diverges'),
    [],
  );
  t.ok(all.filter(({ id }) => /p1\/p2$/.test(id)).every(({ verdict }) => verdict === 'conforms'));
});
