// Goal: policies are asked about a node by the address that it sends from, also while nodes have
// not received all changes, and where a switch has forgotten a connection; an endpoint whose
// answers get lost may get what is for its Service. Method: policies that let in one of a node's
// two addresses alone, in tunnels and without; L0 over time against L0 at rest and against a table.
import t from 'tap';
import { antreaPromises } from '../antrea/promises.js';
import { apply, manifestsOf } from '../../../topologies/changing-cluster.js';
import { antreaClusterOf } from '../../../topologies/antrea/read-antrea-cluster.js';
import type { Cluster } from '../../kube/objects.js';
import type { AntreaCluster, TrafficMode } from '../../../topologies/antrea/antrea-topology.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { initialPromiseState, afterEvent, type PromiseState } from './promise-state.js';
import { promisedIntent } from './promised-intent.js';
import { afterStimulus } from './promise-after-stimulus.js';
import { antreaIntent } from '../antrea/antrea-intent.js';

const cluster = (allowed: string) =>
  antreaClusterOf(
    manifestsOf(
      [
        '{ apiVersion: v1, kind: Node, metadata: { name: n1 } }',
        '{ apiVersion: v1, kind: Node, metadata: { name: n2 } }',
        '{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { nodeName: n2 } }',
        '{ apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: { name: one }, ' +
          `spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: ${allowed}/32 } }] }] ` +
          '} }',
      ].join('\n---\n'),
    ),
    { name: 'x', tunnel: 'geneve' },
  );
const inMode = (mode: TrafficMode, network: AntreaCluster): AntreaCluster => ({ ...network, mode });
const stimulus: Stimulus = { kind: 'open', from: 'n1', to: '10.10.2.2', port: 7, connection: 'c' };
/** Something happens that n1 does not receive, and that changes nothing for this. */
const withStaleAgents = (course: PromiseState, network: Cluster): PromiseState =>
  afterEvent(course, {
    kind: 'cluster',
    what: 'it changes',
    cluster: network,
    staleAgents: ['n1'],
  });

for (const [mode, allowed, said] of [
  ['encap', '10.10.1.1', 'round-trip'],
  ['encap', '172.30.0.1', 'denied'],
  ['noEncap', '10.10.1.1', 'denied'],
  ['noEncap', '172.30.0.1', 'round-trip'],
] as const) {
  void t.test(`${allowed} is let in, ${mode}`, (t) => {
    const network = inMode(mode, cluster(allowed).cluster);
    t.equal(antreaIntent(network, stimulus).kind, said, 'at rest');
    t.equal(
      promisedIntent(
        withStaleAgents(initialPromiseState(network, antreaPromises), network),
        stimulus,
      ).kind,
      said,
      'while the agent of n1 is stale',
    );
    t.end();
  });
}

void t.test('a connection that was forgotten', (t) => {
  const [before, after] = [
    cluster('172.30.0.1'),
    apply(
      cluster('172.30.0.1'),
      manifestsOf(
        '{ apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: { name: one }, ' +
          'spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 10.10.1.1/32 } }] }] ' +
          '} }',
      ),
    ),
  ];
  const opened = afterStimulus(
    initialPromiseState(inMode('noEncap', before.cluster), antreaPromises),
    stimulus,
    promisedIntent(
      initialPromiseState(inMode('noEncap', before.cluster), antreaPromises),
      stimulus,
    ),
  );
  const changed = afterEvent(opened, {
    kind: 'cluster',
    what: 'it changes',
    cluster: inMode('noEncap', after.cluster),
  });
  const talk: Stimulus = { ...stimulus, kind: 'talk' };
  t.equal(promisedIntent(changed, talk).kind, 'round-trip');
  const forgotten = (course: PromiseState) =>
    afterEvent(afterEvent(course, { kind: 'switch restarts', node: 'n2' }), {
      kind: 'switch is programmed',
      node: 'n2',
    });
  t.equal(
    promisedIntent(forgotten(opened), talk).kind,
    'round-trip',
    'its policies are asked again about the address that it comes from',
  );
  t.equal(promisedIntent(forgotten(changed), talk).kind, 'denied');
  t.end();
});

void t.test('a Service with an endpoint whose node does not know the way back', (t) => {
  const pod = (name: string, node: string) =>
    `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${name} } }, ` +
    `spec: { nodeName: ${node}, containers: [{ name: c, ports: [{ containerPort: 80 }] }] } }`;
  const { cluster: before } = antreaClusterOf(
    manifestsOf(
      [
        ...['n1', 'n2'].map(
          (name) => `{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`,
        ),
        pod('asker', 'n1'),
        pod('web', 'n1'),
        pod('web2', 'n2').replace('app: web2', 'app: web'),
        '{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { selector: ' +
          '{ app: web }, ports: [{ port: 80 }] } }',
      ].join('\n---\n'),
    ),
    { name: 'x', tunnel: 'geneve' },
  );
  const moved: Cluster = {
    ...before,
    nodes: before.nodes.map((node) =>
      node.name === 'n1' ? { ...node, underlay: { ...node.underlay, ip: '172.30.0.77' } } : node,
    ),
  };
  const state = afterEvent(initialPromiseState(before, antreaPromises), {
    kind: 'cluster',
    what: 'n1 has another address',
    cluster: moved,
    staleAgents: ['n2'],
  });
  const [service] = before.objects.services;
  const asked = { from: 'asker', to: service?.spec.clusterIP ?? '', port: 80 };
  t.match(promisedIntent(state, { kind: 'probe', ...asked }), {
    kind: 'balanced',
    answerers: [{ to: 'web' }],
    lost: /n2 does not know n1 yet/,
    ignoredBy: ['web2'],
  });
  t.end();
});
