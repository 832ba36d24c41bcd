// Goal: manifests are read as Kubernetes reads them, and each mistake is answered at its place with
// what would be right. Method: the manifests of the policy scenario, changed in one place at a
// time, the whole answer compared; selectors by a table with the answers worked out by hand; the
// schemas against one object of each kind.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { readCluster } from '../../topologies/kubernetes.js';
import { readManifests } from './manifests.js';
import { selectedPods, selects } from './pod-selection.js';

const files = ['cluster', 'policies'].map((name) => ({
  file: name,
  text: readFileSync(`topologies/antrea/network-policy/${name}.yaml`, 'utf8'),
}));

void t.test("the scenario's manifests", async (t) => {
  const { objects } = readManifests(files);
  t.same(
    objects.pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    [
      'default/nginx1',
      'default/nginx2',
      'default/server',
      'default/notclient',
      'default/dns',
      'shop/db',
      'shop/front',
      'shop/batch',
      'default/exporter',
    ],
  );
  t.same(objects.namespaces.find(({ metadata }) => metadata.name === 'shop')?.metadata.labels, {
    team: 'sales',
    'kubernetes.io/metadata.name': 'shop',
  });
  t.ok(
    objects.namespaces.some(({ metadata }) => metadata.name === 'default'),
    'every cluster has it',
  );
  t.equal(objects.networkPolicies.length, 4);
  t.equal(
    objects.networkPolicies[2]?.spec.policyTypes,
    undefined,
    'what is not said is not decided here',
  );
  const cluster = readCluster(files, { name: 'x' });
  t.same(
    cluster.nodes.map(({ pods }) => pods.map(({ name, ip }) => `${name} ${ip}`)),
    [
      [
        'nginx1 10.10.1.2',
        'server 10.10.1.3',
        'notclient 10.10.1.4',
        'front.shop 10.10.1.5',
        'batch.shop 10.10.1.6',
      ],
      ['nginx2 10.10.2.2', 'dns 10.10.2.3', 'db.shop 10.10.2.4'],
    ],
  );
  t.same(
    cluster.objects.pods.map(({ status }) => status.podIP).sort(),
    [...cluster.nodes.flatMap(({ pods }) => pods.map(({ ip }) => ip)), '172.30.0.1'].sort(),
  );
  t.same(
    cluster.nodes.map(({ listens }) => listens),
    [[{ protocol: 'TCP', port: 9100 }], undefined],
    "a pod on the host's network answers as its node",
  );
  t.same(cluster.nodes[1]?.pods[1]?.listens, [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ]);
});

