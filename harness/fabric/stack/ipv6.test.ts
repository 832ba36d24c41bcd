// Goal: hosts speak IPv6 as their plan has it: they ask for a next hop by neighbour discovery, give
// up after the third time, answer who asks for them and nobody else, and send echoes, datagrams and
// connections; a DHCPv6 client takes what is offered to it. Method: two hosts on one link, frame by
// frame; a server's messages by hand.
import t from 'tap';
import { linkLocalOf } from '../../base/addresses/link-local.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv6, ipv6Bytes } from '../../packet/protocols/ip/ipv6.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { advertisementFrame } from '../../packet/protocols/ip/neighbour-frames.js';
import {
  dhcpv6Options as codes,
  dhcpv6Types as types,
  encodeDhcpv6,
  encodeDhcpv6Option,
} from '../../packet/protocols/transport/dhcpv6.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { createHost, type Effect, type Host } from './host.js';
import { fireTimer, receive } from './host-stack.js';
import { startStimulus } from './start-stimulus.js';

const random = {
  identifier: 0x1234,
  srcPort: 50_000,
  payload: Buffer.from('flowbed'),
  sequences: { opener: 1000, answerer: 5000 },
};

function hostCalled(name: string, number: number): Host {
  const plan: HostPlan = {
    name,
    kind: 'pod',
    interfaces: [
      {
        name: 'eth0',
        port: `if-${name}`,
        mac: `0a:00:00:00:00:0${number}`,
        ip: `10.0.0.${number}`,
        prefixLength: 24,
        ipv6: { ip: `fd00::${number}`, prefixLength: 64 },
      },
    ],
    routes: [{ destination: '::/0', via: 'fe80::99', interface: 'eth0', onlink: true }],
  };
  return createHost(plan, random);
}

const framesOf = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'send' ? [effect.frame] : []));
const notesOf = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'note' ? [effect.note] : []));

/** What both note until neither sends any more. */
function exchange(one: Host, other: Host, first: readonly Effect[]) {
  const notes = [...notesOf(first)];
  let [from, frames] = [one, framesOf(first)];
  while (frames.length > 0) {
    const to = from === one ? other : one;
    const [via] = to.plan.interfaces;
    const effects = frames.flatMap((frame) => (via === undefined ? [] : receive(to, via, frame)));
    notes.push(...notesOf(effects));
    [from, frames] = [to, framesOf(effects)];
  }
  return notes;
}

function started(stimulus: (from: string) => Stimulus) {
  const [one, other] = [hostCalled('one', 1), hostCalled('other', 2)];
  return { one, other, effects: startStimulus(one, stimulus('one')) };
}

void t.test('echoes, datagrams and connections', async (t) => {
  const to = 'fd00::2';
  const cases: readonly (readonly [(from: string) => Stimulus, readonly string[]])[] = [
    [(from) => ({ kind: 'ping', from, to }), ['resolved', 'received', 'received']],
    [(from) => ({ kind: 'udp', from, to, port: 7 }), ['resolved', 'received', 'received']],
    [(from) => ({ kind: 'udp', from, to, port: 9 }), ['resolved', 'received']],
    [(from) => ({ kind: 'arp', from, target: to }), ['resolved']],
    [(from) => ({ kind: 'probe', from, to, port: 9 }), ['resolved', 'dropped', 'refused']],
  ];
  for (const [stimulus, expected] of cases) {
    const { one, other, effects } = started(stimulus);
    const notes = exchange(one, other, effects).map(({ kind }) => kind);
    t.strictSame(notes, expected, JSON.stringify(stimulus('one')));
  }
  const { one, other, effects } = started((from) => ({ kind: 'tcp', from, to, port: 7 }));
  const notes = exchange(one, other, effects);
  t.equal(notes.filter(({ kind }) => kind === 'closed').length, 2, 'a connection of both ends');
  t.match(notes, [{ kind: 'resolved', ip: to, mac: '0a:00:00:00:00:02' }]);
});

