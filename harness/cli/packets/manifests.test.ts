// Goal: what kubectl prints of a whole cluster is read: what no packet depends on is skipped and
// named, pods without a node are left out and named, and no policy is skipped. Method: one List
// with an object of each sort, the notes compared whole; a table of kinds and how each
// is handled; policies of four APIs that mean the same, whose promises are compared cell by cell.
import { join } from 'node:path';
import t from 'tap';
import { readManifestPath } from '../../../topologies/manifest-folder.js';
import { readAntreaCluster } from '../../../topologies/antrea/read-antrea-cluster.js';
import { antrea } from '../../control/antrea/index.js';
import { truthTableOf } from '../../run/coverage/truth-table.js';
import { handlingOf } from '../../kube/kinds.js';
import { readManifests } from '../../kube/manifests.js';

const item = (apiVersion: string, kind: string, name: string, more = '') =>
  `- { apiVersion: ${apiVersion}, kind: ${kind}, metadata: { name: ${name} }${more} }\n`;
const list = (...items: readonly string[]) =>
  `apiVersion: v1\nkind: List\nmetadata: { resourceVersion: "" }\nitems:\n${items.join('')}`;
const node = item('v1', 'Node', 'n1');
const pod = (name: string, spec = 'nodeName: n1, ') =>
  `- { apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${name} } }, ` +
  `spec: { ${spec}containers: [{ name: c, ports: [{ name: web, containerPort: 80 }] }] } }\n`;
const service = (more: string) =>
  item('v1', 'Service', 'db', `, spec: { clusterIP: 10.96.0.9, ports: [{ port: 5432 }]${more} }`);

