// Goal: what has a number keeps it while pods, policies and Services come and go, no number changes
// hands within a change, and an agent that restarts allocates none that stands on its switch.
// Method: three pods and two policies; one of each leaves, one comes, the agent restarts; ports and
// ids are read from the plans. The same with Services, whose endpoints come and go as well: of
// groups both the numbers and which Service leads to which are read.
import t from 'tap';
import { readAntreaCluster } from '../../../topologies/antrea/read-antrea-cluster.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { allocate } from '../allocate.js';
import { antrea } from './index.js';

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
const pod = (name: string, last: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName: 'n1' },
  status: { podIP: `10.10.1.${last}` },
});
const policy = (name: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
});
const antreaClusterOf = (...objects: readonly object[]) =>
  readAntreaCluster(
    [{ file: 'f', text: objects.map((object) => JSON.stringify(object)).join('\n---\n') }],
    { name: 'x', tunnel: 'geneve' },
  );
const portsOf = ({ nodes }: ClusterPlan) =>
  nodes[0]?.bridges[0]?.ports.map(({ name, ofport }) => `${name.split('-')[0]} ${ofport}`).slice(2);
const idsOf = ({ nodes }: ClusterPlan) => [
  ...new Set(
    (nodes[0]?.bridges[0]?.flows ?? []).flatMap((flow) =>
      [...flow.matchAll(/conj_id=(\d+)/g)].map(([, id]) => Number(id)),
    ),
  ),
];

void t.test('numbers', async (t) => {
  t.strictSame(allocate(['a', 'b'], {}, 3), { a: 3, b: 4 });
  t.strictSame(
    allocate(['b', 'c', 'd'], { a: 3, b: 4 }, 3),
    { b: 4, c: 5, d: 6 },
    'what a had stays free for now',
  );
  t.strictSame(
    allocate(['b', 'c', 'e'], { b: 4, c: 5 }, 3),
    { b: 4, c: 5, e: 3 },
    'and is taken later',
  );
});

void t.test('ports and ids', async (t) => {
  const before = antrea('0.8').plan(
    antreaClusterOf(node, pod('a', 2), pod('b', 3), pod('c', 4), policy('p'), policy('q')),
  );
  t.strictSame(
    [portsOf(before), idsOf(before)],
    [
      ['a 3', 'b 4', 'c 5'],
      [1, 2],
    ],
  );
  const network = antreaClusterOf(
    node,
    pod('a', 2),
    pod('d', 9),
    pod('c', 4),
    policy('q'),
    policy('r'),
  );
  const after = antrea('0.8').plan(network, before);
  t.strictSame(
    [portsOf(after), idsOf(after)],
    [
      ['a 3', 'd 6', 'c 5'],
      [2, 3],
    ],
  );
  t.strictSame(antrea('0.8').plan(network, after), after, 'the same again');
  const restarted = antrea('0.8').restarted?.(after, 'n1');
  t.strictSame(antrea('0.8').restarted?.(after, 'n2'), after, 'of another node');
  const restartedPlan = antrea('0.8').plan(network, restarted);
  t.strictSame(
    [portsOf(restartedPlan), idsOf(restartedPlan)],
    [
      ['a 3', 'd 6', 'c 5'],
      [4, 5],
    ],
  );
  t.ok(
    restartedPlan.nodes.every(({ bridges }) =>
      bridges.every(({ flows }) =>
        flows.every((flow) => flow.startsWith('cookie=0x1000000000000,')),
      ),
    ),
    'in its own round',
  );
  const fewer = antrea('0.8').plan(antreaClusterOf(node, policy('q')), restartedPlan);
  t.strictSame(
    idsOf(antrea('0.8').plan(network, fewer)),
    [4, 5],
    'ids of the round before stay unused',
  );
});