void t.test(
  'who does not have the address keeps silent, and the third time is the last',
  async (t) => {
    const { one, other, effects } = started((from) => ({ kind: 'ping', from, to: 'fd00::3' }));
    t.strictSame(exchange(one, other, effects), []);
    const again = (before: readonly Effect[]) =>
      before.flatMap((effect) => (effect.kind === 'wake' ? fireTimer(one, effect.timer) : []));
    const third = again(again(effects));
    t.equal(framesOf(third).length, 1);
    t.strictSame(notesOf(again(third)), [{ kind: 'unresolved', ip: 'fd00::3' }]);
  },
);

void t.test('an advertisement that nobody asked for teaches nothing', async (t) => {
  const one = hostCalled('one', 1);
  const [via] = one.plan.interfaces;
  if (via === undefined) throw new Error('one has an interface');
  const at = (mac: string) => ({ mac, ip: 'fd00::2' });
  const to = { mac: via.mac, ip: 'fd00::1' };
  receive(one, via, advertisementFrame(at('0a:00:00:00:00:07'), to, 0x20000000));
  t.equal(one.neighbours.size, 0);
  one.neighbours.set('fd00::2', { kind: 'known', mac: '0a:00:00:00:00:02' });
  receive(one, via, advertisementFrame(at('0a:00:00:00:00:07'), to, 0));
  t.match(one.neighbours.get('fd00::2'), { mac: '0a:00:00:00:00:02' }, 'it does not override');
  receive(one, via, advertisementFrame(at('0a:00:00:00:00:07'), to, 0x20000000));
  t.match(one.neighbours.get('fd00::2'), { mac: '0a:00:00:00:00:07' });
});

void t.test('what leaves the network goes to the gateway of the link', async (t) => {
  const { one, effects } = started((from) => ({ kind: 'ping', from, to: '2001:db8::1' }));
  t.equal(framesOf(effects).length, 1);
  t.strictSame([...one.neighbours.keys()], ['fe80::99']);
});

void t.test('a DHCPv6 client', async (t) => {
  const host = hostCalled('one', 1);
  const [via] = host.plan.interfaces;
  if (via === undefined) throw new Error('one has an interface');
  const duid = (...mac: readonly number[]) => Uint8Array.of(0, 3, 0, 1, ...mac);
  const address = concatBytes(ipv6Bytes('fd00::1'), Uint8Array.of(0, 0, 14, 16, 0, 0, 14, 16));
  const says = (type: number, client: Uint8Array, given: Uint8Array = address) => {
    const addresses = { src: 'fe80::99', dst: linkLocalOf(via.mac) };
    const association = concatBytes(
      new Uint8Array(12),
      encodeDhcpv6Option({ code: codes.iaAddress, value: given }),
    );
    const message = encodeDhcpv6({
      type,
      transaction: random.identifier,
      options: [
        { code: codes.clientId, value: client },
        { code: codes.serverId, value: duid(2, 0, 0, 0, 0, 9) },
        { code: codes.iaNa, value: association },
        { code: codes.dnsServers, value: ipv6Bytes('fd00::53') },
      ],
    });
    const packet = encodeIpv6(
      { ...addresses, nextHeader: ipProtocols.udp, hopLimit: 64 },
      encodeUdp({ srcPort: 547, dstPort: 546 }, message, addresses),
    );
    const header = { dst: via.mac, src: '02:00:00:00:00:09', etherType: etherTypes.ipv6 };
    return receive(host, via, encodeEthernet(header, packet));
  };
  const own = duid(0x0a, 0, 0, 0, 0, 1);
  const asked = startStimulus(host, { kind: 'dhcp', from: 'one', version: 6 });
  t.equal(Buffer.from(framesOf(asked)[0] ?? []).toString('hex', 0, 6), '333300010002');
  t.notOk(framesOf(says(types.advertise, duid(1, 1, 1, 1, 1, 1))).length, 'to somebody else');
  t.equal(framesOf(says(types.advertise, own)).length, 1, 'it requests what is offered');
  t.strictSame(notesOf(says(types.reply, own)), [
    {
      kind: 'leased',
      lease: {
        ip: 'fd00::1',
        netmask: '',
        router: '',
        server: '02:00:00:00:00:09',
        dnsServer: 'fd00::53',
        hostname: '',
        seconds: 3600,
      },
    },
  ]);
});
