// Goal: what a gateway announces is held to what is promised, each once and nothing beside. Method:
// frames by hand out of its node's port, with one thing different at a time.
import t from 'tap';
import type { FrameEvent } from '../domain/observation.js';
import { encodeArp } from '../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { judgeAnnounced } from './judge-announced.js';

const mac = '0a:00:ac:1e:00:01';
const none = '00:00:00:00:00:00';
const arp = (spa: string, tpa = spa, sha = mac, dst = 'ff:ff:ff:ff:ff:ff') =>
  encodeEthernet(
    { src: mac, dst, etherType: etherTypes.arp },
    encodeArp({ op: 1, sha, spa, tha: none, tpa }),
  );
const rarp = encodeEthernet(
  { src: mac, dst: 'ff:ff:ff:ff:ff:ff', etherType: 0x8035 },
  encodeArp({ op: 3, sha: mac, spa: '0.0.0.0', tha: mac, tpa: '0.0.0.0' }),
);
const out = (frame: Uint8Array, port = 'uplink', node = 'n1'): FrameEvent => ({
  timeUs: 0,
  node,
  port,
  direction: 'out',
  frame,
});
const judge = (what: readonly string[], frames: readonly FrameEvent[]) =>
  judgeAnnounced(
    { kind: 'announced', port: 'uplink', what },
    { kind: 'announcement', from: 'n1', copy: 1 },
    { frames, notes: [] },
  );
const one = `10.0.0.1 is at ${mac}`;

void t.test('what is promised', (t) => {
  const beside = [out(arp('10.0.0.9'), 'uplink', 'n2'), out(arp('10.0.0.9'), 'br-ex')];
  t.equal(judge([one], [out(arp('10.0.0.1')), ...beside]), undefined);
  t.equal(judge([mac], [out(rarp)]), undefined);
  t.equal(judge([], []), undefined);
  t.end();
});

void t.test('anything else', (t) => {
  const broken: readonly (readonly [readonly string[], readonly FrameEvent[], string])[] = [
    [[one], [], 'nothing'],
    [[], [out(arp('10.0.0.1'))], one],
    [[one], [out(arp('10.0.0.1')), out(arp('10.0.0.1'))], `${one}; ${one}`],
    [[one], [out(arp('10.0.0.2'))], `10.0.0.2 is at ${mac}`],
    [[one], [out(arp('10.0.0.1', '10.0.0.2'))], `a frame of EtherType 0x806 from ${mac}`],
    [[one], [out(arp('10.0.0.1', '10.0.0.1', none))], `a frame of EtherType 0x806 from ${mac}`],
    [
      [one],
      [out(arp('10.0.0.1', '10.0.0.1', mac, none))],
      `a frame of EtherType 0x806 from ${mac}`,
    ],
    [[one], [out(rarp)], mac],
  ];
  for (const [what, frames, actual] of broken) t.equal(judge(what, frames)?.actual, actual);
  t.match(judge([one], []), { expected: `out of uplink of n1: ${one}` });
  t.end();
});
