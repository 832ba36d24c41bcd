// Goal: L0 says of Services what Kubernetes promises, read from the objects alone. Method: the
// Services of topologies/antrea/services, and small clusters for what those do not have; every
// promise against a table.
import t from 'tap';
import { readAntreaCluster } from '../../../../topologies/antrea/read-antrea-cluster.js';
import { servicesCluster } from '../../../../topologies/antrea/services.js';
import type { Cluster } from '../../../kube/objects.js';
import type { Intent } from '../../../domain/intent.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { antreaIntent } from '../../antrea/antrea-intent.js';

const cluster = servicesCluster('geneve');
const tcp = (from: string, to: string, port: number): Stimulus => ({ kind: 'tcp', from, to, port });
const calls = (
  to: string,
  count: number,
  everyMs: number,
  protocol: 'TCP' | 'UDP' = 'TCP',
  port = 80,
): Stimulus => ({ kind: 'calls', from: 'asker1', to, port, protocol, count, everyMs });

/**
 * `web1<10.10.1.2 web2<10.10.1.2`, and how calls are spread where that is said; the kind of what is
 * no choice.
 */
function said(stimulus: Stimulus, network: Cluster = cluster): string {
  const intent: Intent = antreaIntent(network, stimulus);
  if (intent.kind !== 'balanced') return intent.kind;
  const spread = intent.spread === 'any' ? '' : `, ${intent.spread}`;
  return `${intent.answerers.map(({ to, sources }) => `${to}<${sources.join('|')}`).join(' ')}${spread}${intent.lost === undefined ? '' : ', or lost'}`;
}

void t.test('who answers, and whom it sees', async (t) => {
  const table: readonly (readonly [from: string, to: string, port: number, expected: string])[] = [
    ['asker1', '10.96.0.10', 80, 'web1<10.10.1.2 web2<10.10.1.2'],
    ['asker2', '10.96.0.10', 9000, 'web1<10.10.2.2 web2<10.10.2.2'],
    ['asker1', '10.96.0.11', 80, 'web1<10.10.1.2 web2<10.10.1.2 web3<10.10.1.2'],
    ['web1', '10.96.0.10', 80, 'web1<10.10.1.1|169.254.169.252 web2<10.10.1.4'],
    ['n1', '10.96.0.10', 80, 'web1<10.10.1.1 web2<10.10.1.1'],
    ['asker1', '10.96.0.15', 80, 'n2<172.30.0.1'],
    ['asker2', '10.96.0.15', 80, 'n2<10.10.2.2'],
    ['n1', '10.96.0.15', 80, 'n2<172.30.0.1'],
    ['asker1', '10.96.0.16', 80, 'x1<172.30.0.1'],
    ['asker1', '10.96.0.13', 53, 'dns1<10.10.1.2 dns2<10.10.1.2'],
    ['asker1', '10.96.0.17', 80, 'rejected'],
    ['asker1', '10.96.0.10', 81, 'denied'],
    ['asker1', '10.96.0.99', 80, 'denied'],
    // Its policy lets it reach port 8080 of the web alone, which is web1's.
    ['picky', '10.96.0.10', 80, 'web1<10.10.1.3, or lost'],
    ['picky', '10.96.0.14', 80, 'web1<10.10.1.3'],
    ['picky', '10.96.0.13', 53, 'denied'],
    ['picky', '10.96.0.16', 80, 'x1<172.30.0.1, or lost'],
    ['picky', '10.96.0.17', 80, 'either'],
  ];
  for (const [from, to, port, expected] of table)
    t.equal(said(tcp(from, to, port)), expected, `${from} to ${to}, port ${port}`);
  t.equal(
    said({ kind: 'udp', from: 'asker1', to: '10.96.0.13', port: 53 }),
    'dns1<10.10.1.2 dns2<10.10.1.2',
  );
  t.equal(
    said({ kind: 'sctp', from: 'asker1', to: '10.96.0.19', port: 7070 }),
    'dns1<10.10.1.2 dns2<10.10.1.2',
  );
  t.equal(
    said({ kind: 'udp', from: 'asker1', to: '10.96.0.10', port: 80 }),
    'denied',
    'the protocol counts',
  );
  t.equal(said({ kind: 'ping', from: 'asker1', to: '10.96.0.10' }), 'denied');
});

