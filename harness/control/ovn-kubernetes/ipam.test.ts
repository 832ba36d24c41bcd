// Goal: no address is given out twice, whatever has happened, and a control plane that restarts
// wants what it wanted before. Method: a machine from n1's subnet that runs on n2; n1 goes, and a
// node that joins gets its subnet; then every step of every story of a migration planned twice,
// behind what was there and from nothing.
import t from 'tap';
import { machineAtHome } from '../../../topologies/ovn-kubernetes/chapters.js';
import { liveMigration, stories } from '../../../topologies/ovn-kubernetes/live-migration.js';
import {
  domainIsAt,
  guestMoves,
  launcherComes,
  launcherEnds,
} from '../../../topologies/ovn-kubernetes/machine-events.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { ovnKubernetes } from './index.js';
import { nextAddress, nextSubnet, poolOf, reservedIn } from './ipam.js';

const migrated = launcherEnds(
  domainIsAt(
    guestMoves(launcherComes(machineAtHome(3, 'one'), 'vm1', 'b', 'n2'), 'vm1', 'n2'),
    'vm1',
    'b',
  ),
  'vm1',
  'a',
);

function without(network: OvnKubernetesTopology, node: string): OvnKubernetesTopology {
  return { ...network, nodes: network.nodes.filter(({ name }) => name !== node) };
}

void t.test('the pool of an address, and what is reserved in it', async (t) => {
  const [n1] = migrated.nodes;
  const [machine] = migrated.machines;
  if (n1 === undefined || machine === undefined) throw new Error('there are both');
  t.equal(poolOf(migrated, machine)?.name, 'n1', 'wherever it runs');
  t.ok(reservedIn(migrated, n1).includes(machine.ip));
  t.equal(nextAddress(migrated, n1), '10.10.1.4', 'behind the gateway and two pods');
  const filled = {
    ...n1,
    pods: [4, 5, 6, 7, 8].map((host) => ({ name: `q${host}`, ip: `10.10.1.${host}`, mac: '' })),
  };
  const pods = [...n1.pods, ...filled.pods];
  const full = { ...migrated, nodes: [{ ...n1, pods }, ...migrated.nodes.slice(1)] };
  t.equal(nextAddress(full, n1), '10.10.1.10', 'not that of the machine, 10.10.1.9');
});

void t.test('a node goes, and its subnet comes to another with what is reserved', async (t) => {
  const [n1] = migrated.nodes;
  const [machine] = migrated.machines;
  if (n1 === undefined || machine === undefined) throw new Error('there are both');
  const gone = without(migrated, 'n1');
  t.equal(poolOf(gone, machine), undefined, 'no node has it');
  t.equal(nextSubnet(gone), n1.podCidr, 'it is free again');
  const joined: OvnKubernetesTopology = {
    ...gone,
    nodes: [...gone.nodes, { ...n1, name: 'n4', pods: [] }],
    gateways: { ...gone.gateways, n4: '172.30.128.9' },
  };
  t.equal(poolOf(joined, machine)?.name, 'n4');
  t.ok(reservedIn(joined, { ...n1, name: 'n4' }).includes(machine.ip));
  const routes = rowsIn(ovnKubernetes().plan(joined)).filter(({ id }) => id === 'route to vm1');
  t.equal(routes.length, 1, 'it keeps its route: it runs elsewhere than where its address is from');
});

function rowsIn(plan: ClusterPlan) {
  return (plan.northbound?.zones ?? []).flatMap(({ rows }) => rows);
}

/** Keys and numbers are kept of what is there. */
function withoutKeys(plan: ClusterPlan): string {
  const rows = rowsIn(plan).map((row) => ({ ...row, columns: { ...row.columns } }));
  return JSON.stringify(rows).replaceAll(/"requested-tnl-key":"\d+"/g, '');
}

void t.test('who restarts at any step wants the same', async (t) => {
  for (const zones of ['one', 'a-node'] as const)
    for (const story of stories) {
      const { cluster, steps } = liveMigration(story, 3, zones);
      let before = ovnKubernetes().plan(cluster);
      for (const step of steps) {
        if (step.kind !== 'cluster') continue;
        before = ovnKubernetes().plan(step.cluster, before);
        t.equal(
          withoutKeys(ovnKubernetes().plan(step.cluster)),
          withoutKeys(before),
          `${story}, ${zones}: ${step.what}`,
        );
      }
    }
});
