// Goal: a control plane refuses by name what it does not program, before a switch comes up, and
// what a network is played without is noted. Method: small clusters; each policy kind on each
// control plane, each field and mark that is noted.
import t from 'tap';
import { ovnCniCluster } from '../../topologies/ovn-cni/ovn-cni-cluster.js';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';
import { ovnKubernetesClusterOf } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';
import { antrea } from './antrea/index.js';
import { ovn } from './ovn/index.js';
import { ovnCni } from './ovn-cni/index.js';
import { ovnKubernetes } from './ovn-kubernetes/index.js';
import { readManifests } from '../kube/manifests.js';

const node = 'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }';
const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }';
const subject = 'subject: { namespaces: {} }';
const clusterWide: Readonly<Record<string, string>> = {
  AdminNetworkPolicy:
    'apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n' +
    `metadata: { name: one }\nspec: { priority: 1, ${subject} }`,
  BaselineAdminNetworkPolicy:
    'apiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\n' +
    `metadata: { name: default }\nspec: { ${subject} }`,
  'ClusterNetworkPolicy of Kubernetes':
    'apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\n' +
    `metadata: { name: one }\nspec: { tier: Admin, priority: 1, ${subject} }`,
  "Antrea's ClusterNetworkPolicy":
    'apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: { name: one }\n' +
    'spec: { priority: 1, appliedTo: [{ podSelector: {} }] }',
  "Antrea's NetworkPolicy":
    'apiVersion: crd.antrea.io/v1beta1\nkind: NetworkPolicy\nmetadata: { name: one }\n' +
    'spec: { priority: 1, appliedTo: [{ podSelector: {} }] }',
  "Antrea's first ClusterNetworkPolicy":
    'apiVersion: security.antrea.tanzu.vmware.com/v1alpha1\nkind: ClusterNetworkPolicy\n' +
    'metadata: { name: one }\nspec: { priority: 1, appliedTo: [{ podSelector: {} }] }',
};
const networkPolicy =
  'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: one, namespace: shop }';

const files = (...texts: readonly string[]) => [
  { file: 'a.yaml', text: [node, namespace, ...texts].join('\n---\n') },
];
const onAntrea = (text: string) =>
  antrea('1.3').plan(readAntreaCluster(files(text), { name: 'x', tunnel: 'geneve' }));
const onOvnKubernetes = (text: string) =>
  ovnKubernetes().plan(ovnKubernetesClusterOf(files(text), { name: 'x' }, 'a-node'));
const onOvnCni = (text: string) => ovnCni().plan(ovnCniCluster(files(text), 'x', 'has followed'));

for (const [what, text] of Object.entries(clusterWide))
  void t.test(what, (t) => {
    t.doesNotThrow(() => onAntrea(text));
    for (const [name, play] of [
      ['ovn-kubernetes', onOvnKubernetes],
      ['ovn-cni', onOvnCni],
    ] as const)
      t.throws(
        () => play(text),
        { message: new RegExp(`^a\\.yaml:10:\\d+: ClusterNetworkPolicy .*: ${name}: .*antrea$`) },
        name,
      );
    t.end();
  });

void t.test('NetworkPolicies are played by all that promise them', (t) => {
  for (const play of [onAntrea, onOvnKubernetes, onOvnCni])
    t.doesNotThrow(() => play(networkPolicy));
  const cluster = readAntreaCluster(files(networkPolicy), { name: 'x', tunnel: 'geneve' });
  t.throws(() => ovn().plan(cluster), {
    message: /^a\.yaml:10:\d+: NetworkPolicy shop\/one: ovn: .* or ovn-cni$/,
  });
  t.end();
});

const pod = (metadata: string, spec: string, status = '{}') =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: web, ${metadata} }\nspec: { nodeName: n1, ` +
  `containers: [${spec}] }\nstatus: ${status}`;

void t.test('what a network is played without is noted', (t) => {
  const table: readonly (readonly [text: string, note: RegExp])[] = [
    [pod('', '{ name: c, ports: [{ containerPort: 80, hostPort: 81 }] }'), /hostPort: 81\): /],
    [
      pod('annotations: { k8s.v1.cni.cncf.io/networks: a }', '{ name: c }'),
      /^Pod default\/web \(k8s.v1.cni.cncf.io\/networks: a\): second networks/,
    ],
    [pod('annotations: { cni.projectcalico.org/ipAddrs: a }', '{ name: c }'), /is not read here/],
    [
      pod(
        '',
        '{ name: c }',
        '{ podIP: 10.10.1.9, podIPs: [{ ip: 10.10.1.9 }, { ip: "fd00::9" }] }',
      ),
      /^Pod default\/web \(fd00::9\): IPv6/,
    ],
    [
      pod('', '{ name: c }', '{ podIP: "fd00::9" }'),
      /^of IPv6 alone, and left out: Pod default\/web/,
    ],
    [
      'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { clusterIP: "fd00::1" }',
      /^of IPv6 alone, and left out: Service default\/web/,
    ],
    [
      'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { trafficDistribution: ' +
        'PreferSameNode }',
      /PreferSameNode\): which of the endpoints are preferred is not asked/,
    ],
    [
      'apiVersion: v1\nkind: Node\nmetadata: { name: n2, labels: { kubernetes.io/os: windows } }',
      /^Node n2 .*: nodes of manifests are played as nodes of Linux/,
    ],
    [pod('annotations: { example.com/a: b }', '{ name: c, args: [x] }'), /^$/],
  ];
  for (const [text, note] of table)
    t.match(readManifests(files(text)).notes.join('\n'), note, text.split('\n').slice(2).join(' '));
  t.end();
});

void t.test('the IPv4 half is the one that is asked', (t) => {
  const { pods, services } = readManifests(
    files(
      pod(
        '',
        '{ name: c }',
        '{ podIP: "fd00::9", podIPs: [{ ip: "fd00::9" }, { ip: 10.10.1.9 }] }',
      ),
      'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { clusterIP: "fd00::1", ' +
        'clusterIPs: ["fd00::1", 10.96.0.9], ipFamilies: [IPv6, IPv4] }',
    ),
  ).objects;
  t.same(
    pods.map(({ status }) => status.podIP),
    ['10.10.1.9'],
  );
  t.same(
    services.map(({ spec }) => spec.clusterIP),
    ['10.96.0.9'],
  );
  t.throws(
    () =>
      readManifests(
        files(pod('', '{ name: c }', '{ podIP: 10.10.1.9, podIPs: [{ ip: 10.10.1.8 }] }')),
      ),
    /10\.10\.1\.9 is none of podIPs/,
  );
  t.end();
});