void t.test('mistakes: file, line, column, field, value and what would be right', async (t) => {
  const mistakes: readonly (readonly [
    file: 'cluster' | 'policies',
    replace: string,
    by: string,
    error: string | RegExp,
  ])[] = [
    [
      'policies',
      'podSelector:\n    matchLabels:\n      app: nginx\n  policy',
      'podSelectr:\n    matchLabels:\n      app: nginx\n  policy',
      /^policies:8:3: spec\.podSelectr: unknown key "podSelectr"\. Did you mean "podSelector"\?/,
    ],
    [
      'policies',
      '    - Egress\n',
      '    - Outgress\n',
      'policies:13:7: spec.policyTypes[1]: expected Ingress or Egress, got "Outgress"',
    ],
    [
      'policies',
      'port: 80\n',
      'port: 80000\n',
      'policies:21:17: spec.ingress[0].ports[0].port: expected a port from 1 to 65535 or the ' +
        'name of one, got 80000',
    ],
    [
      'policies',
      'port: 80\n',
      'port: HTTP\n',
      /^policies:21:17: spec\.ingress\[0\]\.ports\[0\]\.port: "HTTP" is no port name/,
    ],
    [
      'policies',
      'protocol: TCP',
      'protocol: tcp',
      'policies:20:21: spec.ingress[0].ports[0].protocol: expected TCP or UDP or SCTP, got "tcp"',
    ],
    [
      'policies',
      'endPort: 8099',
      'endPort: 80',
      /spec\.ingress\[0\]\.ports\[0\]\.endPort: endPort 80 comes before port 8000$/,
    ],
    [
      'policies',
      'port: 8000, endPort',
      'port: sql, endPort',
      /endPort: endPort needs a port that is a number$/,
    ],
    [
      'policies',
      'cidr: 10.10.0.0/16',
      'cidr: 10.10.0.0/33',
      /spec\.ingress\[1\]\.from\[0\]\.ipBlock\.cidr: expected a block of addresses such as 10\.10\.0\.0\/24, got "10\.10\.0\.0\/33"/,
    ],
    [
      'policies',
      'except: [10.10.1.0/24]',
      'except: [10.9.1.0/24]',
      /ipBlock\.except\[0\]: 10\.9\.1\.0\/24 is no smaller block within 10\.10\.0\.0\/16$/,
    ],
    [
      'policies',
      'cidr: 10.10.0.0/16',
      'cidr: "2001:db8::/129"',
      /ipBlock\.cidr: expected a block such as 10\.0\.0\.0\/8 or 2001:db8::\/64, got "2001:db8::\/129"$/,
    ],
    [
      'policies',
      'cidr: 10.10.0.0/16',
      'cidr: "2001:dbg::/64"',
      /ipBlock\.cidr: expected an IPv6 address such as fe80::1, got "2001:dbg::"$/,
    ],
    [
      'policies',
      'cidr: 10.10.0.0/16',
      'cidr: "::/0"',
      /ipBlock\.except\[0\]: 10\.10\.1\.0\/24 is no smaller block within ::\/0$/,
    ],
    [
      'policies',
      '      app: nginx\n  policy',
      '      app:\n  policy',
      'policies:10:11: spec.podSelector.matchLabels.app: expected a text, got null',
    ],
    [
      'policies',
      '    matchLabels:\n      app: nginx\n  policy',
      '    matchLables:\n  policy',
      /^policies:9:5: spec\.podSelector\.matchLables: unknown key "matchLables"\. Did you mean "matchLabels"\?/,
    ],
    [
      'policies',
      'operator: NotIn',
      'operator: Not',
      /operator: expected In or NotIn or Exists or DoesNotExist, got "Not"$/,
    ],
    [
      'policies',
      'operator: NotIn, values: [db]',
      'operator: Exists, values: [db]',
      /values: operator Exists takes no values$/,
    ],
    ['policies', 'values: [db]', 'values: []', /values: operator NotIn needs at least one value$/],
    [
      'policies',
      'app: notClient',
      'app: not/Client',
      /matchLabels\.app: "not\/Client" is no label value/,
    ],
    [
      'policies',
      'priority: 10',
      'priority: 0',
      'policies:36:13: spec.priority: expected a priority from 1 to 10000, got 0',
    ],
    [
      'policies',
      'action: Drop',
      'action: Deny',
      'policies:42:15: spec.ingress[0].action: expected Allow or Drop, got "Deny"',
    ],
    [
      'policies',
      '  namespace: default\n',
      '  namespace: defalt\n',
      /^policies:6:14: metadata\.namespace: unknown namespace "defalt"\. Did you mean "default"\?/,
    ],
    [
      'policies',
      'kind: ClusterNetworkPolicy',
      'kind: AntreaClusterNetworkPolicy',
      /^policies:32:7: AntreaClusterNetworkPolicy of security\.antrea\.tanzu\.vmware\.com decides over packets/,
    ],
    [
      'policies',
      'apiVersion: security.antrea.tanzu.vmware.com/v1alpha1',
      'apiVersion: crd.antrea.io/v1beta2',
      /^policies:31:13: apiVersion: expected crd\.antrea\.io\/v1beta1 or crd\.antrea\.io\/v1alpha1, got "crd\.antrea\.io\/v1beta2"$/,
    ],
    [
      'cluster',
      'nodeName: n1',
      'nodeName: n3',
      /^cluster:20:19: spec\.nodeName: unknown node "n3"/,
    ],
    [
      'cluster',
      'containerPort: 80 }',
      'containerPort: "80" }',
      /^cluster:20:\d+: spec\.containers\[0\]\.ports\[0\]\.containerPort: expected a (whole )?number, got "80"$/,
    ],
    [
      'cluster',
      'podCIDR: 10.10.2.0/24',
      'podCIDR: 10.10.1.0/24',
      /cluster:10:18: spec\.podCIDR: 10\.10\.1\.0\/24 overlaps 10\.10\.1\.0\/24 of nodes\[0\]\.podCidr/,
    ],
    [
      'cluster',
      'name: nginx2',
      'name: nginx1',
      /^cluster:24:19: metadata\.name: Pod default\/nginx1 is there already, at cluster:19:19$/,
    ],
    [
      'cluster',
      'name: shop, labels',
      'name: Shop, labels',
      /^cluster:14:19: metadata\.name: "Shop" is no Kubernetes name/,
    ],
    [
      'cluster',
      'labels: { app: server } }\nspec: { nodeName: n1,',
      'labels: { app: server } }\nstatus: { podIP: 10.10.9.9 }\nspec: { nodeName: n1,',
      /^cluster:\d+:\d+: status\.podIP: 10\.10\.9\.9 is no address for a host in 10\.10\.1\.0\/24 of n1/,
    ],
    [
      'cluster',
      'metadata: { name: n1 }\n',
      'metadata: { name: n1 }\nstatus:\n  addresses: [{ type: InternalIP, address: ' +
        '172.30.0.300 }]\n',
      'cluster:6:14: status.addresses: expected an IPv4 address such as 10.10.0.1, got ' +
        '"172.30.0.300"',
    ],
    [
      'cluster',
      'ports: [{ name: http, containerPort: 80 }]',
      'ports: [{ name: http, containerPort: 80 }, { name: http, containerPort: 81 }]',
      /^cluster:20:\d+: spec\.containers\[0\]\.ports\[1\]\.name: another port is called "http"$/,
    ],
    [
      'cluster',
      'ports: [{ name: http, containerPort: 80 }] }',
      'ports: [{ name: http, containerPort: 80 }] }, { name: nginx }',
      /^cluster:20:\d+: spec\.containers\[1\]\.name: another container is called "nginx"$/,
    ],
    [
      'cluster',
      'kind: Namespace',
      'kin: Namespace',
      /^cluster:\d+:1: "kind" is missing: expected one of List, Namespace, Node, Pod/,
    ],
    [
      'cluster',
      'metadata: { name: shop, ',
      'metadata: { name: shop, ]',
      /^cluster:14:25: Flow map/,
    ],
  ];
  for (const [file, replace, by, error] of mistakes) {
    const changed = files.map((each) =>
      each.file === file ? { ...each, text: each.text.replace(replace, by) } : each,
    );
    t.notSame(changed, files, `${by} is a change`);
    t.throws(() => readCluster(changed, { name: 'x' }), { name: 'InputError', message: error }, by);
  }
  t.throws(() => readCluster(files.slice(1), { name: 'x' }), {
    message: /unknown namespace "shop"/,
  });
  t.throws(() => readCluster([], { name: 'x' }), {
    message: /there is no Node in the manifests/,
  });
});

