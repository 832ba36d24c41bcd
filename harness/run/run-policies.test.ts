// Goal: who promises and who programs read policies alike: for any set of them, each of the cells
// pods x pods x services, and nodes x pods x services, comes out of the flows as L0 says. They
// share no code for selectors, blocks, ports or defaults. Method: clusters from a seeded generator,
// whose policies overlap and contradict each other; every cell is played on the model with the
// flows that the control plane compiles and judged by L0. Faults planted in what the control plane
// is given must show.
import t from 'tap';
import { generatedCluster } from '../../topologies/generated/generated-policies.js';
import { type GeneratedSize } from '../../topologies/generated/generated-values.js';
import { judgeIntent, outcomeOf } from '../compare/judge-intent.js';
import { antrea } from '../control/antrea/index.js';
import { antreaIntent } from '../intent/antrea/antrea-intent.js';
import { addCoverage, policyCoverage } from '../kube/policy-coverage.js';
import type { Cluster, KubeObjects } from '../kube/objects.js';
import { servicesOf } from '../kube/services/policy-ports.js';
import { firstCandidateOracle, type Oracle } from '../model/ambiguity.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import { gatewayMatrix, nodeMatrix, podMatrix } from '../vectors/policies.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';

const seed = 1;
const size: GeneratedSize = { nodes: 2, pods: 7, networkPolicies: 5, clusterNetworkPolicies: 2 };
const clusters = Array.from({ length: 12 }, (_, index) => generated(index + 1));
/** So many of them are played; all of them are counted in the coverage. */
const played = 4;

void t.test('the generator says everything that the policy language has', async (t) => {
  const coverage = addCoverage(clusters.map(({ objects }) => policyCoverage(objects)));
  for (const [what, times] of Object.entries(coverage)) t.ok(times > 0, `${what}: ${times} times`);
  t.comment(
    Object.entries(coverage)
      .map(([what, times]) => `${what} ${times}`)
      .join(', '),
  );
});

void t.test('every cell of every truth table', async (t) => {
  const tally = { allowed: 0, denied: 0 };
  for (const cluster of clusters.slice(0, played)) {
    const { broken, cells } = await truthTable(cluster, cluster);
    t.same(broken, [], cluster.name);
    tally.allowed += cells.filter((kind) => kind !== 'denied').length;
    tally.denied += cells.filter((kind) => kind === 'denied').length;
  }
  t.ok(
    tally.allowed > 100 && tally.denied > 100,
    `${tally.allowed} cells let through, ${tally.denied} kept back`,
  );
});

void t.test(
  'where ClusterNetworkPolicies have one priority, whichever the switch takes is right',
  async (t) => {
    const cluster = generatedCluster(2, { ...size, networkPolicies: 2, clusterNetworkPolicies: 6 });
    const { clusterNetworkPolicies } = cluster.objects;
    const even = {
      ...cluster,
      objects: {
        ...cluster.objects,
        clusterNetworkPolicies: clusterNetworkPolicies.map((policy) => ({
          ...policy,
          spec: { ...policy.spec, priority: 5 },
        })),
      },
    };
    const tables = [];
    for (const oracle of [firstCandidateOracle, lastOfAll]) {
      const table = await truthTable(even, even, oracle);
      t.same(table.broken, []);
      t.ok(
        table.cells.filter((kind) => kind === 'either').length > 20,
        'they contradict each other',
      );
      tables.push(table.reached);
    }
    t.notSame(tables[0], tables[1], 'it makes a difference');
    t.not(
      (await truthTable(cluster, even)).broken.length,
      0,
      'which is wrong where priorities decide',
    );
  },
);

void t.test(
  "blocks of IPv6 are nobody's, and a rule that has no others lets nobody through",
  async (t) => {
    const cluster = generated(2);
    const { networkPolicies } = JSON.parse(
      JSON.stringify(cluster.objects).replace(
        /"ipBlock":\{"cidr":"[^"]*"(?:,"except":\[[^\]]*\])?\}/g,
        '"ipBlock":{"cidr":"::/0","except":["2001:db8::/32"]}',
      ),
    ) as KubeObjects;
    const other = { ...cluster, objects: { ...cluster.objects, networkPolicies } };
    t.not(JSON.stringify(networkPolicies).split('::/0').length, 1, 'there are some');
    t.same((await truthTable(other, other)).broken, []);
    t.not(
      (await truthTable(other, cluster)).broken.length,
      0,
      'which differs from the result with those that were there',
    );
  },
);

void t.test('faults in what the control plane is given show', async (t) => {
  const faults: readonly (readonly [
    what: string,
    seed: number,
    change: (objects: KubeObjects) => Partial<KubeObjects>,
  ])[] = [
    [
      'a policy is missing',
      1,
      ({ networkPolicies }) => ({ networkPolicies: networkPolicies.slice(1) }),
    ],
    [
      'priorities are swapped',
      7,
      ({ clusterNetworkPolicies }) => ({
        clusterNetworkPolicies: clusterNetworkPolicies.map((policy) => ({
          ...policy,
          spec: { ...policy.spec, priority: 1000 - policy.spec.priority },
        })),
      }),
    ],
    [
      'labels are others',
      4,
      ({ pods }) => ({
        pods: pods.map((pod) => ({
          ...pod,
          metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app: 'web' } },
        })),
      }),
    ],
    [
      'ports have no names',
      8,
      ({ pods }) => ({
        pods: pods.map((pod) => ({ ...pod, spec: { ...pod.spec, containers: [] } })),
      }),
    ],
  ];
  for (const [what, number, change] of faults) {
    const cluster = generated(number);
    const { broken } = await truthTable(cluster, {
      ...cluster,
      objects: { ...cluster.objects, ...change(cluster.objects) },
    });
    t.not(broken.length, 0, what);
  }
});

/** Stands in for switches that take the last of flows that tie. */
const lastOfAll: Oracle = {
  ...firstCandidateOracle,
  flowCounts: async (candidates) =>
    Promise.resolve(
      candidates.map(({ packets }, index) => packets + (index === candidates.length - 1 ? 1 : 0)),
    ),
};

/** What the control plane makes of `given`, held to what L0 promises for `promised`. */
async function truthTable(
  promised: Cluster,
  given: Cluster,
  oracle: Oracle = firstCandidateOracle,
): Promise<{
  readonly broken: readonly string[];
  readonly cells: readonly string[];
  readonly reached: readonly string[];
}> {
  const plan = antrea('0.8').plan(given);
  const model = openModel(plan);
  const services = servicesOf(promised);
  const broken: string[] = [];
  const cells: string[] = [];
  const reached: string[] = [];
  for (const { id, stimulus } of [
    ...podMatrix(promised, services),
    ...nodeMatrix(promised, services),
    ...gatewayMatrix(promised, services),
  ]) {
    await model.reset();
    const intent = antreaIntent(promised, stimulus);
    cells.push(intent.kind);
    const seen = await withEmulatedHosts(
      { ...model, call: (calls) => model.call(calls, oracle) },
      plan,
      { seed, hosts: 'start afresh' },
    ).play(id, stimulus);
    if (outcomeOf(intent, stimulus, seen).kind !== 'denied') reached.push(id);
    const verdict = judgeIntent(intent, stimulus, seen);
    if (verdict !== undefined) broken.push(`${id}: ${verdict.expected}; ${verdict.actual}`);
  }
  return { broken, cells, reached };
}

function generated(number: number): Cluster {
  return generatedCluster(number, size);
}
