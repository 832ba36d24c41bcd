// Goal: the ports of native sidecars count wherever those of containers do: for who listens, for
// policies and for Services, in what is promised and in what is programmed. Method: a pod with a
// sidecar, an init container that ends, and a container; each reader on its own.
import t from 'tap';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';
import { ovnKubernetesClusterOf } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';
import { portsAt } from './antrea/policy/ports.js';
import { aclsOf } from './ovn-cni/policy-acls.js';
import { policyRows } from './ovn-kubernetes/network-policies.js';
import { antreaIntent } from '../intent/antrea/antrea-intent.js';
import { servicesOf } from '../kube/services/policy-ports.js';
import { servicePortsOf } from '../kube/services/service-endpoints.js';

const init = (name: string, port: number, more: string) =>
  `{ name: ${name}, ${more}ports: [{ containerPort: ${port}, name: ${name} }] }`;
const text = [
  'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }',
  'apiVersion: v1\nkind: Pod\nmetadata: { name: db, labels: { app: db } }\nspec: { nodeName: n1, ' +
    `initContainers: [${init('stays', 8099, 'restartPolicy: Always, ')}, ` +
    `${init('ends', 8098, '')}]` +
    ', containers: [{ name: db, ports: [{ containerPort: 5432, name: sql }] }] }',
  'apiVersion: v1\nkind: Pod\nmetadata: { name: asker }\nspec: { nodeName: n1 }',
  ...['stays', 'ends'].map(
    (name, index) =>
      `apiVersion: v1\nkind: Service\nmetadata: { name: ${name} }\nspec: ` +
      `{ selector: { app: db }, clusterIP: 10.96.0.${index + 10}, ` +
      `ports: [{ port: 80, targetPort: ${name} }] }`,
  ),
  'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec: ' +
    '{ podSelector: { matchLabels: { app: db } }, ingress: [{ ports: [{ port: stays }] }] }',
].join('\n---\n');
const files = [{ file: 'a.yaml', text }];
const cluster = readAntreaCluster(files, { name: 'x', tunnel: 'geneve' });
const [db] = cluster.objects.pods;
const ask = (to: string, port: number) =>
  antreaIntent(cluster, { kind: 'tcp', from: 'asker', to, port }).kind;

void t.test('L0', (t) => {
  t.equal(ask('10.10.1.2', 8099), 'round-trip');
  t.equal(ask('10.10.1.2', 8098), 'denied', 'a container that has ended has no ports');
  t.equal(ask('10.96.0.10', 80), 'balanced');
  t.equal(ask('10.96.0.11', 80), 'rejected', 'and is behind no Service');
  t.end();
});

void t.test('who listens, and what is asked', (t) => {
  t.same(
    cluster.nodes[0]?.pods[0]?.listens?.map(({ port }) => port),
    [5432, 8099],
  );
  t.same(
    servicePortsOf(cluster.objects).map(({ endpoints }) => endpoints.map(({ port }) => port)),
    [[8099], []],
  );
  t.ok(servicesOf(cluster).some((one) => 'port' in one && one.port === 8099));
  t.end();
});

void t.test('control planes', (t) => {
  t.same(portsAt(db, [{ protocol: 'TCP', port: 'stays' }]), [
    { protocol: 'TCP', range: { first: 8099, last: 8099 } },
  ]);
  t.same(portsAt(db, [{ protocol: 'TCP', port: 'ends' }]), []);
  const network = ovnKubernetesClusterOf(files, { name: 'x' }, 'one');
  t.match(JSON.stringify(policyRows(network, network.nodes)), '(tcp.dst == 8099)');
  const joined = {
    port: { uuid: '', name: 'lsp', ip: '10.10.1.2', namespace: 'default', pod: 'db' },
    pod: db as unknown as Parameters<typeof aclsOf>[2]['joined'][number]['pod'],
    namespace: { metadata: { name: 'default' } },
  };
  t.same(
    aclsOf(
      { name: 'g', namespace: 'default' },
      {
        direction: 'to-lport',
        rules: [{ peers: [], ports: [{ port: 'stays' }, { port: 'ends' }] }],
      },
      { joined: [joined], selected: [joined], sets: new Map() },
    ),
    [
      {
        direction: 'to-lport',
        match: 'outport == @g && ip4 && outport == "lsp" && tcp.dst == 8099',
      },
    ],
  );
  t.end();
});