void t.test('as kubectl prints what it gets', async (t) => {
  const text = `
apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata: { name: n1, resourceVersion: "7" }
  spec: { podCIDR: 10.10.1.0/24, podCIDRs: [10.10.1.0/24] }
  status: { addresses: [{ address: 172.30.0.1, type: InternalIP }, { address: n1, type: Hostname }], capacity: { cpu: "8" } }
- apiVersion: v1
  kind: List
  items:
  - apiVersion: v1
    kind: Pod
    metadata: { name: web, namespace: default, creationTimestamp: null, labels: { app: web } }
    spec: { nodeName: n1, containers: [{ name: web, ports: null }] }
    status: { phase: Running, podIP: 10.10.1.7 }
  - apiVersion: v1
    kind: Pod
    metadata: { name: migration, namespace: default }
    spec: { nodeName: n1, containers: [{ name: web }] }
    status: { phase: Succeeded, podIP: 10.10.1.7 }
- apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: { name: web, namespace: default }
  spec:
    podSelector:
      matchLabels:
    ingress:
    - from:
      - ipBlock: { cidr: 0.0.0.0/0, except: null }
      - ipBlock: { cidr: "::/0" }
  status: {}
kind: List
metadata: { resourceVersion: "" }
`;
  const read = (changed: string) => readCluster([{ file: 'f', text: changed }], { name: 'x' });
  const { objects, nodes } = read(text);
  t.same(
    nodes.map(({ name, pods }) => [name, pods.map(({ name: pod, ip }) => `${pod} ${ip}`)]),
    [['n1', ['web 10.10.1.7']]],
    'a pod that has ended has no network',
  );
  t.same(
    objects.networkPolicies[0]?.spec,
    {
      podSelector: {},
      ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }] }],
    },
    'what is null is not there',
  );
  for (const [replace, by, error] of [
    [
      '"::/0"',
      '"::/200"',
      /^f:31:26: spec\.ingress\[0\]\.from\[1\]\.ipBlock\.cidr: expected a block/,
    ],
    [
      'nodeName: n1, containers: [{ name: web, ',
      'nodeName: n2, containers: [{ name: web, ',
      /^f:15:23: spec\.nodeName: unknown node "n2"/,
    ],
    [
      'kind: NetworkPolicy',
      'kind: NetworkPolicyy',
      /^f:23:9: NetworkPolicyy of networking\.k8s\.io decides over packets/,
    ],
    [
      '  - apiVersion: v1\n    kind: Pod\n',
      '  - null\n  - apiVersion: v1\n    kind: Pod\n',
      /^f:12:5: "kind" is missing/,
    ],
    [
      'phase: Running',
      'phase: Runing',
      /^f:16:22: status\.phase: expected Pending or Running or Succeeded or Failed or Unknown, got "Runing"$/,
    ],
    [
      'items:\n- apiVersion: v1\n  kind: Node',
      'itms:\n- apiVersion: v1\n  kind: Node',
      /^f:3:1: itms: unknown key "itms"\. Did you mean "items"\?/,
    ],
  ] as const) {
    t.not(text.replace(replace, by), text, `${by} is a change`);
    t.throws(() => read(text.replace(replace, by)), { name: 'InputError', message: error }, by);
  }
});

