// Goal: what goes to an address that nobody holds is a kind of promise of its own under every
// control plane, and never counts as "must not pass"; what is kept from somebody who is there never
// counts as the first. Method: a small cluster of each control plane, and addresses in and out of
// its networks that are in nobody's list; then hosts that are there and out of reach.
import t from 'tap';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import { ovnCluster } from '../../topologies/ovn/ovn-cluster.js';
import { egressCluster } from '../../topologies/ovn-kubernetes/egress-cluster.js';
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

void t.test(
  'behind a router somebody holds it, and who is not there is said not to be',
  async (t) => {
    const promises = ovnKubernetesPromises;
    for (const mode of ['shared', 'local'] as const) {
      const network = egressCluster('one', mode);
      const ping = (from: string, to: string, ttl = 64) =>
        intentOf(network, { kind: 'ping', from, to, ttl }, promises);
      const source = mode === 'shared' ? '172.30.128.1' : '172.30.0.1';
      t.match(ping('p2', '8.8.8.8'), { kind: 'round-trip', to: 'internet', source });
      t.match(ping('p1', '8.8.8.8'), { kind: 'round-trip', source: '172.30.129.1' }, 'EgressIP');
      t.match(ping('p1', '8.8.8.8', 3), { kind: 'rejected' }, 'the third router is r1');
      t.match(ping('p1', '8.8.8.1', 3), { kind: 'round-trip', to: 'r1' });
      t.match(ping('p1', '9.9.9.9'), { kind: 'rejected', unheld: '9.9.9.9' });
      t.match(ping('p1', '172.30.77.77'), { kind: 'denied', unheld: '172.30.77.77' });
      if (mode === 'local') t.throws(() => ping('p2', '9.9.9.9'), /errors of r1 about what n1 has/);
      else t.match(ping('p2', '9.9.9.9'), { kind: 'rejected', unheld: '9.9.9.9' });
      t.throws(() => ping('internet', '172.30.0.1'), /internet sends, which is behind a router/);
    }
  },
);

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
