// Goal: the truth table's cells from outside, by ports of nodes, are there for every pod, and a
// kube-proxy that takes `externalTrafficPolicy: Local` for Cluster does not pass them. Method:
// those cells of the scenario alone, played in a batch, with a second model in the place of
// switches; then with a control plane that gets other objects.
import t from 'tap';
import truthTable from '../../../scenarios/antrea/truth-table.js';
import type { Network } from '../../kube/objects.js';
import type { Scenario } from '../../domain/scenario.js';
import type { ScenarioReport } from '../records/run-report.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const axes = { pods: '10', policies: '1', change: '0' };
const scenario: Scenario = {
  ...truthTable,
  vectors: (topology) =>
    truthTable.vectors(topology).filter(({ id }) => id.startsWith('node-port/')),
};

async function run(of: Scenario): Promise<ScenarioReport> {
  const { report } = await runScenario(of, axes, {
    seed: 1,
    nowMs: () => 0,
    depth: 'cold',
    openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
  });
  return report;
}

void t.test('as they are', async (t) => {
  const { verdict, vectors } = await run(scenario);
  t.equal(verdict, 'conforms');
  t.same([...new Set(vectors.map(({ intent }) => intent.kind))].sort(), ['balanced', 'denied']);
  const pods = (scenario.topology(axes) as Network).nodes.flatMap((node) =>
    node.pods.map(({ name }) => name),
  );
  for (const pod of pods)
    for (const node of ['n1', 'n2'])
      t.ok(
        vectors.some(
          ({ id }) =>
            id ===
            `node-port/x1/${node}/${pod.split('.')[1] ?? 'default'}/${pod.split('.')[0] ?? ''}:echo`,
        ),
        `${pod} by ${node}`,
      );
});

void t.test('a kube-proxy that hides every sender', async (t) => {
  const withoutLocal = (network: Network): Network =>
    network.objects === undefined
      ? network
      : {
          ...network,
          objects: {
            ...network.objects,
            services: network.objects.services.map((service) => ({
              ...service,
              spec: { ...service.spec, externalTrafficPolicy: 'Cluster' as const },
            })),
          },
        };
  const { verdict, vectors } = await run({
    ...scenario,
    controlPlane: {
      ...scenario.controlPlane,
      plan: (network, before) => scenario.controlPlane.plan(withoutLocal(network), before),
    },
  });
  t.equal(verdict, 'diverges');
  const ofOdd = (id: string) => /p\d*[13579]:/.test(id);
  t.strictSame(
    vectors
      .filter(({ verdict: said }) => said === 'diverges')
      .filter(({ id }) => ofOdd(id))
      .map(({ id }) => id),
    [],
    'those of pods whose Services have another policy are as they were',
  );
});
