// Goal: L0 reads policies as Kubernetes and the seed mean them. Method: one policy at a time over
// four pods, written as manifests; who may open what to whom, worked out by hand from the API
// reference.
import t from 'tap';
import { readAntreaCluster } from '../../../../topologies/antrea/read-antrea-cluster.js';
import type { AntreaCluster } from '../../../../topologies/antrea/antrea-topology.js';
import { antreaIntent } from '../../antrea/antrea-intent.js';

/**
 * a and b in default, c in the namespace other, on n1; d in default on n2. b has a port called
 * http, 8080.
 */
const base = `
apiVersion: v1
kind: Node
metadata: { name: n1 }
---
apiVersion: v1
kind: Node
metadata: { name: n2 }
---
apiVersion: v1
kind: Namespace
metadata: { name: other, labels: { team: red } }
${[
  ['a', 'default', 'n1', ''],
  ['b', 'default', 'n1', '{ name: http, containerPort: 8080 }'],
  ['c', 'other', 'n1', ''],
  ['d', 'default', 'n2', '{ name: http, containerPort: 80 }'],
]
  .map(
    ([name, namespace, node, port]) => `---
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: ${namespace}, labels: { app: ${name} } }
spec: { nodeName: ${node}, containers: [{ name: main, ports: [${port}] }] }
`,
  )
  .join('')}`;

const addresses: Readonly<Record<string, string>> = {
  a: '10.10.1.2',
  b: '10.10.1.3',
  c: '10.10.1.4',
  d: '10.10.2.2',
  n1: '10.10.1.1',
  n2: '10.10.2.1',
};

void t.test('NetworkPolicy', async (t) => {
  const cases: readonly (readonly [spec: string, allowed: string, denied: string])[] = [
    ['podSelector: {}', 'a-c:80 n1-a:80 c-n1:80', 'a-b:80 b-a:80 c-a:80 n2-a:80 a-b:icmp'],
    [
      'podSelector: {}\n  policyTypes: [Egress]',
      'c-a:80 n1-a:80 a-n1:80 a-n1:icmp',
      'a-c:80 a-b:80 a-n2:80 a-b:icmp',
    ],
    ['podSelector: {}\n  egress: []', 'a-c:80', 'c-a:80'],
    ['podSelector: {}\n  policyTypes: []', 'a-c:80', 'c-a:80'],
    [
      'podSelector: {}\n  policyTypes: []\n  egress: [{ to: [{ podSelector: { matchLabels: { ' +
        'app: b } } }] }]',
      '',
      'a-c:80 c-a:80 a-b:80',
    ],
    [
      'podSelector: {}\n  egress: [{ to: [{ podSelector: { matchLabels: { app: b } } }] }]',
      '',
      'a-c:80 c-a:80 a-b:80',
    ],
    [
      'podSelector: {}\n  policyTypes: [Ingress]\n  egress: [{ to: [{ podSelector: {} }] }]',
      'a-c:80',
      'a-b:80',
    ],
    ['podSelector: { matchLabels: { app: b } }\n  ingress: [{}]', 'a-b:80 c-b:9 d-b:icmp', ''],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [], ports: [] }]',
      'a-b:80 c-b:9 d-b:icmp',
      '',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ podSelector: {} }] }]',
      'a-b:80 d-b:80 c-d:80',
      'c-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ namespaceSelector: { ' +
        'matchLabels: { team: red } } }] }]',
      'c-b:80',
      'a-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ namespaceSelector: { ' +
        'matchLabels: { team: red } }, podSelector: { matchLabels: { app: a } } }] }]',
      '',
      'a-b:80 c-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ namespaceSelector: { ' +
        'matchLabels: { team: red } } }, { podSelector: { matchLabels: { app: a } } }] }]',
      'a-b:80 c-b:80',
      'd-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ ipBlock: { cidr: ' +
        '10.10.1.0/24, except: [10.10.1.4/32] } }] }]',
      'a-b:80 n1-b:80',
      'c-b:80 d-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ ipBlock: { cidr: ' +
        '"::/0", except: ["2001:db8::/32"] } }] }]',
      'n1-b:80',
      'a-b:80 c-b:80 d-b:80 n2-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ ipBlock: { cidr: ' +
        '"::/0" } }, { ipBlock: { cidr: 0.0.0.0/0 } }] }]',
      'a-b:80 c-b:80 d-b:80 n1-b:80 n2-b:80',
      '',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ ipBlock: { cidr: ' +
        '10.10.2.1/32 } }] }]',
      'n2-b:80 n1-b:80',
      'd-b:80',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ from: [{ ipBlock: { cidr: ' +
        '10.10.1.77/24, except: [10.10.1.5/31] } }] }]',
      'a-b:80',
      'c-b:80 d-b:80',
    ],
    ['policyTypes: [Ingress]', 'a-c:80 n1-a:80', 'a-b:80 n2-a:80'],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ ports: [{ port: http }] }]',
      'a-b:8080',
      'a-b:80 a-b:8080/udp a-b:icmp',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ ports: [{ protocol: UDP }] }]',
      'a-b:8080/udp',
      'a-b:8080',
    ],
    [
      'podSelector: { matchLabels: { app: b } }\n  ingress: [{ ports: [{ port: 80, endPort: ' +
        '82 }] }]',
      'a-b:80 a-b:82',
      'a-b:79 a-b:83',
    ],
    [
      'podSelector: { matchLabels: { app: a } }\n  policyTypes: [Egress]\n  egress: [{ to: [{ ' +
        'podSelector: {} }], ports: [{ port: http }] }]',
      'a-b:8080 a-d:80',
      'a-b:80 a-d:8080',
    ],
    [
      'podSelector: { matchLabels: { app: a } }\n  policyTypes: [Egress]\n  egress: [{ to: [{ ' +
        'ipBlock: { cidr: 10.10.0.0/16 } }], ports: [{ port: http }] }]',
      '',
      'a-b:8080 a-d:80',
    ],
    [
      'podSelector: { matchExpressions: [{ key: app, operator: NotIn, values: [b, d] }] }',
      'a-b:80',
      'b-a:80',
    ],
  ];
  for (const [spec, allowed, denied] of cases) {
    const cluster = under(
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec:\n ' +
        ` ${spec}\n`,
    );
    t.same(
      [...words(allowed), ...words(denied)].filter((way) => reaches(cluster, way)),
      words(allowed),
      spec,
    );
  }
});

