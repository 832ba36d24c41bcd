/**
 * A timeline by hand: connections through kube-proxy on a Windows node while endpoints come, go and
 * die, and policies keep some from it.
 */
import { assert } from '../../harness/base/errors/errors.js';
import type { AntreaOptions, AntreaCluster, TrafficMode } from './antrea-topology.js';
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import {
  apply,
  manifestsOf,
  remove,
  type ChangingCluster,
  type Manifest,
} from '../changing-cluster.js';
import { antreaClusterOf } from './read-antrea-cluster.js';
import { onWindows } from './windows-services.js';

const node = (name: string) => one(`{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`);
const pod = (name: string, on: string, ip: string, more = '') =>
  one(
    `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ` +
      `${name.replace(/\d$/, '')} } }, spec: { nodeName: ${on}${more} }, status: { podIP: ${ip} ` +
      '} }',
  );
const listening =
  ', containers: [{ name: web, ports: [{ containerPort: 8080 }, { containerPort: 8080, ' +
  'protocol: UDP }] }]';
/**
 * web1 stands on the Windows node, web2 on the Linux node; idle is there and listens on nothing.
 */
const [web1, web2, idle, asker] = [
  pod('web1', 'n1', '10.10.1.2', listening),
  pod('web2', 'n2', '10.10.2.2', listening),
  pod('idle', 'n1', '10.10.1.3'),
  pod('asker', 'n2', '10.10.2.3'),
];
const ips = { web1: '10.10.1.2', web2: '10.10.2.2', web3: '10.10.2.2', idle: '10.10.1.3' } as const;
const service = one(
  '{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { type: NodePort, ' +
    'clusterIP: 10.96.0.20, ports: [{ name: tcp, port: 80, nodePort: 30080 }, { name: udp, ' +
    'port: 80, nodePort: 30080, protocol: UDP }] } }',
);
/** Its clients keep their endpoints. */
const sticky = one(
  '{ apiVersion: v1, kind: Service, metadata: { name: sticky }, spec: { type: NodePort, ' +
    'clusterIP: 10.96.0.21, sessionAffinity: ClientIP, ports: [{ name: tcp, port: 80, nodePort: ' +
    '30081 }] } }',
);
const slice = (...names: readonly (keyof typeof ips)[]) => sliceOf('web', ...names);
const sliceOf = (of: 'web' | 'sticky', ...names: readonly (keyof typeof ips)[]) =>
  one(`
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: ${of}, labels: { kubernetes.io/service-name: ${of} } }
addressType: IPv4
ports: [{ name: tcp, port: 8080 }, { name: udp, port: 8080, protocol: UDP }]
endpoints: [${names.map((name) => `{ addresses: [${ips[name]}] }`).join(', ')}]
`);
const policy = (name: string, of: string, spec: string) =>
  one(
    `{ apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: { name: ${name} }, ` +
      `spec: { podSelector: { matchLabels: { app: ${of} } }, ${spec} } }`,
  );
const admitting = (...blocks: readonly string[]) =>
  policy(
    'of-web',
    'web',
    'policyTypes: [Ingress], ingress: ' +
      `[${blocks.map((block) => `{ from: [{ ipBlock: { cidr: ${block} } }] }`).join(', ')}]`,
  );
const asking = (block: string) =>
  policy(
    'of-asker',
    'asker',
    `policyTypes: [Egress], egress: [{ to: [{ ipBlock: { cidr: ${block} } }] }]`,
  );

const at = { to: '172.30.0.1', port: 30_080 } as const;
type Sent = readonly [id: string, stimulus: Stimulus];
const tcp = (from = 'x1'): Sent => [`tcp/${from}`, { kind: 'tcp', from, ...at }];
const udp = (from = 'x1'): Sent => [`udp/${from}`, { kind: 'udp', from, ...at }];
/** Each endpoint has its turn among them, unless clients keep theirs. */
const calls = (): Sent => [
  'calls/x1',
  { kind: 'calls', protocol: 'TCP', from: 'x1', ...at, count: 4, everyMs: 1000 },
];
const kept = (): Sent => [
  'kept/x1',
  { kind: 'calls', protocol: 'TCP', from: 'x1', to: at.to, port: 30_081, count: 3, everyMs: 1000 },
];
const open = (connection: string): Sent => [
  `open/${connection}`,
  { kind: 'open', from: 'x1', ...at, connection },
];
const talk = (connection: string): Sent => [
  `standing/${connection}`,
  { kind: 'talk', from: 'x1', ...at, connection },
];

