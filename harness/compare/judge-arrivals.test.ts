// Goal: who may get a frame of a vector is who is promised it, and who cannot answer it.
// Method: one frame at a host.
import t from 'tap';
import type { Intent } from '../domain/intent.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { judgeIntent } from './judge-intent.js';

void t.test('an endpoint whose answers get lost may get a frame, and nobody else', (t) => {
  const ignored: Intent = {
    kind: 'balanced',
    answerers: [{ to: 'a', sources: ['10.10.1.2'] }],
    spread: 'any',
    why: 'the web',
    lost: 'no way back from c',
    ignoredBy: ['c'],
  };
  const frame = encodeEthernet(
    { dst: '0a:00:00:00:00:02', src: '0a:00:00:00:00:01', etherType: etherTypes.ipv4 },
    encodeIpv4(
      { src: '10.10.1.2', dst: '10.10.2.2', protocol: ipProtocols.tcp, ttl: 64 },
      new Uint8Array(20),
    ),
  );
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
