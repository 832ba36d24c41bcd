// Goal: who may get a frame of a vector is who is promised it, and who cannot answer it; a lease is
// given once, as promised, and to its client alone. Method: one frame at a host, or one note.
import t from 'tap';
import type { Intent } from '../domain/intent.js';
import type { HostNote, Lease } from '../domain/observation.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { judgeIntent } from './judge-intent.js';

const frame = encodeEthernet(
  { dst: '0a:00:00:00:00:02', src: '0a:00:00:00:00:01', etherType: etherTypes.ipv4 },
  encodeIpv4(
    { src: '10.10.1.2', dst: '10.10.2.2', protocol: ipProtocols.tcp, ttl: 64 },
    new Uint8Array(20),
  ),
);

void t.test('an endpoint whose answers get lost may get a frame, and nobody else', (t) => {
  const ignored: Intent = {
    kind: 'balanced',
    answerers: [{ to: 'a', sources: ['10.10.1.2'] }],
    spread: 'any',
    why: 'the web',
    lost: 'no way back from c',
    ignoredBy: ['c'],
  };
  const outAt = (host: string) =>
    judgeIntent(
      ignored,
      { kind: 'tcp', from: 'p', to: '10.96.0.10', port: 80 },
      {
        frames: [],
        notes: [],
        hostFrames: [{ timeUs: 1, host, kind: 'arrived', frame }],
      },
    )?.actual ?? 'kept';
  t.equal(outAt('c'), 'kept');
  t.match(outAt('d'), /at d came out/);
  t.end();
});

const lease: Lease = {
  ip: '10.10.1.9',
  netmask: '255.255.255.0',
  router: '169.254.1.1',
  server: '169.254.1.1',
  dnsServer: '10.96.0.10',
  hostname: 'vm1',
  seconds: 3500,
};

void t.test('a lease', (t) => {
  const leased = (host = 'vm1', more: Partial<Lease> = {}): HostNote => ({
    ...{ timeUs: 1, host, kind: 'leased', lease: { ...lease, ...more } },
  });
  const judged = (notes: readonly HostNote[], ...arrivedAt: readonly string[]) =>
    judgeIntent(
      { kind: 'leases', lease },
      { kind: 'dhcp', from: 'vm1' },
      {
        frames: [],
        notes,
        hostFrames: arrivedAt.map((host) => ({ timeUs: 1, host, kind: 'arrived', frame })),
      },
    )?.actual ?? 'kept';
  t.equal(judged([leased()], 'vm1'), 'kept');
  t.match(judged([{ timeUs: 1, host: 'vm1', kind: 'unleased', why: 'no offer' }]), /no offer/);
  t.equal(judged([]), 'no host noted anything');
  for (const [name, value] of Object.entries(lease))
    t.not(judged([leased('vm1', { [name]: typeof value === 'number' ? 1 : '0.0.0.0' })]), 'kept');
  t.not(judged([leased('p1')]), 'kept', 'another client');
  t.match(judged([leased(), leased()]), /^more than that: /);
  t.match(judged([leased()], 'vm1', 'p1'), /^at p1 came out /, 'the answer at a stranger');
  t.end();
});