type Change = (now: ChangingCluster<AntreaOptions>) => ChangingCluster<AntreaOptions>;
const comes =
  (...manifests: readonly Manifest[]): Change =>
  (now) =>
    apply(now, manifests);

/** What changes, and what is sent then. */
const chapters: readonly (readonly [name: string, change: Change, ...sent: readonly Sent[]])[] = [
  ['1-one-endpoint', (now) => now, open('first'), talk('first'), tcp(), tcp('asker'), udp()],
  [
    '2-another-comes',
    comes(slice('web1', 'web2'), sliceOf('sticky', 'web1', 'web2')),
    talk('first'),
    calls(),
    kept(),
  ],
  ['3-the-first-is-not-ready', comes(slice('web2')), talk('first'), tcp(), udp(), open('second')],
  [
    '4-it-is-ready-and-dies',
    (now) => remove(apply(now, [slice('web1', 'web2')]), web1),
    calls(),
    kept(),
    talk('first'),
    talk('second'),
  ],
  ['5-one-refuses', comes(slice('idle', 'web2')), calls(), talk('second')],
  ['6-nobody-is-ready', comes(slice()), tcp(), udp(), talk('second')],
  [
    '7-a-policy-keeps-the-node-from-it',
    comes(admitting('192.0.2.0/24'), slice('web2')),
    tcp(),
    udp(),
    tcp('asker'),
    talk('second'),
  ],
  [
    '8-local-traffic-is-not-kept-back',
    comes(web1, slice('web1', 'web2')),
    calls(),
    tcp('asker'),
    talk('second'),
  ],
  [
    '9-the-node-is-let-through',
    comes(admitting('10.10.1.1/32', '172.30.0.1/32'), slice('web2')),
    tcp(),
    udp(),
    tcp('asker'),
    talk('second'),
  ],
  ['10-the-client-may-not-ask', comes(asking('172.30.0.2/32')), tcp('asker'), udp('asker'), tcp()],
  ['11-it-may-ask-the-node', comes(asking('172.30.0.1/32')), tcp('asker'), udp('asker')],
  [
    '12-somebody-else-has-its-address',
    (now) => apply(remove(now, web2), [pod('web3', 'n2', ips.web3, listening)]),
    talk('second'),
    tcp(),
  ],
];

/** Of Services with NodePorts, by `mode`. */
export function windowsEndpointsChange(mode: TrafficMode): Sequence<AntreaCluster> {
  let now = antreaClusterOf(
    [
      node('n1'),
      node('n2'),
      web1,
      web2,
      idle,
      asker,
      service,
      sticky,
      slice('web1'),
      sliceOf('sticky'),
    ],
    { name: `windows-endpoints-${mode}`, tunnel: 'geneve' },
  );
  const dressed = () => onWindows(now.cluster, mode, 'linux');
  const cluster = dressed();
  const steps = chapters.flatMap(
    ([name, change, ...sent]): readonly SequenceStep<AntreaCluster>[] => {
      const before = now;
      now = change(now);
      const step: readonly SequenceStep<AntreaCluster>[] =
        now === before
          ? []
          : [
              {
                kind: 'cluster',
                what: name.replace(/^\d+-/, '').replaceAll('-', ' '),
                cluster: dressed(),
              },
            ];
      return [
        ...step,
        ...sent.map(
          ([id, stimulus]): SequenceStep<AntreaCluster> => ({
            kind: 'vector',
            vector: { id: `${name}/${id}`, stimulus },
          }),
        ),
      ];
    },
  );
  return { cluster, steps };
}

function one(text: string): Manifest {
  const [manifest, ...others] = manifestsOf(text);
  assert(manifest !== undefined && others.length === 0, 'a text of one manifest');
  return manifest;
}