void t.test(
  "from outside: by a port of a node, a load balancer's address and an external one",
  async (t) => {
    const [n1, n2] = ['172.30.0.1', '172.30.0.2'];
    const table: readonly (readonly [from: string, to: string, port: number, expected: string])[] =
      [
        // Anybody answers, and sees the node that was asked.
        ['x1', n1, 30080, 'web1<10.10.1.1 web2<10.10.1.1'],
        ['x1', n2, 30080, 'web1<10.10.2.1 web2<10.10.2.1'],
        ['asker1', n1, 30080, 'web1<10.10.1.1 web2<10.10.1.1'],
        ['asker1', n2, 30080, 'web1<10.10.2.1 web2<10.10.2.1'],
        ['n2', n1, 30080, 'web1<10.10.1.1 web2<10.10.1.1'],
        // By the address of its gateway, as any other of its own.
        ['asker1', '10.10.1.1', 30080, 'web1<10.10.1.1 web2<10.10.1.1'],
        ['asker1', '10.10.1.1', 30081, 'web1<10.10.1.2 web2<10.10.1.2 web3<10.10.1.2'],
        // Who is on the node answers, and sees who asks; pods on the node, and the node, get any.
        ['x1', n1, 30081, 'web1<172.30.255.1'],
        ['x1', n2, 30081, 'web2<172.30.255.1 web3<172.30.255.1'],
        ['asker1', n1, 30081, 'web1<10.10.1.2 web2<10.10.1.2 web3<10.10.1.2'],
        ['asker1', n2, 30081, 'web2<172.30.0.1 web3<172.30.0.1'],
        ['n2', n1, 30081, 'web1<172.30.0.2'],
        ['x1', n1, 30014, 'web1<172.30.255.1'],
        ['x1', n2, 30014, 'denied'],
        // On the host's network: what ends at the node that was asked keeps its sender.
        ['x1', n1, 30015, 'n2<172.30.0.1'],
        ['x1', n2, 30015, 'n2<172.30.255.1'],
        ['x1', n1, 30017, 'rejected'],
        ['asker1', n1, 30017, 'rejected'],
        ['picky', n1, 30017, 'denied'],
        ['x1', n1, 30082, 'refused'],
        // By addresses: x1 is balanced to n1, x2 to n2.
        ['x1', '192.0.2.12', 80, 'dns1<10.10.1.1 dns2<10.10.1.1'],
        ['x2', '192.0.2.12', 80, 'dns1<10.10.2.1 dns2<10.10.2.1'],
        ['asker2', '192.0.2.12', 80, 'dns1<10.10.2.1|10.10.2.2 dns2<10.10.2.1|10.10.2.2'],
        ['n2', '192.0.2.12', 80, 'dns1<10.10.2.1 dns2<10.10.2.1'],
        ['x1', '192.0.2.14', 80, 'web1<172.30.255.1'],
        ['x2', '192.0.2.14', 80, 'denied'],
        ['asker2', '192.0.2.14', 80, 'web1<10.10.2.2'],
        ['x2', '192.0.2.16', 80, 'x1<172.30.0.2'],
        ['x1', '192.0.2.12', 81, 'denied'],
        // Its policy speaks of port 8080 of the web; whether that is asked before or after the
        // node's address gives way to the endpoint's is open.
        ['picky', n1, 30080, 'web1<10.10.1.1, or lost'],
        ['picky', '192.0.2.14', 80, 'web1<10.10.1.3, or lost'],
      ];
    for (const [from, to, port, expected] of table)
      t.equal(said(tcp(from, to, port)), expected, `${from} to ${to}, port ${port}`);
    t.equal(said({ kind: 'udp', from: 'x1', to: n2, port: 30053 }), 'dns2<172.30.255.1');
    t.equal(
      said({ kind: 'sctp', from: 'x1', to: n2, port: 30070 }),
      'dns1<10.10.2.1 dns2<10.10.2.1',
    );
    t.equal(
      said({ ...calls('192.0.2.12', 21, 10), from: 'x1' }),
      'dns1<10.10.1.1 dns2<10.10.1.1, the same',
    );
    t.equal(
      said({ ...calls(n2, 21, 10, 'TCP', 30081), from: 'x1' }),
      'web2<172.30.255.1 web3<172.30.255.1, every one',
    );
    const unpromised: readonly Stimulus[] = [
      tcp('n1', n1, 30080),
      tcp('asker1', n2, 30017),
      tcp('n2', n1, 30015),
      tcp('asker1', '10.10.2.1', 30080),
      tcp('n2', '10.10.1.1', 30080),
      { kind: 'open', from: 'x1', to: n1, port: 30080, connection: 'c' },
    ];
    for (const stimulus of unpromised)
      t.throws(
        () => antreaIntent(cluster, stimulus),
        { name: 'Unsupported' },
        JSON.stringify(stimulus),
      );
  },
);