void t.test('ClusterNetworkPolicy', async (t) => {
  const policy = (name: string, priority: number, rules: string) =>
    'apiVersion: security.antrea.tanzu.vmware.com/v1alpha1\nkind: ' +
    `ClusterNetworkPolicy\nmetadata: { name: ${name} }\nspec: { priority: ${priority}, ` +
    `appliedTo: [{ podSelector: { matchLabels: { app: b } } }], ${rules} }\n`;
  const drop = policy('drop', 5, 'ingress: [{ action: Drop, ports: [{ port: 80 }] }]');
  const allow = policy(
    'allow',
    4,
    'ingress: [{ action: Allow, from: [{ podSelector: { matchLabels: { app: a } } }] }]',
  );
  const isolate =
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec: { ' +
    'podSelector: {} }\n';
  const reached = (policies: readonly string[], ways: string) =>
    words(ways)
      .filter((way) => reaches(under(policies.join('---\n')), way))
      .join(' ');
  t.equal(
    reached([drop], 'a-b:80 a-b:81 c-b:80 n1-b:80 n2-b:80'),
    'a-b:81 n1-b:80',
    'no default, and the gateway of its node passes',
  );
  t.equal(
    reached([drop, allow], 'a-b:80 c-b:80'),
    'a-b:80',
    'the lower priority comes first, whatever the order of writing',
  );
  t.equal(
    reached([isolate, allow], 'a-b:80 c-b:80'),
    'a-b:80',
    'what is allowed is not asked again',
  );
  t.equal(
    reached(
      [
        policy(
          'both',
          5,
          'ingress: [{ action: Drop, from: [{ podSelector: { matchLabels: { app: a } } }] }, ' +
            '{ action: Allow }]',
        ),
        isolate,
      ],
      'a-b:80 c-b:80',
    ),
    'c-b:80',
    'the first rule that matches',
  );
  t.equal(
    reached(
      [policy('out', 5, 'egress: [{ action: Drop, to: [{ ipBlock: { cidr: 10.10.1.0/24 } }] }]')],
      'b-a:80 b-d:80 a-b:80',
    ),
    'b-d:80 a-b:80',
  );
  const other = policy('other', 5, 'ingress: [{ action: Allow, ports: [{ port: 80 }] }]');
  const asked = (way: readonly [from: string, port: number]) =>
    antreaIntent(under([drop, other, isolate].join('---\n')), {
      kind: 'probe',
      from: way[0],
      to: '10.10.1.3',
      port: way[1],
    });
  t.match(
    asked(['a', 80]),
    {
      kind: 'either',
      outcomes: [{ kind: 'refused', to: 'b', source: '10.10.1.2' }, { kind: 'denied' }],
      why: /^ClusterNetworkPolicies of one priority, 5, contradict each other about such ingress of b: other would let it through, and drop would not$/,
    },
    'of one priority: either counts, and NetworkPolicies are not asked',
  );
  t.equal(asked(['a', 81]).kind, 'denied', 'where neither says anything, they are');
  t.equal(asked(['n1', 80]).kind, 'refused', 'its own node is never kept out');
  const twice = [drop, policy('same', 5, 'ingress: [{ action: Drop }]')].join('---\n');
  t.equal(
    antreaIntent(under(twice), { kind: 'probe', from: 'a', to: '10.10.1.3', port: 80 }).kind,
    'denied',
    'they agree',
  );
  const both = [
    drop,
    other,
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: out }\nspec: { ' +
      'podSelector: { matchLabels: { app: a } }, policyTypes: [Egress] }\n',
  ].join('---\n');
  t.equal(
    antreaIntent(under(both), { kind: 'probe', from: 'a', to: '10.10.1.3', port: 80 }).kind,
    'denied',
    'kept back at the other end in any case',
  );
});

void t.test(
  'a pod reaches its own node whatever NetworkPolicies say, which the seed contradicts',
  async (t) => {
    const none =
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: none }\nspec: ' +
      '{ podSelector: {}, policyTypes: [Egress] }\n';
    const asked = (policies: string, to: string) =>
      antreaIntent(under(policies), { kind: 'ping', from: 'a', to });
    for (const to of ['10.10.1.1', '172.30.0.1']) {
      t.match(
        asked(none, to),
        {
          kind: 'contradicted',
          by: 'own-node-egress',
          promise: { kind: 'round-trip', to: 'n1' },
          instead: { kind: 'denied', why: /NetworkPolicy default\/none/ },
        },
        to,
      );
    }
    t.equal(asked(none, '10.10.2.1').kind, 'denied', 'another node');
    const drop =
      'apiVersion: security.antrea.tanzu.vmware.com/v1alpha1\nkind: ' +
      'ClusterNetworkPolicy\nmetadata: { name: drop }\nspec: { priority: 5, appliedTo: [{ ' +
      'podSelector: {} }], egress: [{ action: Drop }] }\n';
    t.equal(asked(drop, '10.10.1.1').kind, 'denied', 'what Antrea drops is another matter');
    t.equal(
      asked([none, drop.replace('Drop', 'Allow')].join('---\n'), '10.10.1.1').kind,
      'round-trip',
    );
  },
);