void t.test('a whole cluster', (t) => {
  const { objects, notes } = readManifests([
    {
      file: 'all.yaml',
      text: list(
        node,
        pod('a'),
        pod('b', ''),
        pod('c', 'nodeName: "", '),
        item('apps/v1', 'Deployment', 'a', ', spec: { replicas: 1 }'),
        item('apps/v1', 'ReplicaSet', 'a-1'),
        item('apps/v1', 'ReplicaSet', 'a-2'),
        item('batch/v1', 'Job', 'j'),
        item('v1', 'ConfigMap', 'm', ', data: { any: thing }'),
        item('v1', 'Secret', 's'),
        item('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'x.example.org'),
        item('serving.knative.dev/v1', 'Service', 'other'),
        item('example.org/v1', 'Widget', 'w'),
        item('v1', 'Endpoints', 'db'),
        item(
          'discovery.k8s.io/v1',
          'EndpointSlice',
          'db-6',
          ', addressType: IPv6, endpoints: [{ addresses: ["fd00::1"] }]',
        ),
        service(', selector: { app: a }'),
      ),
    },
  ]);
  t.same(notes, [
    'skipped, as no packet depends on them: ConfigMap, CustomResourceDefinition, Deployment, ' +
      'EndpointSlice of IPv6, Endpoints, Job, ReplicaSet (2), Secret, Service, Widget',
    'pending, on no node, and left out: default/b, default/c',
  ]);
  t.same(
    [...objects.pods, ...objects.services].map(({ metadata }) => metadata.name),
    ['a', 'db'],
  );
  t.throws(
    () =>
      readManifests([
        { file: 'all.yaml', text: list(node, service(''), item('v1', 'Endpoints', 'db')) },
      ]),
    /^all\.yaml:7:\d+: Endpoints default\/db, of a Service without a selector, are not read/,
  );
  t.end();
});

void t.test('how a kind is handled', (t) => {
  const table: readonly (readonly [
    apiVersion: string | undefined,
    kind: string,
    handling: string,
  ])[] = [
    ['v1', 'Pod', 'read'],
    [undefined, 'Pod', 'read'],
    ['v2', 'Pod', 'read'],
    ['v1', 'Pdo', 'unknown'],
    ['apps/v1', 'Deployment', 'skipped'],
    ['networking.k8s.io/v1', 'NetworkPolicy', 'read'],
    ['networking.k8s.io/v1', 'Ingress', 'skipped'],
    ['crd.antrea.io/v1beta1', 'NetworkPolicy', 'policy of others'],
    ['crd.antrea.io/v1beta1', 'ClusterNetworkPolicy', 'policy of others'],
    ['crd.antrea.io/v1beta1', 'Tier', 'skipped'],
    ['crd.antrea.io/v1beta1', 'Egress', 'refused'],
    ['crd.antrea.io/v1alpha1', 'BGPPolicy', 'refused'],
    ['policy.networking.k8s.io/v1alpha1', 'AdminNetworkPolicy', 'policy of others'],
    ['policy.networking.k8s.io/v1alpha2', 'ClusterNetworkPolicy', 'policy of others'],
    ['policy/v1', 'PodDisruptionBudget', 'skipped'],
    ['cilium.io/v2', 'CiliumNetworkPolicy', 'refused'],
    ['crd.projectcalico.org/v1', 'GlobalNetworkSet', 'refused'],
    ['k8s.ovn.org/v1', 'EgressIP', 'refused'],
    ['security.istio.io/v1', 'AuthorizationPolicy', 'refused'],
    ['example.org/v1', 'Firewall', 'refused'],
    ['example.org/v1', 'Widget', 'skipped'],
  ];
  for (const [apiVersion, kind, handling] of table)
    t.equal(handlingOf(apiVersion, kind).kind, handling, `${kind} of ${apiVersion}`);
  t.end();
});

const labels = (app: string) => `{ matchLabels: { app: ${app} } }`;
const everywhere = '{ matchExpressions: [] }';
const pods = (app: string) => `{ namespaceSelector: ${everywhere}, podSelector: ${labels(app)} }`;
/** a gets c at port 80 alone, b not at all, and c gets no node. */
const spelled: Readonly<Record<string, string>> = {
  'security.antrea.tanzu.vmware.com/v1alpha1': item(
    'security.antrea.tanzu.vmware.com/v1alpha1',
    'ClusterNetworkPolicy',
    'p',
    `, spec: { priority: 5, appliedTo: [${pods('c')}], ingress: [{ action: Allow, from: [${pods('a')}], ports: [{ port: web }] }, { action: Drop, from: [${pods('a')}, ${pods('b')}] }], egress: [{ action: Drop, to: [{ ipBlock: { cidr: 172.30.0.0/24 } }] }] }`,
  ),
  'crd.antrea.io/v1beta1': item(
    'crd.antrea.io/v1beta1',
    'ClusterNetworkPolicy',
    'p',
    `, spec: { tier: application, priority: 5, appliedTo: [${pods('c')}], ingress: [{ name: r, enableLogging: false, action: Allow, from: [${pods('a')}], ports: [{ port: 80, endPort: 80 }] }, { action: Drop, from: [${pods('a')}, ${pods('b')}] }], egress: [{ action: Drop, to: [{ ipBlock: { cidr: 172.30.0.0/24 } }] }] }`,
  ),
  'crd.antrea.io/v1beta1 of a namespace': item(
    'crd.antrea.io/v1beta1',
    'NetworkPolicy',
    'p',
    `, spec: { priority: 5, appliedTo: [{ podSelector: ${labels('c')} }], ingress: [{ action: Allow, from: [{ podSelector: ${labels('a')} }], ports: [{ port: web }] }, { action: Drop, from: [{ podSelector: ${labels('a')} }, ${pods('b')}] }], egress: [{ action: Drop, to: [{ ipBlock: { cidr: 172.30.0.0/24 } }] }] }`,
  ),
  'policy.networking.k8s.io/v1alpha1': item(
    'policy.networking.k8s.io/v1alpha1',
    'AdminNetworkPolicy',
    'p',
    `, spec: { priority: 0, subject: { pods: ${pods('c')} }, ingress: [{ name: r, action: Allow, from: [{ pods: ${pods('a')} }], ports: [{ portNumber: { protocol: TCP, port: 80 } }] }, { action: Deny, from: [{ pods: ${pods('a')} }, { pods: ${pods('b')} }] }], egress: [{ action: Deny, to: [{ networks: [172.30.0.0/24] }] }] }`,
  ),
  'baseline of policy.networking.k8s.io/v1alpha1': item(
    'policy.networking.k8s.io/v1alpha1',
    'BaselineAdminNetworkPolicy',
    'default',
    `, spec: { subject: { pods: ${pods('c')} }, ingress: [{ action: Allow, from: [{ pods: ${pods('a')} }], ports: [{ portRange: { start: 80, end: 80 } }] }, { action: Deny, from: [{ pods: ${pods('a')} }, { pods: ${pods('b')} }] }], egress: [{ action: Deny, to: [{ networks: [172.30.0.0/24] }] }] }`,
  ),
  'policy.networking.k8s.io/v1alpha2': item(
    'policy.networking.k8s.io/v1alpha2',
    'ClusterNetworkPolicy',
    'p',
    `, spec: { tier: Admin, priority: 7, subject: { pods: ${pods('c')} }, ingress: [{ action: Accept, from: [{ pods: ${pods('a')} }], protocols: [{ tcp: { destinationPort: { number: 80 } } }] }, { action: Deny, from: [{ pods: ${pods('a')} }, { pods: ${pods('b')} }] }], egress: [{ action: Deny, to: [{ networks: [172.30.0.0/24] }] }] }`,
  ),
};
const cluster = (...policies: readonly string[]) =>
  list(node, item('v1', 'Node', 'n2'), pod('a'), pod('b'), pod('c', 'nodeName: n2, '), ...policies);

void t.test('policies of several APIs that mean the same', (t) => {
  const [expected, ...others] = Object.entries(spelled).map(([api, policy]) => ({
    api,
    cells: cellsOf(cluster(policy)),
  }));
  t.ok(expected?.cells.includes('tcp-80/a/c: round-trip'));
  t.ok(expected?.cells.includes('tcp-80/b/c: denied'));
  for (const { api, cells } of others) t.same(cells, expected?.cells, api);
  t.end();
});

/** What is promised at port 80, and at one that nobody has. */
function cellsOf(text: string): readonly string[] {
  const network = readAntreaCluster([{ file: 'f', text }], { name: 'x', tunnel: 'geneve' });
  return truthTableOf(network, antrea('1.3'))
    .cells.filter(({ id }) => /\b(80|9)\//.test(id))
    .map(({ id, intent }) => `${id}: ${intent.kind}`)
    .sort();
}

void t.test('policies that mean something else are refused', (t) => {
  const change = (api: string, from: string, to: string) => {
    const policy = spelled[api] ?? '';
    t.ok(policy.includes(from), from);
    return policy.replace(from, to);
  };
  const networkPolicy = item('networking.k8s.io/v1', 'NetworkPolicy', 'np', ', spec: {}');
  const v1beta1 = 'crd.antrea.io/v1beta1';
  const v1alpha1 = 'policy.networking.k8s.io/v1alpha1';
  const v1alpha2 = 'policy.networking.k8s.io/v1alpha2';
  const table: readonly (readonly [text: readonly string[], message: RegExp])[] = [
    [
      [change(v1beta1, 'application', 'baseline')],
      /^f:10:\d+: spec\.tier: only application is served/,
    ],
    [[change(v1beta1, 'Drop', 'Reject')], /spec\.ingress\[1\]\.action: expected Allow or Drop/],
    [
      [change(v1beta1, '{ ipBlock: { cidr: 172.30.0.0/24 } }', '{ fqdn: a.example }')],
      /^f:10:\d+: spec\.egress\[0\]\.to\[0\].*: "fqdn" is not modelled here/,
    ],
    [[change(v1alpha1, 'Deny', 'Pass')], /action: expected Allow or Deny, got "Pass"/],
    [[change(v1alpha1, 'networks: [172.30.0.0/24]', 'nodes: {}')], /"nodes" is not modelled here/],
    [[change(v1alpha2, 'Accept', 'Allow')], /action: expected Accept or Deny, got "Allow"/],
    [
      [spelled[`baseline of ${v1alpha1}`] ?? '', networkPolicy],
      /^f:10:\d+: kind: BaselineAdminNetworkPolicy default is asked after NetworkPolicies, and there are some/,
    ],
    [
      [spelled[v1alpha1] ?? '', spelled[v1beta1] ?? ''],
      /^f:10:\d+: kind: AdminNetworkPolicy p is asked after Antrea's own policies, and there are some/,
    ],
    [
      [spelled[v1alpha1] ?? '', spelled[v1alpha2] ?? ''],
      /ClusterNetworkPolicy p is of policy\.networking\.k8s\.io\/v1alpha2, and another/,
    ],
    [
      [item('crd.antrea.io/v1beta1', 'Egress', 'e')],
      /^f:10:\d+: Egress of crd\.antrea\.io decides/,
    ],
  ];
  for (const [policies, message] of table)
    t.throws(() => readManifests([{ file: 'f', text: cluster(...policies) }]), message);
  t.end();
});

void t.test('a path is a file or a folder', (t) => {
  const folder = t.testdir({ 'all.yaml': list(node, pod('a')), 'notes.txt': 'no manifest' });
  const file = join(folder, 'all.yaml');
  t.same(readManifestPath(file), [{ file, text: list(node, pod('a')) }]);
  t.same(readManifestPath(folder), readManifestPath(file), 'other files of a folder are not read');
  t.throws(() => readManifestPath(join(folder, 'gone.yaml')), /cannot read .*gone\.yaml/);
  t.end();
});