void t.test('Services and EndpointSlices', async (t) => {
  const { objects } = readManifests([
    {
      file: 'f',
      text: `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { clusterIP: 10.96.0.10, selector: { app: nginx }, sessionAffinity: ClientIP, ports: [{ port: 80, targetPort: http }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [10.10.1.2], conditions: { ready: true } }]
ports: [{ port: 80 }]
`,
    },
  ]);
  t.match(objects.services, [
    {
      spec: {
        clusterIP: '10.96.0.10',
        type: 'ClusterIP',
        ports: [{ protocol: 'TCP', targetPort: 'http' }],
      },
    },
  ]);
  t.match(objects.endpointSlices, [{ endpoints: [{ addresses: ['10.10.1.2'] }] }]);
});

void t.test('mistakes in Services and EndpointSlices', async (t) => {
  const text = readFileSync('topologies/antrea/services/services.yaml', 'utf8');
  const read = (services: string) =>
    readCluster(
      [
        { file: 'cluster', text: readFileSync('topologies/antrea/services/cluster.yaml', 'utf8') },
        { file: 'services', text: services },
      ],
      { name: 'x' },
    );
  for (const [replace, by, error] of [
    [
      'app: nobody',
      'app: no body',
      /^services:96:\d+: spec\.selector\.app: "no body" is no label value/,
    ],
    [
      'app: nobody',
      '-app: nobody',
      /^services:96:\d+: spec\.selector\.-app: "-app" is no label key/,
    ],
    [
      'timeoutSeconds: 2 ',
      'timeoutSeconds: 86401 ',
      /^services:47:56: spec\.sessionAffinityConfig\.clientIP\.timeoutSeconds: expected 1 to 86400 seconds, got 86401$/,
    ],
    [
      'timeoutSeconds: 2 ',
      'timeoutSeconds: 0 ',
      /timeoutSeconds: expected 1 to 86400 seconds, got 0$/,
    ],
    [
      'sessionAffinity: ClientIP',
      'sessionAffinity: ClientIp',
      /spec\.sessionAffinity: expected None or ClientIP, got "ClientIp"$/,
    ],
    [
      'nodeName: n1, conditions',
      'nodeName: n7, conditions',
      /^services:16:\d+: endpoints\[0\]\.nodeName: unknown node "n7"\. Did you mean "n1"\? Known: n1, n2\.$/,
    ],
    [
      ', labels: { kubernetes.io/service-name: web }',
      '',
      /^services:13:11: metadata\.labels\.kubernetes\.io\/service-name: "kubernetes\.io\/service-name" is missing: expected the name of the Service whose endpoints these are$/,
    ],
    [
      'service-name: lonely',
      'service-name: lonly',
      /^services:\d+:\d+: metadata\.labels\.kubernetes\.io\/service-name: unknown Service "lonly"\. Did you mean "lonely"\? Known: web, admin, /,
    ],
    [
      'kubernetes.io/service-name: lonely }',
      'kubernetes.io/service-name: lonely }, namespace: kube-system',
      /service-name: unknown Service "lonely"\./,
    ],
    [
      'ports: [{ port: 7 }]',
      'ports: [{ name: seven, port: 7 }]',
      /^services:\d+:\d+: ports: Service default\/outside has none of these ports, by name and protocol; it has TCP without a name$/,
    ],
    [
      'ports: [{ name: http, port: 80 }, { name: admin, port: 9000 }]',
      'ports: [{ name: http, port: 80, protocol: UDP }]',
      /^services:\d+:\d+: ports: Service default\/web has none of these ports, by name and protocol; it has TCP "http", TCP "admin"$/,
    ],
    [
      'ports: [{ name: http, port: 80 }, { name: admin, port: 9000 }]',
      'ports: [{ name: http, port: 80 }, { name: http, port: 9000 }]',
      /^services:\d+:\d+: ports\[1\]\.name: another port is called "http"$/,
    ],
    [
      'ports: [{ port: 7 }]',
      'ports: [{ port: 7 }, { port: 8 }]',
      /ports\[1\]\.name: another port has no name either$/,
    ],
    [
      '10.10.1.4]',
      '10.10.1.400]',
      /^services:16:27: endpoints\[0\]\.addresses\[0\]: expected an IPv4 address such as 10\.10\.0\.1, got "10\.10\.1\.400"$/,
    ],
    [
      'ready: false',
      'ready: maybe',
      /endpoints\[1\]\.conditions\.ready: expected true or false, got "maybe"$/,
    ],
    [
      'addressType: IPv4',
      'addressType: FQDN',
      /^services:14:14: addressType: expected IPv4, got "FQDN"$/,
    ],
  ] as const) {
    const changed = text.replace(replace, by);
    t.not(changed, text, `${by} is a change`);
    t.throws(() => read(changed), { name: 'InputError', message: error }, by);
  }
  t.ok(read(text));
  t.ok(
    read(text.replace('ports: [{ name: http, port: 80 }', 'ports: [{ name: metrics, port: 80 }')),
    'one port of several that the Service does not have',
  );
  const lonelyPod = (
    text.split('---').find((document) => document.includes('name: lonely-1')) ?? ''
  ).replace(', nodeName: n1', '');
  t.throws(() => readManifests([{ file: 'f', text: lonelyPod }]), {
    message: /unknown Service "lonely"/,
  });
  t.equal(
    readManifests([{ file: 'f', text: lonelyPod }], 'come and go').objects.endpointSlices.length,
    1,
    'its Service may come, or have gone',
  );
});

