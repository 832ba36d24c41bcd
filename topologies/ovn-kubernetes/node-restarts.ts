/**
 * A timeline by hand, as that of antrea/node-restarts: the node of db restarts whole, and then that
 * of web, which talks to db over the network between nodes, and to job beside it. x1 is outside.
 * log may not reach db.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { externalAddress, macOf } from '../addresses.js';
import type { ZoneLayout } from './ovn-kubernetes-topology.js';
import { ovnKubernetesClusterOf } from './read-ovn-kubernetes-cluster.js';
import { withWayOut } from './way-out.js';

const pod = (name: string, node: string) =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${name} } }, ` +
  `spec: { nodeName: ${node} } }`;
const node = (name: string) => `{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`;
const manifests = [
  ...[node('n1'), node('n2')],
  ...[pod('web', 'n1'), pod('job', 'n1'), pod('db', 'n2'), pod('log', 'n2')],
  `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: n1-reaches-db }
spec:
  podSelector: { matchLabels: { app: db } }
  ingress:
    - from: [{ podSelector: { matchExpressions: [{ key: app, operator: In, values: [web, job] }] } }]
`,
];
const x1 = externalAddress(1);
const addresses = { web: '10.10.1.2', job: '10.10.1.3', db: '10.10.2.2', log: '10.10.2.3' };
type PodName = keyof typeof addresses;

const far = '1-at-first/open/web/db';
const near = '1-at-first/open/web/job';

export function nodesRestart(zones: ZoneLayout): Sequence {
  const cluster = withWayOut(
    ovnKubernetesClusterOf(
      [{ file: 'node-restarts.yaml', text: manifests.join('\n---\n') }],
      { name: 'node-restarts', externalHosts: [{ name: 'x1', ip: x1, mac: macOf(x1) }] },
      zones,
    ),
  );
  return { cluster, steps };
}

const steps: readonly SequenceStep[] = [
  vector(far, { kind: 'open', from: 'web', to: addresses.db, port: 7, connection: far }),
  vector(near, { kind: 'open', from: 'web', to: addresses.job, port: 7, connection: near }),
  ...everything('1-at-first'),
  { kind: 'node restarts', node: 'n2' },
  asks('2-n2-restarts', 'web', 'job'),
  asks('2-n2-restarts', 'job', 'db'),
  asks('2-n2-restarts', 'db', 'log'),
  leaves('2-n2-restarts', 'job'),
  ...talks('2-n2-restarts'),
  { kind: 'switch is programmed', node: 'n2' },
  ...everything('3-n2-is-programmed'),
  { kind: 'node restarts', node: 'n1' },
  asks('4-n1-restarts', 'log', 'db'),
  asks('4-n1-restarts', 'db', 'log'),
  leaves('4-n1-restarts', 'log'),
  leaves('4-n1-restarts', 'web'),
  { kind: 'switch is programmed', node: 'n1' },
  ...everything('5-n1-is-programmed'),
  { kind: 'node restarts', node: 'n2' },
  { kind: 'switch is programmed', node: 'n2' },
  ...everything('6-n2-is-programmed-again'),
];

function everything(when: string): readonly SequenceStep[] {
  return [
    ...talks(when),
    asks(when, 'job', 'db'),
    asks(when, 'log', 'db'),
    asks(when, 'db', 'web'),
    leaves(when, 'web'),
    leaves(when, 'log'),
  ];
}

/** A new connection to the echo service. */
function asks(when: string, from: PodName, to: PodName): SequenceStep {
  const stimulus = { kind: 'probe', from, to: addresses[to], port: 7, transmissions: 1 } as const;
  return vector(`${when}/new/${from}/${to}`, stimulus);
}

/** By the gateway router of its node. */
function leaves(when: string, from: PodName): SequenceStep {
  return vector(`${when}/ping/${from}/x1`, { kind: 'ping', from, to: x1 });
}

/** By the connections that stand since the beginning. */
function talks(when: string): readonly SequenceStep[] {
  return [
    talk(`${when}/standing/web/db`, addresses.db, far),
    talk(`${when}/standing/web/job`, addresses.job, near),
  ];
}

function talk(id: string, to: string, connection: string): SequenceStep {
  return vector(id, { kind: 'talk', from: 'web', to, port: 7, connection });
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