const service = (name: string, last: number, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { clusterIP: `10.96.0.${last}`, selector: { app: name }, ports: [{ port: 80 }], ...spec },
});
const serving = (name: string, app: string, last: number) => ({
  ...pod(name, last),
  metadata: { name, labels: { app } },
});
/** `10.96.0.10 group 1: 10.10.1.2`, and what of groups nothing leads to. */
const groupsIn = ({ nodes }: ClusterPlan) => {
  const { flows = [], groups = [] } = nodes[0]?.bridges[0] ?? {};
  const bucketsOf = (id: string) =>
    (
      groups
        .find((group) => group.startsWith(`group_id=${id},`))
        ?.match(/load:0x[0-9a-f]+->NXM_NX_REG3/g) ?? []
    )
      .map((load) => Number(/0x[0-9a-f]+/.exec(load)?.[0]) & 0xff)
      .join();
  return [
    ...flows.flatMap((flow) =>
      [...flow.matchAll(/table=41,.*nw_dst=(\S+),tp_dst=(\d+),.*group:(\d+)/g)].map(
        ([, ip = '', port = '', id = '']) => `${ip}:${port} group ${id}: ${bucketsOf(id)}`,
      ),
    ),
    `of ${groups.length}`,
  ];
};

void t.test('groups', async (t) => {
  const { plan, restarted } = antrea('1.3');
  const [web, db] = [service('web', 10), service('db', 11)];
  const pods = [serving('w1', 'web', 2), serving('d1', 'db', 3)];
  const before = plan(antreaClusterOf(node, ...pods, web, db));
  t.strictSame(groupsIn(before), ['10.96.0.10:80 group 1: 2', '10.96.0.11:80 group 2: 3', 'of 2']);
  const more = plan(
    antreaClusterOf(
      node,
      service('first', 9),
      ...pods,
      serving('w2', 'web', 4),
      serving('f1', 'first', 5),
      web,
      db,
    ),
    before,
  );
  t.strictSame(
    groupsIn(more),
    ['10.96.0.9:80 group 3: 5', '10.96.0.10:80 group 1: 2,4', '10.96.0.11:80 group 2: 3', 'of 3'],
    'one comes before them, and an endpoint',
  );
  const fewer = plan(
    antreaClusterOf(
      node,
      ...pods.slice(1),
      service('web', 10, { ports: [{ port: 81 }] }),
      service('new', 12),
      serving('x1', 'new', 6),
      db,
    ),
    more,
  );
  t.strictSame(
    groupsIn(fewer),
    ['10.96.0.12:80 group 4: 6', '10.96.0.11:80 group 2: 3', 'of 2'],
    'one has gone, and another has no endpoint left',
  );
  const again = plan(
    antreaClusterOf(
      node,
      ...pods,
      service('web', 10, { ports: [{ port: 81 }] }),
      service('more', 13),
      serving('m1', 'more', 7),
      db,
    ),
    fewer,
  );
  t.strictSame(
    groupsIn(again),
    ['10.96.0.10:81 group 1: 2', '10.96.0.13:80 group 3: 7', '10.96.0.11:80 group 2: 3', 'of 3'],
    'what it had was kept for it, whatever its port; what was free for a while is taken',
  );
  const restartedPlan = plan(antreaClusterOf(node, ...pods, web, db), restarted?.(again, 'n1'));
  t.strictSame(
    groupsIn(restartedPlan),
    ['10.96.0.10:80 group 4: 2', '10.96.0.11:80 group 5: 3', 'of 2'],
    'behind those that are there',
  );
  t.strictSame(
    [
      restartedPlan.nodes[0]?.allocation?.firstGroup,
      restarted?.(restartedPlan, 'n1').nodes[0]?.allocation?.firstGroup,
    ],
    [4, 6],
  );
  t.equal(
    antrea('0.8').plan(antreaClusterOf(node, ...pods, web, db)).nodes[0]?.allocation,
    undefined,
    'kube-proxy has no groups',
  );
});
