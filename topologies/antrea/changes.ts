/**
 * A timeline by hand: what a cluster of two nodes goes through while web, on the one, talks to db,
 * on the other.
 */
import { assert } from '../../harness/base/errors/errors.js';
import type { Cluster } from '../../harness/kube/objects.js';
import type { Sequence } from '../../harness/domain/timeline.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { manifestsOf, type Manifest } from '../changing-cluster.js';
import { antreaClusterOf } from './read-antrea-cluster.js';
import { sequenceOf } from '../cluster-events.js';
import { type ClusterEvent, type TrafficEvent } from '../cluster-event.js';

const node = (name: string) => one(`{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`);
const pod = (name: string, app: string, on: string) =>
  one(
    `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${app} } }, spec: ` +
      `{ nodeName: ${on} } }`,
  );
const onlyJobsReachDb = one(`
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: only-jobs-reach-db }
spec:
  podSelector: { matchLabels: { app: db } }
  ingress: [{ from: [{ podSelector: { matchLabels: { app: job } } }] }]
`);
const first = [
  node('n1'),
  node('n2'),
  pod('web', 'web', 'n1'),
  pod('job', 'job', 'n1'),
  pod('db', 'db', 'n2'),
];
const late = pod('late', 'job', 'n1');

const standing = '1-at-first/open/web/db';

const events: readonly ClusterEvent[] = [
  { kind: 'open', id: standing, from: 'web', to: 'db', port: 7 },
  asks('1-at-first', 'job', 'db'),
  { kind: 'apply', manifest: onlyJobsReachDb },
  talks('2-policy-comes'),
  asks('2-policy-comes', 'web', 'db'),
  asks('2-policy-comes', 'job', 'db'),
  { kind: 'apply', manifest: late },
  asks('3-pod-comes', 'late', 'db'),
  asks('3-pod-comes', 'web', 'late'),
  talks('3-pod-comes'),
  { kind: 'delete', object: late },
  asks('4-pod-goes', 'web', 'late'),
  asks('4-pod-goes', 'job', 'db'),
  talks('4-pod-goes'),
  {
    kind: 'agent restarts',
    node: 'n2',
    meanwhile: [
      talks('5-agent-restarts'),
      asks('5-agent-restarts', 'web', 'db'),
      asks('5-agent-restarts', 'job', 'db'),
    ],
  },
  talks('6-agent-has-swept'),
  asks('6-agent-has-swept', 'web', 'db'),
  asks('6-agent-has-swept', 'job', 'db'),
  {
    kind: 'switch restarts',
    node: 'n2',
    meanwhile: [asks('7-switch-restarts', 'job', 'db'), asks('7-switch-restarts', 'web', 'job')],
  },
  // For the switch that has forgotten the connection this is a new one, which the policy forbids.
  talks('8-switch-is-programmed'),
  asks('8-switch-is-programmed', 'job', 'db'),
  { kind: 'delete', object: onlyJobsReachDb },
  asks('9-policy-goes', 'web', 'db'),
  { kind: 'delete', object: node('n2') },
  asks('10-node-leaves', 'web', 'db'),
  asks('10-node-leaves', 'web', 'job'),
];

/**
 * A policy comes that forbids what web does: its connection stands, until the switch of db
 * restarts.
 */
export function policyComesAndGoes(tunnel: TunnelType): Sequence<Cluster> {
  return sequenceOf(antreaClusterOf(first, { name: 'changes', tunnel }), events);
}

/** A new connection to the echo service. */
function asks(when: string, from: string, to: string): TrafficEvent {
  return {
    kind: 'send',
    id: `${when}/new/${from}/${to}`,
    from,
    to,
    service: { protocol: 'TCP', port: 7 },
  };
}

/** By the connection that stands since the beginning. */
function talks(when: string): TrafficEvent {
  return { kind: 'talk', id: `${when}/standing/web/db`, connection: standing };
}

function one(text: string): Manifest {
  const [manifest, ...others] = manifestsOf(text);
  assert(manifest !== undefined && others.length === 0, 'a text of one manifest');
  return manifest;
}