void t.test(
  "pods on the host's network are as their node: no selector takes them, and blocks go by its " +
    'addresses',
  async (t) => {
    const host =
      'apiVersion: v1\nkind: Pod\nmetadata: { name: h, labels: { app: b } }\nspec: { ' +
      'nodeName: n1, hostNetwork: true, containers: [{ name: main, ports: [{ containerPort: ' +
      '9100 }] }] }\n';
    const kinds = (policy: string, port = 9100) =>
      ['172.30.0.1', '10.10.1.1'].map(
        (to) =>
          antreaIntent(
            under(
              `${host}---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { ` +
                `name: np }\nspec: ${policy}\n`,
            ),
            { kind: 'probe', from: 'a', to, port },
          ).kind,
      );
    t.same(kinds('{ podSelector: {} }'), ['round-trip', 'round-trip'], 'nothing isolates it');
    t.same(kinds('{ podSelector: {} }', 9101), ['refused', 'refused']);
    t.same(
      kinds(
        '{ podSelector: { matchLabels: { app: a } }, policyTypes: [Egress], egress: [{ to: [{ ' +
          'podSelector: { matchLabels: { app: b } } }] }] }',
      ),
      ['contradicted', 'contradicted'],
      'its labels let nobody through, but it is the own node',
    );
    t.same(
      kinds(
        '{ podSelector: { matchLabels: { app: a } }, policyTypes: [Egress], egress: [{ to: [{ ' +
          'ipBlock: { cidr: 172.30.0.0/24 } }] }] }',
      ),
      ['round-trip', 'contradicted'],
    );
  },
);