void t.test('policies of who is asked from outside go by whom it sees', async (t) => {
  const guarded = (from: string): Cluster => ({
    ...cluster,
    objects: {
      ...cluster.objects,
      networkPolicies: [
        ...cluster.objects.networkPolicies,
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: 'guard', namespace: 'default', labels: {} },
          spec: {
            podSelector: { matchLabels: { app: 'web' } },
            policyTypes: ['Ingress'],
            ingress: [{ from: [{ ipBlock: { cidr: from } }] }],
          },
        },
      ],
    },
  });
  const [n1, n2] = ['172.30.0.1', '172.30.0.2'];
  t.equal(
    said(tcp('x1', n1, 30081), guarded('172.30.255.1/32')),
    'web1<172.30.255.1',
    'the client itself',
  );
  t.equal(said(tcp('x2', n1, 30081), guarded('172.30.255.1/32')), 'denied', 'another client');
  t.equal(
    said(tcp('x1', n1, 30080), guarded('172.30.255.1/32')),
    'web1<10.10.1.1, or lost',
    "where the node hides it, the gateway of web1's own node is never kept out, and that of " +
      'another node is',
  );
  t.equal(said(tcp('x1', n2, 30080), guarded('10.10.2.1/32')), 'web1<10.10.2.1 web2<10.10.2.1');
  t.equal(
    said(tcp('asker1', n2, 30081), guarded('172.30.0.1/32')),
    'web2<172.30.0.1 web3<172.30.0.1, or lost',
    'a pod that its node hides may be either',
  );
});

void t.test('several calls', async (t) => {
  t.equal(said(calls('10.96.0.14', 2, 10)), 'web1<10.10.1.2, every one');
  t.equal(
    said(calls('10.96.0.11', 37, 10)),
    'web1<10.10.1.2 web2<10.10.1.2 web3<10.10.1.2, every one',
  );
  t.equal(
    said(calls('10.96.0.11', 36, 10)),
    'web1<10.10.1.2 web2<10.10.1.2 web3<10.10.1.2',
    'too few to be sure',
  );
  t.equal(
    said(calls('10.96.0.13', 99, 10, 'UDP', 53)),
    'dns1<10.10.1.2 dns2<10.10.1.2',
    'nobody says what a connection of datagrams is',
  );
  t.equal(said(calls('10.96.0.12', 99, 10)), 'dns1<10.10.1.2 dns2<10.10.1.2, the same');
  t.equal(
    said(calls('10.96.0.12', 99, 10_800_000)),
    'dns1<10.10.1.2 dns2<10.10.1.2',
    'on the edge',
  );
  t.equal(
    said(calls('10.96.0.18', 21, 5000)),
    'dns1<10.10.1.2 dns2<10.10.1.2, every one',
    'each after its time',
  );
  t.equal(
    said(calls('10.96.0.18', 21, 1000)),
    'dns1<10.10.1.2 dns2<10.10.1.2',
    'whether time begins with the first or the last is open',
  );
});

void t.test('what nothing is promised about', async (t) => {
  const unpromised: readonly Stimulus[] = [
    { kind: 'tcp', from: 'asker1', to: '10.96.0.10', port: 80, ttl: 2 },
    tcp('n2', '10.96.0.15', 80),
    { ...calls('10.96.0.10', 2, 1), from: 'picky' },
    calls('10.10.1.4', 2, 1),
    { ...calls('172.30.0.2', 2, 1), from: 'n1' },
  ];
  for (const stimulus of unpromised)
    t.throws(() => antreaIntent(cluster, stimulus), { name: 'Unsupported' });
  const behind = (endpoint: string) =>
    readAntreaCluster(
      [
        {
          file: 'x.yaml',
          text: `
apiVersion: v1
kind: Node
metadata: { name: n1 }
---
apiVersion: v1
kind: Pod
metadata: { name: a }
spec: { nodeName: n1 }
---
apiVersion: v1
kind: Pod
metadata: { name: b }
spec: { nodeName: n1, containers: [{ name: main }] }
---
apiVersion: v1
kind: Service
metadata: { name: s }
spec: { clusterIP: 10.96.0.10, ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: s-1, labels: { kubernetes.io/service-name: s } }
addressType: IPv4
ports: [{ port: 7777 }]
endpoints: [{ addresses: [${endpoint}] }]
`,
        },
      ],
      { name: 'x', tunnel: 'geneve' },
    );
  t.throws(() => antreaIntent(behind('10.10.1.2'), tcp('n1', '10.96.0.10', 80)), {
    name: 'Unsupported',
    message: /TCP port 7777 of a, where nobody listens/,
  });
  t.match(
    antreaIntent(behind('10.10.1.3'), tcp('n1', '10.96.0.10', 80)),
    { kind: 'balanced', answerers: [{ to: 'b' }] },
    'who is an endpoint answers there, whatever its containers say',
  );
  t.match(
    antreaIntent(behind('172.30.0.1'), tcp('a', '10.96.0.10', 80)),
    { kind: 'balanced', answerers: [{ to: 'n1' }] },
    'and so does a node',
  );
  t.throws(() => antreaIntent(behind('10.10.1.9'), tcp('n1', '10.96.0.10', 80)), {
    name: 'Unsupported',
    message: /10\.10\.1\.9, which nobody holds/,
  });
});
