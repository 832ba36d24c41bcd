// Goal: what goes to an address that nobody holds is a kind of promise of its own under every
// control plane, and never counts as "must not pass"; what is kept from somebody who is there never
// counts as the first. Method: a small cluster of each control plane, and addresses in and out of
// its networks that are in nobody's list; then hosts that are there and out of reach.
import t from 'tap';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import { ovnCluster } from '../../topologies/ovn/ovn-cluster.js';
import { ovnKubernetesCluster } from '../../topologies/ovn-kubernetes/ovn-kubernetes-cluster.js';
import { countPromises, promiseKindOf } from '../domain/promise-kind.js';
import type { Stimulus } from '../domain/test-vector.js';
import { antreaPromises } from './antrea/promises.js';
import { intentOf } from './intent.js';
import { ovnKubernetesPromises } from './ovn-kubernetes/promises.js';
import { ovnPromises } from './ovn/promises.js';

const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
const clusters = {
  antrea: [antreaCluster({ ...size, tunnel: 'geneve' }), antreaPromises],
  ovn: [ovnCluster(size), ovnPromises],
  'ovn-kubernetes': [ovnKubernetesCluster(size), ovnKubernetesPromises],
} as const;

const sent = (from: string, to: string): readonly Stimulus[] => [
  { kind: 'ping', from, to },
  { kind: 'udp', from, to, port: 7 },
  { kind: 'tcp', from, to, port: 7 },
  { kind: 'probe', from, to, port: 9 },
  { kind: 'open', from, to, port: 7, connection: 'c' },
  { kind: 'arp', from, target: to },
];

void t.test('nobody holds it', async (t) => {
  // In a pod's own subnet, in a peer's, on the network between nodes, and elsewhere.
  const unheld = ['10.10.1.77', '10.10.2.77', '172.30.77.77', '8.8.8.8'];
  for (const [name, [network, promises]] of Object.entries(clusters))
    for (const stimulus of unheld.flatMap((address) => sent('p1', address))) {
      // Who has an address of the cluster on another switch is said by the router there.
      const isProxied = name === 'ovn-kubernetes' && stimulus.kind === 'arp';
      const said = intentOf(network, stimulus, promises);
      if (isProxied && said.kind === 'resolves') continue;
      t.equal(
        promiseKindOf(said),
        'nobody holds it',
        `${name}: ${JSON.stringify([stimulus, said])}`,
      );
    }
  const [antrea, promises] = clusters.antrea;
  for (const to of ['10.10.9.9', '172.30.77.77', '8.8.8.8'])
    t.equal(
      promiseKindOf(intentOf(antrea, { kind: 'ping', from: 'x1', to }, promises)),
      'nobody holds it',
      `x1 to ${to}`,
    );
});

void t.test('somebody holds it, and is out of reach', async (t) => {
  const [antrea, promises] = clusters.antrea;
  for (const stimulus of [
    ...sent('x1', '10.10.1.2'),
    { kind: 'arp', from: 'p1', target: '10.10.2.2' } as const,
    { kind: 'ping', from: 'p1', to: '10.10.2.2', ttl: 1 } as const,
  ])
    t.equal(
      promiseKindOf(intentOf(antrea, stimulus, promises)),
      'must not pass',
      JSON.stringify(stimulus),
    );
});

void t.test('counted by itself', async (t) => {
  for (const kind of ['denied', 'rejected', 'blocked'] as const)
    t.equal(promiseKindOf({ kind, unheld: '8.8.8.8' }), 'nobody holds it', kind);
  t.equal(
    countPromises([{ kind: 'denied' }, { kind: 'denied', unheld: '8.8.8.8' }]),
    '1 must not pass, 1 nobody holds it',
  );
});
