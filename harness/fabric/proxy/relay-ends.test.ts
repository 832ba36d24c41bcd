// Goal: whatever comes by one of a proxy's two connections, and in whatever order, the other gets
// what it should, once, and nothing stays behind. Method: a host with both of them, set by hand,
// and one thing that happens to one; each written by what is sent and by what the host has then.
import t from 'tap';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import { decodeEthernet } from '../../packet/protocols/link/ethernet.js';
import { decodeIpv4 } from '../../packet/protocols/ip/ipv4.js';
import { decodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { connectionKey, createHost, type Effect, type Host } from '../stack/host.js';
import {
  clientConnected,
  dialTimedOut,
  hasClosedReader,
  dialFailed,
  relayed,
  resetClosedReader,
  dialSucceeded,
  newRelay,
} from './relay.js';
import { relayBroken } from './relay-end.js';
import type { RelayEnd } from '../stack/tcp/tcp-connection.js';
import type { TcpConnection } from '../stack/tcp/connection-state.js';

const [clientAt, first, second] = [
  { ip: '10.1.0.5', port: 5000 },
  { ip: '10.2.0.1', port: 80 },
  { ip: '10.2.0.2', port: 80 },
];
const proxy: ProxyPlan = {
  at: { protocol: 'TCP', port: 30_080 },
  to: [first, second],
  dialMs: [250, 500],
  udpIdleMs: 250,
};
const [nothing, byte] = [new Uint8Array(), Uint8Array.of(9)];
const plan: HostPlan = {
  name: 'w',
  kind: 'windows-node',
  routes: [],
  interfaces: [
    { name: 'out', port: 'out', mac: '02:00:00:00:00:01', ip: '10.1.0.1', prefixLength: 24 },
    { name: 'in', port: 'in', mac: '02:00:00:00:00:02', ip: '10.2.0.9', prefixLength: 24 },
  ],
  neighbours: [clientAt, first, second].map(({ ip }) => ({ ip, mac: '02:00:00:00:00:77' })),
};

const toClient = (state: TcpConnection['state'] = 'established', given = proxy): RelayEnd => ({
  local: { ip: '10.1.0.1', port: 30_080 },
  remote: clientAt,
  ttl: 64,
  as: 'answerer',
  purpose: 'relay',
  patience: 7,
  state,
  sendNext: 5001,
  receiveNext: 1001,
  relay: newRelay(given),
});
const toEndpoint = (
  state: TcpConnection['state'] = 'established',
  remote: AddressAndPort = first,
): RelayEnd => ({
  ...toClient(state),
  local: { ip: '10.2.0.9', port: 50_001 },
  remote,
  as: 'opener',
  sendNext: 7001,
  receiveNext: 8001,
});

/** A host with these two, joined. */
function joined(
  client = toClient(),
  opened = toEndpoint(),
): { readonly host: Host; readonly client: RelayEnd; readonly opened: RelayEnd } {
  const host = createHost(plan, {
    identifier: 7,
    srcPort: 1,
    payload: nothing,
    sequences: { opener: 7000, answerer: 5000 },
  });
  const [one, other] = [
    { ...client, relay: { ...client.relay, other: connectionKey(opened) } },
    { ...opened, relay: { ...opened.relay, other: connectionKey(client) } },
  ];
  for (const connection of [one, other])
    host.connections.set(connectionKey(connection), connection);
  return { host, client: one, opened: other };
}

/** `client ACK 5001/1001`, `first PSH+ACK 7001/8001 +1`; timers for segments aside. */
function words(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap((effect) => {
    if (effect.kind === 'note') return Object.values(effect.note).join(' ');
    if (effect.kind === 'wake') return effect.timer.kind === 'dial' ? `dial ${effect.delayUs}` : [];
    const ip = decodeIpv4(decodeEthernet(effect.frame)?.payload ?? nothing);
    const tcp = ip === undefined ? undefined : decodeTcp(ip.payload, ip.header);
    const flags = Object.entries(tcpFlags)
      .filter(([, bit]) => ((tcp?.header.flags ?? 0) & bit) !== 0)
      .map(([name]) => name)
      .join('+');
    const name = { [clientAt.ip]: 'client', [first.ip]: 'first', [second.ip]: 'second' }[
      ip?.header.dst ?? ''
    ];
    return (
      `${name} ${flags} ` +
      tcp?.header.sequence +
      `/${tcp?.header.acknowledgement}${tcp?.payload.length === 0 ? '' : ` +${tcp?.payload.length}`}`
    );
  });
}

const left = ({ connections }: Host) =>
  [...connections.values()].map(
    ({ remote, state, relay }) =>
      `${remote.ip === clientAt.ip ? 'client' : remote.ip === first.ip ? 'first' : 'second'} ` +
      `${state}${relay?.closing === true ? ' closing' : ''}${(relay?.waiting.length ?? 0) > 0 ? ` +${relay?.waiting.length}` : ''}`,
  );
const heard = (payload: Uint8Array, finished = false) => ({ payload, finished });

void t.test('data', async (t) => {
  const { host, client, opened } = joined();
  t.same(words(relayed(host, client, heard(byte))), [
    'client ACK 5001/1001',
    'first PSH+ACK 7001/8001 +1',
  ]);
  const busy = host.connections.get(connectionKey(opened)) ?? opened;
  t.same(
    words(relayed(host, client, heard(byte))),
    ['client ACK 5001/1001'],
    'one segment at a time',
  );
  t.same(left(host), ['client established', 'first established +1']);
  const { unacknowledged: _, ...free } = busy;
  t.same(
    words(relayed(host, { ...free, relay: { ...opened.relay, waiting: [byte] } }, heard(nothing))),
    ['first PSH+ACK 7002/8001 +1'],
    'what waits goes when it is acknowledged',
  );
  t.same(left(host), ['client established', 'first established']);
  const alone = joined();
  alone.host.connections.delete(connectionKey(alone.opened));
  t.same(
    words(relayed(alone.host, alone.client, heard(byte))),
    ['client ACK 5001/1001'],
    'the other is gone',
  );
  const { relay: __, ...foreign } = alone.opened;
  alone.host.connections.set(connectionKey(foreign), foreign);
  t.same(
    words(relayed(alone.host, alone.client, heard(byte))),
    ['client ACK 5001/1001'],
    'and another stands in its place',
  );
  t.same(words(relayBroken(alone.host, alone.client)), []);
});

void t.test('the end of one is that of both', async (t) => {
  const whole = joined();
  t.same(words(relayed(whole.host, whole.client, heard(nothing, true))), [
    'client ACK 5001/1001',
    'first FIN+ACK 7001/8001',
    'client FIN+ACK 5001/1001',
  ]);
  t.same(left(whole.host), ['client last-ack closing', 'first fin-wait-1 closing']);
  t.same(words(relayBroken(whole.host, whole.client)), [], 'it is closed once');
  const last = joined(toClient('last-ack'));
  t.same(
    [words(relayed(last.host, last.client, heard(nothing))), left(last.host)],
    [[], ['first established']],
  );
  for (const [state, finished, said, then] of [
    ['fin-wait-1', false, [], 'fin-wait-2'],
    ['fin-wait-1', true, ['first ACK 7001/8001'], 'time-wait'],
    ['fin-wait-2', true, ['first ACK 7001/8001'], 'time-wait'],
  ] as const) {
    const { host, opened } = joined(toClient(), toEndpoint(state));
    t.same(
      [words(relayed(host, opened, heard(nothing, finished))), left(host)],
      [said, ['client established', `first ${then}`]],
      `${state}, ${finished ? 'finished' : 'acknowledged'}`,
    );
  }
  for (const [state, said, then] of [
    ['established', ['first FIN+ACK 7001/8001'], 'first fin-wait-1 closing'],
    ['close-wait', ['first FIN+ACK 7001/8001'], 'first last-ack closing'],
    ['fin-wait-1', [], 'first fin-wait-1 closing'],
    ['time-wait', [], 'first time-wait closing'],
    ['syn-sent', [], 'first syn-sent closing'],
  ] as const) {
    const { host, client } = joined(toClient(), toEndpoint(state));
    t.same(
      [words(relayBroken(host, client)), left(host)],
      [said, ['client established', then]],
      `the other is reset: ${state}`,
    );
  }
  const { relay: _, ...plain } = toClient();
  t.same(relayBroken(joined().host, plain), []);
  const waiting = joined(toClient(), {
    ...toEndpoint(),
    unacknowledged: {
      segment: { sequence: 1, acknowledgement: 1, flags: 0, payload: byte, checksum: 'right' },
      transmissions: 1,
    },
  });
  t.same(
    words(relayBroken(waiting.host, waiting.client)),
    [],
    'not before what was sent is acknowledged',
  );
});

void t.test('nobody reads what comes for a closed one', async (t) => {
  const states = [
    'syn-sent',
    'syn-received',
    'established',
    'close-wait',
    'fin-wait-1',
    'fin-wait-2',
    'last-ack',
    'time-wait',
  ] as const;
  t.same(
    states.filter((state) => hasClosedReader(toClient(state))),
    ['fin-wait-1', 'fin-wait-2'],
  );
  const { relay: _, ...plain } = toClient('fin-wait-1');
  t.equal(hasClosedReader(plain), false);
  const { host, opened } = joined();
  t.same(
    [words(resetClosedReader(host, opened, 77)), left(host)],
    [['first RST 77/0'], ['client established']],
  );
});

void t.test('who is tried, and what happens to what waits for them', async (t) => {
  const dialing = (given = proxy, arrived = heard(nothing)) => {
    const { host } = joined();
    host.connections.clear();
    return { host, said: words(clientConnected(host, toClient('established', given), arrived)) };
  };
  const usual = dialing();
  t.same(
    [usual.said, left(usual.host)],
    [
      ['second SYN 7000/0', 'dial 250000'],
      ['client established', 'second syn-sent'],
    ],
  );
  t.same(
    dialing({ ...proxy, to: [second, { ip: '192.0.2.1', port: 80 }], dialMs: [1, 2, 3] }).said,
    ['second SYN 7000/0', 'dial 2000'],
    'no way to the first of them',
  );
  t.same(dialing({ ...proxy, to: [] }).said, ['client FIN+ACK 5001/1001'], 'no endpoint');
  t.same(dialing(proxy, heard(byte)).said, [
    'second SYN 7000/0',
    'dial 250000',
    'client ACK 5001/1001',
  ]);
  const early = dialing(proxy, heard(byte, true));
  t.same(
    [early.said, left(early.host)],
    [
      ['second SYN 7000/0', 'dial 250000', 'client ACK 5001/1001'],
      ['client close-wait', 'second syn-sent +1'],
    ],
    'closed before anybody took it',
  );
  const [opened] = [...usual.host.connections.values()].slice(1);
  if (opened === undefined) return t.fail('nothing was opened');
  const { host } = joined(toClient(), { ...toEndpoint(), local: opened.local, remote: second });
  clientConnected(host, toClient(), heard(nothing));
  t.same(
    [...host.connections.values()].at(-1)?.local,
    { ip: '10.2.0.9', port: opened.local.port + 1 },
    'a port that is taken',
  );
  return undefined;
});

void t.test('an endpoint takes it, or does not', async (t) => {
  const tries = [{ endpoint: second, limitMs: 500 }];
  const asking = (waiting: readonly Uint8Array[] = [], more = tries) =>
    joined(toClient(), {
      ...toEndpoint('syn-sent'),
      relay: { ...newRelay(proxy), waiting, tries: more },
    });
  for (const how of ['refused', 'late'] as const) {
    const { host, opened } = asking([byte]);
    const said =
      how === 'refused'
        ? dialFailed(host, opened)
        : dialTimedOut(host, { kind: 'dial', connection: connectionKey(opened) });
    t.same(
      [words(said), left(host)],
      [
        ['second SYN 7000/0', 'dial 500000'],
        ['client established', 'second syn-sent +1'],
      ],
      how,
    );
  }
  for (const [waiting, said, then] of [
    [[], ['client FIN+ACK 5001/1001'], ['client fin-wait-1 closing']],
    [[byte], ['client RST+ACK 5001/1001'], []],
  ] as const) {
    const { host, opened } = asking(waiting, []);
    t.same([words(dialFailed(host, opened)), left(host)], [said, then], 'that was the last');
  }
  const gone = asking();
  gone.host.connections.delete(connectionKey(gone.client));
  t.same(
    [words(dialFailed(gone.host, gone.opened)), left(gone.host)],
    [[], []],
    'the client is gone',
  );
  const late = joined();
  t.same(
    dialTimedOut(late.host, { kind: 'dial', connection: connectionKey(late.opened) }),
    [],
    'it was taken meanwhile',
  );
  t.same(dialTimedOut(late.host, { kind: 'dial', connection: 'none' }), []);
  const through = asking([byte]);
  t.same(
    [
      words(dialSucceeded(through.host, { ...through.opened, state: 'established' })),
      left(through.host),
    ],
    [
      ['relayed 10.1.0.5 10.2.0.1', 'first ACK 7001/8001', 'first PSH+ACK 7001/8001 +1'],
      ['client established', 'first established'],
    ],
  );
  t.same([...through.host.proxyMemory.affinity.values()], [{ endpoint: first, atUs: 0 }]);
  const orphan = asking();
  orphan.host.connections.delete(connectionKey(orphan.client));
  t.same(
    [
      words(dialSucceeded(orphan.host, { ...orphan.opened, state: 'established' })),
      left(orphan.host),
    ],
    [['first ACK 7001/8001', 'first FIN+ACK 7001/8001'], ['first fin-wait-1 closing']],
    'for nobody',
  );
  const closed = joined(toClient('close-wait'), toEndpoint('syn-sent'));
  t.same(
    [
      words(dialSucceeded(closed.host, { ...closed.opened, state: 'established' })),
      left(closed.host),
    ],
    [
      [
        'relayed 10.1.0.5 10.2.0.1',
        'first ACK 7001/8001',
        'client FIN+ACK 5001/1001',
        'first FIN+ACK 7001/8001',
      ],
      ['client last-ack closing', 'first fin-wait-1 closing'],
    ],
    'for one that has closed',
  );
});
