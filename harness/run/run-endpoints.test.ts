// Goal: who programs and who promises read the endpoints of a Service alike, and as Kubernetes has
// it: ready ones, and where there are none those that still serve while they terminate. Method:
// small clusters written as manifests, each with the endpoints that follow from the documentation
// of Services and EndpointSlices, worked out by hand.
import t from 'tap';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';
import { backends, backendsOn } from '../intent/kubernetes/service/backends.js';
import { endpointsOn, servicePortsOf } from '../kube/services/service-endpoints.js';

const unready =
  'conditions: [{ type: Initialized, status: "True" }, { type: Ready, status: "False" }]';
const ready = 'conditions: [{ type: Ready, status: "True", lastProbeTime: null }]';
const leaving = ', deletionTimestamp: 2026-01-31T12:00:00Z';
const publish = 'publishNotReadyAddresses: true';

/** `a` and `b` on n1, `c` on n2, all with the label app: web. */
type States = Readonly<
  Record<'a' | 'b' | 'c', { readonly metadata?: string; readonly status?: string }>
>;
const states = (some: Partial<States>): States => ({ a: {}, b: {}, c: {}, ...some });
const addresses: Readonly<Record<string, string>> = {
  a: '10.10.1.2',
  b: '10.10.1.3',
  c: '10.10.2.2',
};

void t.test('made of pods', async (t) => {
  const away = { status: unready };
  const going = { metadata: leaving };
  const goneAway = { metadata: leaving, status: unready };
  const cases: readonly (readonly [what: string, spec: string, pods: States, expected: string])[] =
    [
      ['nobody says anything of their state', '', states({}), 'a b c'],
      ['an empty selector takes none', 'selector: {}', states({}), ''],
      ['and neither does one that is null', 'selector: null', states({}), ''],
      ['one is ready, and one is not', '', states({ a: { status: ready }, b: away }), 'a c'],
      ['no condition Ready', '', states({ a: { status: 'conditions: []' } }), 'b c'],
      [
        'it is not known',
        '',
        states({ a: { status: 'conditions: [{ type: Ready, status: Unknown }]' } }),
        'b c',
      ],
      ['it has not started', '', states({ a: { status: 'phase: Pending' } }), 'b c'],
      ['it runs', '', states({ a: { status: 'phase: Running' } }), 'a b c'],
      ['it has ended', '', states({ a: { status: 'phase: Succeeded' } }), 'b c'],
      ['one is being deleted', '', states({ b: going }), 'a c'],
      [
        'those that are not ready count',
        publish,
        states({ a: away, b: going, c: goneAway }),
        'a b c',
      ],
      ['one goes, the others are not ready', '', states({ a: away, b: going, c: away }), 'b'],
      [
        'all go, of which one serves no more',
        '',
        states({ a: going, b: goneAway, c: going }),
        'a c',
      ],
      ['nobody is there', '', states({ a: away, b: away, c: goneAway }), ''],
    ];
  for (const [what, spec, pods, expected] of cases) {
    t.same(readings(manifests(spec, pods)), [expected, expected], what);
  }
});

void t.test('reported by slices', async (t) => {
  const slice = (conditions: Readonly<Record<string, string>>) => `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: s-1, labels: { kubernetes.io/service-name: s } }
addressType: IPv4
ports: [{ port: 80 }]
endpoints:
${Object.entries(conditions)
  .map(
    ([pod, conditions]) =>
      `- { addresses: [${addresses[pod]}], nodeName: ${
        pod === 'c' ? 'n2' : 'n1'
      }, conditions: { ${conditions} } }`,
  )
  .join('\n')}
`;
  const [no, going] = ['ready: false', 'ready: false, serving: true, terminating: true'];
  const gone = 'ready: false, serving: false, terminating: true';
  const cases: readonly (readonly [
    what: string,
    conditions: Readonly<Record<string, string>>,
    expected: string,
  ])[] = [
    ['what is not said is ready', { a: '', b: 'ready: true', c: 'serving: false' }, 'a b c'],
    ['ready and not', { a: no, b: 'ready: true', c: going }, 'b'],
    ['terminating, and published all the same', { a: 'terminating: true', b: going, c: no }, 'a'],
    ['nobody is ready', { a: no, b: going, c: gone }, 'b'],
    ['serving is not said', { a: 'ready: false, terminating: true' }, 'a'],
    ['nobody serves', { a: no, b: gone, c: 'ready: false, serving: true' }, ''],
  ];
  for (const [what, conditions, expected] of cases) {
    for (const spec of ['selector: {}', 'selector: { app: nobody }', publish]) {
      t.same(readings(manifests(spec, states({})) + slice(conditions)), [expected, expected], what);
    }
  }
});

void t.test('what stays on the node that it comes to goes by the endpoints there', async (t) => {
  const spec = 'type: NodePort, externalTrafficPolicy: Local';
  const going = { metadata: leaving };
  const on = (pods: Partial<States>) =>
    ['n1', 'n2'].map((node) => readings(manifests(spec, states(pods)), node));
  t.same(on({}), [
    ['a b', 'a b'],
    ['c', 'c'],
  ]);
  t.same(on({ a: going }), [
    ['b', 'b'],
    ['c', 'c'],
  ]);
  t.same(
    on({ c: going }),
    [
      ['a b', 'a b'],
      ['c', 'c'],
    ],
    'though others are ready elsewhere',
  );
  t.same(on({ c: { status: unready } }), [
    ['a b', 'a b'],
    ['', ''],
  ]);
});

function manifests(spec: string, pods: States): string {
  const selector = spec.includes('selector') ? '' : 'selector: { app: web }, ';
  return `
apiVersion: v1
kind: Node
metadata: { name: n1 }
---
apiVersion: v1
kind: Node
metadata: { name: n2 }
${Object.entries(pods)
  .map(
    ([name, { metadata = '', status = '' }]) => `---
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: web }${metadata} }
spec: { nodeName: ${name === 'c' ? 'n2' : 'n1'}, containers: [{ name: main }] }
status: { podIP: ${addresses[name]}${status === '' ? '' : `, ${status}`} }
`,
  )
  .join('')}---
apiVersion: v1
kind: Service
metadata: { name: s }
spec: { ${selector}ports: [{ port: 80 }]${spec === '' ? '' : `, ${spec}`} }
`;
}

/**
 * Names of the endpoints, as the control planes and as L0 read them; of those on a node where
 * given.
 */
function readings(text: string, node?: string): readonly [string, string] {
  const { objects } = readAntreaCluster([{ file: 'f', text }], { name: 'x', tunnel: 'geneve' });
  const [service] = objects.services;
  const [served] = servicePortsOf(objects);
  const [port] = service?.spec.ports ?? [];
  if (service === undefined || served === undefined || port === undefined)
    throw new Error('no port');
  const promised =
    node === undefined
      ? backends(objects, service, port)
      : backendsOn(node, objects, service, port);
  return [
    named(node === undefined ? served.endpoints : endpointsOn(served, node)),
    named(promised),
  ];
}

function named(endpoints: readonly { readonly ip: string }[]): string {
  return endpoints
    .map(({ ip }) => Object.keys(addresses).find((pod) => addresses[pod] === ip))
    .join(' ');
}