void t.test('a policy may name a port that no container has: it matches nothing', async (t) => {
  const named = files.map(({ file, text }) => ({
    file,
    text: text.replace('port: 80\n', 'port: nobodys\n'),
  }));
  t.equal(
    readCluster(named, { name: 'x' }).objects.networkPolicies[0]?.spec.ingress?.[0]?.ports?.[0]
      ?.port,
    'nobodys',
  );
});

void t.test('what the API server takes although it looks odd', async (t) => {
  const policy = (text: string) => ({
    file: 'odd',
    text: `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: odd }
${text}
`,
  });
  const specOf = (text: string) =>
    readManifests([...files, policy(text)]).objects.networkPolicies.find(
      ({ metadata }) => metadata.name === 'odd',
    )?.spec;
  for (const text of ['', 'spec: {}', 'spec: { podSelector: {} }', 'spec: { podSelector: null }']) {
    t.same(specOf(text), { podSelector: {} }, `"${text}" is about all pods of the namespace`);
  }
  const block = (cidr: string, ...except: readonly string[]) =>
    specOf(`spec: { ingress: [{ from: [{
    ipBlock: { cidr: "${cidr}", except: [${except.map((hole) => `"${hole}"`).join()}] } }] }] }`);
  t.match(block('10.10.1.77/24', '10.10.1.9/30'), {
    ingress: [{ from: [{ ipBlock: { cidr: '10.10.1.77/24', except: ['10.10.1.9/30'] } }] }],
  });
  t.ok(block('2001:db8::1/64', '2001:db8::1:2:3/96'), 'of IPv6 as well');
  t.throws(() => block('10.10.1.77/24', '10.10.1.77/24'), /is no smaller block within/);
  t.throws(() => block('10.10.1.77/24', '10.10.0.255/25'), /is no smaller block within/);
});

