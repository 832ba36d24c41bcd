/**
 * A timeline by hand: the node of db restarts whole, and then that of web, which talks to db over
 * the network between nodes, and to job beside it.
 */
import { assert } from '../../harness/base/errors/errors.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import type { Sequence } from '../../harness/domain/timeline.js';
import type { Cluster } from '../../harness/kube/objects.js';
import { manifestsOf, type Manifest } from '../changing-cluster.js';
import type { ClusterEvent, TrafficEvent } from '../cluster-event.js';
import { sequenceOf } from '../cluster-events.js';
import { antreaClusterOf } from './read-antrea-cluster.js';

const node = (name: string) => one(`{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`);
const pod = (name: string, on: string) =>
  one(
    `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${name} } }, spec: ` +
      `{ nodeName: ${on} } }`,
  );
const first = [
  ...[node('n1'), node('n2')],
  ...[pod('web', 'n1'), pod('job', 'n1'), pod('db', 'n2'), pod('log', 'n2')],
];
const onlyJobReachesDb = one(`
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: only-job-reaches-db }
spec:
  podSelector: { matchLabels: { app: db } }
  ingress: [{ from: [{ podSelector: { matchLabels: { app: job } } }] }]
`);

const far = '1-at-first/open/web/db';
const near = '1-at-first/open/web/job';

const events: readonly ClusterEvent[] = [
  { kind: 'open', id: far, from: 'web', to: 'db', port: 7 },
  { kind: 'open', id: near, from: 'web', to: 'job', port: 7 },
  ...talks('1-at-first'),
  {
    kind: 'node restarts',
    node: 'n2',
    meanwhile: [asks('2-n2-restarts', 'web', 'job'), asks('2-n2-restarts', 'job', 'db')],
  },
  // Its switch has forgotten the connection, and nothing forbids what it takes for a new one.
  ...talks('3-n2-is-programmed'),
  asks('3-n2-is-programmed', 'job', 'db'),
  asks('3-n2-is-programmed', 'log', 'db'),
  { kind: 'apply', manifest: onlyJobReachesDb },
  ...talks('4-policy-comes'),
  asks('4-policy-comes', 'web', 'db'),
  {
    kind: 'node restarts',
    node: 'n1',
    meanwhile: [asks('5-n1-restarts', 'log', 'db'), asks('5-n1-restarts', 'web', 'job')],
  },
  ...talks('6-n1-is-programmed'),
  asks('6-n1-is-programmed', 'job', 'db'),
  asks('6-n1-is-programmed', 'web', 'db'),
  {
    kind: 'node restarts',
    node: 'n2',
    meanwhile: [asks('7-n2-restarts-again', 'web', 'job')],
  },
  // For the switch of db it is a new one now, which the policy forbids.
  ...talks('8-n2-is-programmed'),
  asks('8-n2-is-programmed', 'job', 'db'),
];

export function nodesRestart(tunnel: TunnelType): Sequence<Cluster> {
  return sequenceOf(antreaClusterOf(first, { name: 'node-restarts', tunnel }), events);
}

/** A new connection to the echo service. */
function asks(when: string, from: string, to: string): TrafficEvent {
  const service = { protocol: 'TCP', port: 7 } as const;
  return { kind: 'send', id: `${when}/new/${from}/${to}`, from, to, service };
}

/** By the connections that stand since the beginning. */
function talks(when: string): readonly TrafficEvent[] {
  return [
    { kind: 'talk', id: `${when}/standing/web/db`, connection: far },
    { kind: 'talk', id: `${when}/standing/web/job`, connection: near },
  ];
}

function one(text: string): Manifest {
  const [manifest, ...others] = manifestsOf(text);
  assert(manifest !== undefined && others.length === 0, 'a text of one manifest');
  return manifest;
}