void t.test('egress policies go for what leaves the cluster as well', async (t) => {
  const outside = (policy: string) => {
    const cluster = {
      ...under(
        'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec: ' +
          `${policy}\n`,
      ),
      externalHosts: [{ name: 'x1', ip: '172.30.255.1', mac: '0a:00:ac:1e:ff:01' }],
    };
    return ['a', 'b'].map(
      (from) => antreaIntent(cluster, { kind: 'probe', from, to: '172.30.255.1', port: 7 }).kind,
    );
  };
  const only = (to: string) =>
    outside(
      '{ podSelector: { matchLabels: { app: a } }, policyTypes: [Egress], egress: [{ to: ' +
        `[${to}] }] }`,
    );
  t.same(outside('{ podSelector: {} }'), ['round-trip', 'round-trip'], 'ingress is another matter');
  t.same(only('{ podSelector: {} }'), ['denied', 'round-trip'], 'no selector takes a host outside');
  t.same(only('{ ipBlock: { cidr: 172.30.0.0/16 } }'), ['round-trip', 'round-trip']);
  t.same(only('{ ipBlock: { cidr: 0.0.0.0/0, except: [172.30.255.0/24] } }'), [
    'denied',
    'round-trip',
  ]);
});

void t.test(
  "a node is whom the receiver sees: of its pods' subnet in tunnels, and by its own address " +
    'without',
  async (t) => {
    const from = (block: string) =>
      under(
        'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec: ' +
          '{ podSelector: { matchLabels: { app: b } }, ingress: [{ from: [{ ipBlock: { cidr: ' +
          `${block} } }] }] }\n`,
      );
    for (const [mode, whole, seen, other] of [
      ['encap', '0.0.0.0/0', '10.10.2.1/32', '172.30.0.2/32'],
      ['noEncap', '0.0.0.0/0', '172.30.0.2/32', '10.10.2.1/32'],
    ] as const) {
      t.same(
        [whole, seen, other].map((block) => reaches({ ...from(block), mode }, 'n2-b:80')),
        [true, true, false],
        mode,
      );
      t.ok(
        reaches({ ...from('192.0.2.0/24'), mode }, 'n1-b:80'),
        'its own node is never kept back',
      );
      t.same(
        ['10.10.2.2/32', '172.30.0.2/32'].map((block) =>
          reaches({ ...from(block), mode }, 'd-b:80'),
        ),
        [true, false],
        'a pod is itself',
      );
    }
  },
);

void t.test('who lies gets no further than policies let him', async (t) => {
  const cluster = under(
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec: { ' +
      'podSelector: { matchLabels: { app: b } } }\n',
  );
  const mac = (name: string) =>
    `0a:00:${(addresses[name] ?? '')
      .split('.')
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join(':')}`;
  const sent = (as: string, to: string, ip: string) =>
    antreaIntent(cluster, {
      kind: 'frame',
      from: 'a',
      what: '',
      frame: {
        src: mac(as),
        dst: mac(to),
        payload: {
          kind: 'udp',
          src: addresses[as] ?? '',
          dst: addresses[ip] ?? '',
          ttl: 64,
          srcPort: 9,
          dstPort: 7,
        },
      },
    }).kind;
  t.equal(sent('a', 'b', 'c'), 'blocked', 'the port of b is guarded whatever the address');
  t.equal(sent('a', 'c', 'b'), 'denied', 'c may be sent to, and takes nothing for b');
  t.equal(sent('c', 'c', 'b'), 'blocked', 'with the addresses of c');
  t.equal(sent('a', 'c', 'c'), 'round-trip');
});

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** `a-b:80`, `a-b:53/udp`, `a-b:icmp`; pods of another namespace have it in their names. */
function reaches(cluster: AntreaCluster, way: string): boolean {
  const [, from = '', to = '', port = '', udp] = /^(\w+)-(\w+):(\w+)(\/udp)?$/.exec(way) ?? [];
  const at = { from: from === 'c' ? 'c.other' : from, to: addresses[to] ?? '' };
  const intent = antreaIntent(
    cluster,
    port === 'icmp'
      ? { kind: 'ping', ...at }
      : { kind: udp === undefined ? 'probe' : 'udp', ...at, port: Number(port) },
  );
  return intent.kind !== 'denied';
}

function under(policies: string): AntreaCluster {
  return readAntreaCluster([{ file: 'f', text: `${base}---\n${policies}` }], {
    name: 'x',
    tunnel: 'geneve',
  });
}
