// Goal: L0 says who reaches whom over logical switches and a router, with how many hops, and who
// answers ARP; what nothing is promised about it refuses. Method: a table of stimuli with answers
// worked out by hand.
import t from 'tap';
import { ovnCluster } from '../../../topologies/ovn/ovn-cluster.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { intentOf } from '../intent.js';
import { ovnPromises } from './promises.js';

/** p1 10.10.1.2, p2 10.10.1.3 on n1; p3 10.10.2.2, p4 10.10.2.3 on n2. */
const cluster = ovnCluster({ nodes: 2, podsPerNode: 2 });
const promised = (stimulus: Stimulus) => intentOf(cluster, stimulus, ovnPromises);
const ping = (to: string, ttl?: number): Stimulus => ({
  kind: 'ping',
  from: 'p1',
  to,
  ...(ttl === undefined ? {} : { ttl }),
});

void t.test('who gets it', async (t) => {
  const cases: readonly (readonly [Stimulus, object])[] = [
    [ping('10.10.1.3', 1), { kind: 'round-trip', to: 'p2', source: '10.10.1.2' }],
    [ping('10.10.2.2', 2), { kind: 'round-trip', to: 'p3', source: '10.10.1.2' }],
    [ping('10.10.2.2', 1), { kind: 'rejected' }],
    [
      { kind: 'arp', from: 'p1', target: '10.10.1.3' },
      { kind: 'resolves', ip: '10.10.1.3' },
    ],
    [
      { kind: 'arp', from: 'p1', target: '10.10.1.1' },
      { kind: 'resolves', ip: '10.10.1.1' },
    ],
    [
      { kind: 'arp', from: 'p1', target: '10.10.1.9' },
      { kind: 'denied', why: /nobody holds/ },
    ],
    [
      { kind: 'arp', from: 'p1', target: '10.10.2.2' },
      { kind: 'denied', why: /switch of n2/ },
    ],
  ];
  for (const [stimulus, expected] of cases)
    t.match(promised(stimulus), expected, JSON.stringify(stimulus));
});

void t.test('a pod that claims what is not its own gets no further than its port', async (t) => {
  const mac = '0a:00:0a:0a:01:02';
  const arp = (sha: string, spa: string): Stimulus => ({
    kind: 'frame',
    from: 'p1',
    what: 'an ARP request',
    frame: {
      src: mac,
      dst: 'ff:ff:ff:ff:ff:ff',
      payload: { kind: 'arp', op: 'request', sha, spa, tha: '00:00:00:00:00:00', tpa: '10.10.1.1' },
    },
  });
  t.match(promised(arp(mac, '10.10.1.9')), { kind: 'blocked', why: /10\.10\.1\.9 is not/ });
  t.match(promised(arp('0a:00:0a:0a:01:03', '10.10.1.2')), { kind: 'blocked' });
  t.throws(() => promised(arp(mac, '10.10.1.2')), /claim nothing wrong/);
});

void t.test('what crosses nodes goes in one tunnel each way, and nothing else does', async (t) => {
  t.match(promised(ping('10.10.2.2')), {
    path: [
      {
        node: 'n1',
        crossings: [
          { direction: 'out', port: 'uplink', src: '172.30.0.1', dst: '172.30.0.2' },
          { direction: 'in', port: 'uplink', src: '172.30.0.2', dst: '172.30.0.1' },
        ],
      },
      { node: 'n2' },
    ],
  });
  t.match(promised(ping('10.10.1.3')), { path: [{ node: 'n1', crossings: [] }] });
});

void t.test('nothing is promised of what has no port on a logical switch', async (t) => {
  t.throws(() => promised({ kind: 'ping', from: 'n1', to: '10.10.1.2' }), /nothing is promised/);
  t.throws(() => promised({ kind: 'arp', from: 'p1', target: '10.10.1.2' }), /for itself/);
});
