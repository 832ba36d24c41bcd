// Goal: what a control plane is known to break of its promises is expected, counted and reported
// with its cause; where it does not happen any more, or is not known, the run diverges. Method: a
// pod that egress policies keep from its own node, with a second model in place of real switches,
// and control planes that have the divergence, do not have it, and do not know of it.
import t from 'tap';
import { readAntreaCluster } from '../../../topologies/antrea/read-antrea-cluster.js';
import { antrea } from '../../control/antrea/index.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { defineScenario, type Scenario } from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import { batched } from '../../vectors/batched.js';
import type { ScenarioReport } from '../records/run-report.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const cluster = readAntreaCluster(
  [
    {
      file: 'f',
      text: `
apiVersion: v1
kind: Node
metadata: { name: n1 }
---
apiVersion: v1
kind: Pod
metadata: { name: p }
spec: { nodeName: n1 }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: none }
spec: { podSelector: {}, policyTypes: [Egress] }
`,
    },
  ],
  { name: 'own-node', tunnel: 'geneve' },
);

const toNode = { id: 'node', stimulus: { kind: 'ping', from: 'p', to: '10.10.1.1' } } as const;
const fromNode = { id: 'pod', stimulus: { kind: 'ping', from: 'n1', to: '10.10.1.2' } } as const;

const scenario: Scenario = defineScenario({
  name: 'test/own-node',
  title: '',
  axes: {},
  topology: () => cluster,
  controlPlane: antrea('0.8'),
  vectors: () => [toNode, fromNode],
  intent: antreaIntent,
});

async function run(changed: Partial<Scenario> = {}): Promise<ScenarioReport> {
  const openReal = (plan: ClusterPlan) => Promise.resolve(openModelSwitches(plan));
  return (await runScenario({ ...scenario, ...changed }, {}, { seed: 1, nowMs: () => 0, openReal }))
    .report;
}

void t.test('it is expected, and reported', async (t) => {
  for (const vectors of [[toNode, fromNode], batched([toNode, fromNode])]) {
    const report = await run({ vectors: () => vectors });
    t.match(report, {
      verdict: 'conforms',
      known: [
        {
          name: 'own-node-egress',
          vectors: 1,
          cause: /^Kubernetes, "Network Policies": .*; the seed, /,
        },
      ],
      vectors: [
        {
          verdict: 'conforms',
          intent: {
            kind: 'contradicted',
            by: 'own-node-egress',
            cause: /^Kubernetes/,
            promise: { kind: 'round-trip' },
            instead: { kind: 'denied' },
          },
        },
        { verdict: 'conforms', intent: { kind: 'round-trip' } },
      ],
    });
  }
});

/** Lets through what the seed drops. */
const letsThrough = (topology: Topology): ClusterPlan => {
  const { nodes, ...more } = antrea('0.8').plan(topology);
  return {
    ...more,
    nodes: nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({
        ...bridge,
        flows: bridge.flows.filter((flow) => !flow.startsWith('table=60,priority=200')),
      })),
    })),
  };
};

void t.test('where it does not happen any more, the run diverges', async (t) => {
  const report = await run({ controlPlane: { ...antrea('0.8'), plan: letsThrough } });
  t.equal(report.verdict, 'diverges');
  t.equal(report.known, undefined);
  const [difference] = report.vectors[0]?.differences ?? [];
  t.match(difference, {
    aspect: 'intent',
    between: 'intent and switch',
    actual: /own-node-egress does not occur any more$/,
    expected: /^the known divergence own-node-egress \(Kubernetes/,
  });
});

void t.test('of a control plane that does not have it, the promise is held', async (t) => {
  const { known: _, ...unaware } = antrea('0.8');
  t.match(await run({ controlPlane: { ...unaware, plan: letsThrough } }), {
    verdict: 'conforms',
    vectors: [{ intent: { kind: 'round-trip' } }, {}],
  });
  const report = await run({ controlPlane: unaware });
  t.match(report, {
    verdict: 'diverges',
    vectors: [
      {
        verdict: 'diverges',
        intent: { kind: 'round-trip' },
        differences: [{ actual: 'no host got it' }, {}],
      },
      { verdict: 'conforms' },
    ],
  });
});