void t.test('a pod that is being deleted has the time of that', async (t) => {
  const leaving = (time: string) =>
    readManifests([
      {
        file: 'f',
        text: `
apiVersion: v1
kind: Node
metadata: { name: n1 }
---
apiVersion: v1
kind: Pod
metadata: { name: p, deletionTimestamp: ${time} }
spec: { nodeName: n1 }
`,
      },
    ]).objects.pods[0]?.metadata.deletionTimestamp;
  t.equal(leaving('2026-01-31T12:00:00Z'), '2026-01-31T12:00:00Z');
  t.equal(leaving('"2026-01-31T12:00:00.5+01:00"'), '2026-01-31T12:00:00.5+01:00');
  t.equal(leaving('null'), undefined);
  t.throws(() => leaving('soon'), {
    message: /^f:8:\d+: metadata\.deletionTimestamp: "soon" is no time such as/,
  });
});

void t.test('selectors', async (t) => {
  const labels = { app: 'web', tier: 'front' };
  const one = (
    key: string,
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
    ...values: readonly string[]
  ) => ({ matchExpressions: [{ key, operator, values: [...values] }] });
  for (const [selector, expected] of [
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'web', tier: 'back' } }, false],
    [{ matchLabels: { zone: 'a' } }, false],
    [one('app', 'In', 'db', 'web'), true],
    [one('app', 'In', 'db'), false],
    [one('zone', 'In', ''), false],
    [one('app', 'NotIn', 'db'), true],
    [one('app', 'NotIn', 'web'), false],
    [one('zone', 'NotIn', 'a'), true],
    [one('app', 'Exists'), true],
    [one('zone', 'Exists'), false],
    [one('zone', 'DoesNotExist'), true],
    [one('app', 'DoesNotExist'), false],
    [{ matchLabels: { app: 'web' }, ...one('tier', 'Exists') }, true],
    [{ matchLabels: { app: 'web' }, ...one('tier', 'DoesNotExist') }, false],
  ] as const)
    t.equal(selects(selector, labels), expected, JSON.stringify(selector));
});

void t.test('pods by namespace and label', async (t) => {
  const { objects } = readManifests(files);
  const names = (
    ...[selection, own]: readonly [Parameters<typeof selectedPods>[1], string | undefined]
  ) =>
    selectedPods(objects, selection, own)
      .map(({ metadata }) => metadata.name)
      .join(' ');
  const sales = { matchLabels: { team: 'sales' } };
  t.equal(names({ podSelector: {} }, 'shop'), 'db front batch');
  t.equal(
    names({ podSelector: {} }, undefined),
    'nginx1 nginx2 server notclient dns db front batch',
  );
  t.equal(names({ namespaceSelector: sales }, 'default'), 'db front batch');
  t.equal(
    names({ namespaceSelector: sales, podSelector: { matchLabels: { tier: 'db' } } }, 'default'),
    'db',
  );
  t.equal(
    names({ namespaceSelector: {} }, 'shop'),
    'nginx1 nginx2 server notclient dns db front batch',
  );
  const hosted = {
    ...objects,
    pods: objects.pods.map((pod) =>
      pod.metadata.name === 'db' ? { ...pod, spec: { ...pod.spec, hostNetwork: true } } : pod,
    ),
  };
  t.same(
    selectedPods(hosted, { podSelector: {} }, 'shop').map(({ metadata }) => metadata.name),
    ['front', 'batch'],
    "a pod on the host's network is none of its namespace's",
  );
});
