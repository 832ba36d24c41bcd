/**
 * Goal: what comes after another point of a matrix is judged on switches that were changed, and a
 * change that is not applied shows in flows and in cells. Method: the cells of a small cluster
 * before and after its policies change, with a second model in place of real switches, which leaves
 * one node as it was.
 */
import t from 'tap';
import { antreaPromises } from '../../intent/antrea/promises.js';
import { changedCluster } from '../../../topologies/generated/generated-changes.js';
import { antreaCluster } from '../../../topologies/antrea/antrea-cluster.js';
import { antrea } from '../../control/antrea/index.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import { defineScenario, type Scenario } from '../../domain/scenario.js';
import type { Switches } from '../../testbeds/testbed.js';
import { podMatrix } from '../../vectors/policies.js';
import { batched } from '../../vectors/batched.js';
import type { ScenarioReport } from '../records/run-report.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const scenario: Scenario = defineScenario({
  name: 'x/changes',
  title: '',
  axes: { change: { values: ['0', '1', '2', '3', '4'], default: ['0'] } },
  topology: ({ change }) => clusterAfter(Number(change)).cluster,
  after: ({ change }) =>
    change === '0'
      ? undefined
      : {
          axes: { change: String(Number(change) - 1) as '0' },
          what: clusterAfter(Number(change)).what,
        },
  controlPlane: antrea('0.8'),
  vectors: (topology) =>
    batched(podMatrix(topology, [{ protocol: 'TCP', port: 80 }, { protocol: 'ICMP' }])),
  intent: antreaIntent,
});

function clusterAfter(change: number) {
  return changedCluster(
    3,
    { nodes: 2, pods: 5, networkPolicies: 2, clusterNetworkPolicies: 1 },
    change,
  );
}

const opened: string[] = [];
const bundles: string[] = [];

async function run(
  change: string,
  stand: (model: Switches) => Partial<Switches> = () => ({}),
  of = scenario,
): Promise<ScenarioReport> {
  opened.length = bundles.length = 0;
  const { report } = await runScenario(
    of,
    { change },
    {
      seed: 1,
      nowMs: () => 0,
      depth: 'cold',
      openReal: (plan) => {
        opened.push(JSON.stringify(plan));
        const model = openModelSwitches(plan);
        const switches: Switches = {
          ...model,
          bundle: (node, bridge, lines) => {
            bundles.push(node);
            return model.bundle(node, bridge, lines);
          },
        };
        return Promise.resolve({ ...switches, ...stand(switches) });
      },
    },
  );
  return report;
}

const outcomes = ({ vectors }: ScenarioReport) =>
  new Map(vectors.map(({ id, intent }) => [id, intent.kind]));

void t.test(
  'each state conforms on switches that come up as the first and are changed, and is another ' +
    'truth table',
  async (t) => {
    const first = JSON.stringify(antrea('0.8').plan(clusterAfter(0).cluster));
    let before = new Map<string, string>();
    for (const change of ['0', '1', '2']) {
      const report = await run(change);
      t.equal(report.verdict, 'conforms', change);
      t.same(opened, [first], 'they come up as before all');
      t.same(
        report.after,
        change === '0'
          ? undefined
          : {
              axes: { change: String(Number(change) - 1) },
              what: clusterAfter(Number(change)).what,
            },
      );
      t.equal(bundles.length >= Number(change), true, 'and are changed');
      const now = outcomes(report);
      t.ok(
        [...now].some(([id, kind]) => before.get(id) !== kind),
        'some cells differ from before',
      );
      before = now;
    }
  },
);

void t.test('the digest of a state is that of fresh switches with its flows', async (t) => {
  const { after: _, ...alone } = scenario;
  const plan = antrea('0.8').plan(
    clusterAfter(1).cluster,
    antrea('0.8').plan(clusterAfter(0).cluster),
  );
  const fresh = await run('1', () => ({}), {
    ...alone,
    controlPlane: { name: 'given', promises: antreaPromises, plan: () => plan },
  });
  t.same(bundles, []);
  t.equal(fresh.traceHash, (await run('1')).traceHash);
});

void t.test(
  'a change that is not applied on one node shows in its flows, and in cells',
  async (t) => {
    const forgetting =
      (forgotten: string) =>
      (model: Switches): Partial<Switches> => ({
        bundle: (node, bridge, lines) =>
          node === forgotten ? Promise.resolve() : model.bundle(node, bridge, lines),
      });
    for (const node of ['n2']) {
      const report = await run('1', forgetting(node));
      t.equal(report.verdict, 'diverges', node);
      t.ok(
        report.program.length > 0 &&
          report.program.every(({ summary }) => summary.startsWith(`br-int on ${node}: `)),
        'the flows of that node and of no other',
      );
      const broken = report.vectors.filter(({ verdict }) => verdict === 'diverges');
      t.ok(
        broken.some(({ differences }) =>
          differences.some(({ between }) => between === 'intent and switch'),
        ),
        'a promise is broken',
      );
      t.ok(broken.length < report.vectors.length);
    }
    let made = 0;
    const late = await run('2', (model) => ({
      bundle: (node, bridge, lines) =>
        made++ === 0 ? Promise.resolve() : model.bundle(node, bridge, lines).catch(() => undefined),
    }));
    t.match(
      late.program[0]?.summary,
      /^before ClusterNetworkPolicy gate changes: br-int on n1: /,
      'it is reported on which part of the way',
    );
  },
);

void t.test('more than flows may not change', async (t) => {
  const [small, large] = [1, 2].map((podsPerNode) =>
    antreaCluster({ nodes: 1, podsPerNode, tunnel: 'geneve' }),
  );
  if (small === undefined || large === undefined) throw new Error('two clusters');
  const growing = {
    ...scenario,
    topology: ({ change }: Readonly<Record<string, string>>) => (change === '0' ? small : large),
  };
  await t.rejects(
    run('1', () => ({}), growing),
    {
      name: 'InputError',
      message:
        /^ClusterNetworkPolicy gate comes: from one point of a matrix to another only flows and groups may change, and n1 would have to attach$/,
    },
  );
});

void t.test('a timeline begins somewhere, and is no way from another point', (t) =>
  t.rejects(
    run('1', () => ({}), {
      ...scenario,
      timeline: () => ({ cluster: clusterAfter(0).cluster, steps: [] }),
    }),
    {
      name: 'InputError',
      message:
        /^scenario x\/changes: a point of its matrix comes after another and has a timeline as well/,
    },
  ),
);
