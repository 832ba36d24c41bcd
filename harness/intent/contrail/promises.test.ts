// Goal: L0 says who reaches whom on virtual networks, before and after the agent has added a port,
// and refuses what nothing is promised about. Method: a table of stimuli with answers worked out by
// hand.
import t from 'tap';
import { injected, waiting } from '../../../topologies/contrail/container-life.js';
import { contrailCluster } from '../../../topologies/contrail/tenants.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { contrailPromises } from './promises.js';

const blue = { tenant: 'blue', network: 'front' };
const cluster = contrailCluster(2, 'vxlan', [
  { name: 'a', hypervisor: 'h1', ...blue, address: 2 },
  { name: 'b', hypervisor: 'h2', ...blue, address: 3 },
  { name: 'other', hypervisor: 'h1', ...blue, subnet: 1, address: 2 },
  { name: 'back', hypervisor: 'h1', tenant: 'blue', network: 'back', address: 2 },
  { name: 'red', hypervisor: 'h1', tenant: 'red', network: 'front', address: 9 },
  { name: 'waits', hypervisor: 'h1', ...blue, address: 4, ...waiting },
  { name: 'early', hypervisor: 'h1', ...blue, address: 5, ...injected },
]);
const promised = (stimulus: Stimulus) => contrailPromises.whole?.(cluster, stimulus);
const ping = (from: string, to: string, ttl?: number): Stimulus => ({
  kind: 'ping',
  from,
  to,
  ...(ttl === undefined ? {} : { ttl }),
});
const arp = (target: string): Stimulus => ({ kind: 'arp', from: 'a', target });

void t.test('who gets it', async (t) => {
  const cases: readonly (readonly [Stimulus, object])[] = [
    [ping('a', '10.1.1.3', 1), { kind: 'round-trip', to: 'b', source: '10.1.1.2' }],
    [ping('a', '10.1.2.2', 2), { kind: 'round-trip', to: 'other' }],
    [ping('a', '10.1.2.2', 1), { kind: 'denied', why: /TTL 1/ }],
    [ping('a', '10.1.3.2'), { kind: 'denied', why: /back in blue:back alone/ }],
    [ping('a', '10.1.1.9'), { kind: 'denied', why: /red in red:front alone/ }],
    [ping('a', '10.1.1.99'), { kind: 'denied', why: /nobody holds/ }],
    [ping('a', '10.1.1.4'), { kind: 'denied', why: /not added the port of waits/ }],
    [ping('a', '10.1.1.5'), { kind: 'denied', why: /early has a port, and no adapter/ }],
    [ping('waits', '10.1.1.2'), { kind: 'blocked' }],
    [arp('10.1.1.1'), { kind: 'resolves', mac: '00:00:5e:00:01:00' }],
    [arp('10.1.1.5'), { kind: 'resolves' }],
    [arp('10.1.1.4'), { kind: 'denied' }],
    [arp('10.1.2.2'), { kind: 'denied', why: /is not in 10\.1\.1\.0\/24/ }],
  ];
  for (const [stimulus, expected] of cases)
    t.match(promised(stimulus), expected, JSON.stringify(stimulus));
  t.throws(() => promised(ping('early', '10.1.1.2')), /unknown host "early"/);
  t.throws(() => promised(ping('h1', '10.1.1.2')), /nothing is promised about what h1 sends/);
});

void t.test('a container claims nothing but what is its own', async (t) => {
  const frame = (src: string, spa: string): Stimulus => ({
    kind: 'frame',
    from: 'a',
    what: 'a datagram',
    frame: {
      src,
      dst: '00:00:5e:00:01:00',
      payload: { kind: 'echo-request', src: spa, dst: '10.1.1.3', ttl: 64 },
    },
  });
  const mac = cluster.containers[0]?.mac ?? '';
  t.match(promised(frame('02:00:00:00:00:01', '10.1.1.2')), { kind: 'blocked', why: /its MAC/ });
  t.match(promised(frame(mac, '10.1.1.3')), { kind: 'blocked', why: /its address/ });
  t.throws(() => promised(frame(mac, '10.1.1.2')), /claim nothing wrong/);
});

void t.test('nobody but the one who waits gets what the native driver sends', async (t) => {
  const native = (name: string): Stimulus => {
    const to = cluster.containers.find((container) => container.name === name);
    return {
      kind: 'frame',
      from: 'h1',
      what: 'a ping',
      frame: {
        src: '0a:00:ac:1e:00:01',
        dst: to?.mac ?? '',
        payload: { kind: 'echo-request', src: '172.30.0.1', dst: to?.ip ?? '', ttl: 64 },
      },
    };
  };
  t.match(promised(native('waits')), { kind: 'delivered', to: 'waits' });
  t.match(promised(native('a')), { kind: 'denied', why: /is added/ });
  t.match(promised(native('b')), { kind: 'denied', why: /no container on h1/ });
});
