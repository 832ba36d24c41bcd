// Goal: what has no part in a failure is removed, what has one stays, and the failure is the same
// at every step. Method: a network of manifests with 50 pods and 200 policies; what fails is a
// condition on two of the pods and one rule of one policy.
import t from 'tap';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';
import type { Network } from '../kube/objects.js';
import { shrinkNetworks, type Networks } from './shrink-networks.js';

const pods = Array.from(
  { length: 50 },
  (_, index) => `apiVersion: v1
kind: Pod
metadata: { name: p${index}, namespace: shop, labels: { app: a${index} } }
spec: { nodeName: n${(index % 4) + 1}, containers: [{ name: c }] }
`,
);
const policies = Array.from(
  { length: 200 },
  (_, index) => `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: np${index}, namespace: shop }
spec:
  podSelector: { matchLabels: { app: a${index % 50} } }
  ingress:
    - { from: [{ podSelector: {} }], ports: [{ port: ${index + 1} }] }
    - { ports: [{ port: 80 }, { port: 81 }] }
`,
);
const others = [1, 2, 3, 4].map(
  (node) => `apiVersion: v1
kind: Node
metadata: { name: n${node} }
`,
);
const text = [
  ...others,
  'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n',
  ...pods,
  ...policies,
].join('---\n');
const network: Network = readAntreaCluster([{ file: 'manifests.yaml', text }], {
  name: 'manifests',
  tunnel: 'geneve',
});

/** The failure needs both pods, and the port 81 of policy np107. */
function fails({ nodes, objects }: Network): boolean {
  const names = nodes.flatMap((node) => node.pods.map(({ name }) => name));
  const policy = objects?.networkPolicies.find(({ metadata }) => metadata.name === 'np107');
  return (
    ['p7.shop', 'p30.shop'].every((name) => names.includes(name)) &&
    (policy?.spec.ingress ?? []).some(({ ports }) => ports?.some(({ port }) => port === 81))
  );
}

void t.test('50 pods and 200 policies', async (t) => {
  t.ok(fails(network));
  let asked = 0;
  const [found] = await shrinkNetworks([network], ([some]) => {
    asked++;
    return Promise.resolve(some !== undefined && fails(some));
  });
  if (found === undefined) return void t.fail('there is a network');
  t.ok(fails(found));
  t.same(
    found.nodes.map(({ name, pods: left }) => [name, left.map((pod) => pod.name)]),
    [
      ['n3', ['p30.shop']],
      ['n4', ['p7.shop']],
    ],
  );
  t.equal(found.objects?.pods.length, 2);
  t.same(
    found.objects?.networkPolicies.map(({ metadata, spec }) => [
      metadata.name,
      spec.ingress?.map(({ from = [], ports = [] }) => [
        from.length,
        ports.map(({ port }) => port),
      ]),
    ]),
    [['np107', [[0, [81]]]]],
  );
  t.ok(asked < 400, `${asked} networks were asked`);
});

void t.test('states of a network that changes are shrunk together', async (t) => {
  const policies = network.objects?.networkPolicies ?? [];
  const before: Network = {
    ...network,
    objects: {
      ...(network.objects ?? fail()),
      networkPolicies: policies.filter(({ metadata }) => metadata.name !== 'np107'),
    },
  };
  const holds = ([first, last]: Networks) =>
    Promise.resolve(first !== undefined && last !== undefined && !fails(first) && fails(last));
  const found = await shrinkNetworks([before, network], holds);
  t.same(
    found.map(({ objects, nodes }) => [
      objects?.networkPolicies.map(({ metadata }) => metadata.name),
      nodes.flatMap(({ pods: left }) => left.map(({ name }) => name)),
    ]),
    [
      [[], ['p30.shop', 'p7.shop']],
      [['np107'], ['p30.shop', 'p7.shop']],
    ],
  );
});

function fail(): never {
  throw new Error('it has objects');
}

void t.test('what fails in no smaller network stays whole', async (t) => {
  t.same(await shrinkNetworks([network], () => Promise.resolve(false)), [network]);
});
