// Goal: who listens, whose turn it is, who keeps an endpoint and for how long, and from which port
// a proxy speaks, do not depend on anything but plan, seed and time. Method: a host with proxies,
// asked directly; tables of known answers, at the borders of times and of the range of ports.
import t from 'tap';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import { decodeEthernet } from '../../packet/protocols/link/ethernet.js';
import { decodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { decodeUdp } from '../../packet/protocols/transport/udp.js';
import { createHost, type Host } from '../stack/host.js';
import { endpointsFor, portFor, proxyAt, rememberAffinity } from './proxy.js';
import { relayDatagram } from './relay-datagrams.js';

const [a, b, c] = [
  { ip: '10.2.0.1', port: 80 },
  { ip: '10.2.0.2', port: 80 },
  { ip: '10.2.0.2', port: 81 },
];
const names = new Map([
  [a, 'a'],
  [b, 'b'],
  [c, 'c'],
]);
const proxy = (at: ProxyPlan['at'], more: Partial<ProxyPlan> = {}): ProxyPlan => ({
  at,
  to: [a, b, c],
  dialMs: [250],
  udpIdleMs: 250,
  ...more,
});
const tcp = (port: number, ip?: string): ProxyPlan['at'] => ({
  protocol: 'TCP',
  port,
  ...(ip === undefined ? {} : { ip }),
});
const plan: HostPlan = {
  name: 'w',
  kind: 'windows-node',
  routes: [],
  interfaces: [
    { name: 'out', port: 'out', mac: '02:00:00:00:00:01', ip: '10.1.0.1', prefixLength: 24 },
    { name: 'in', port: 'in', mac: '02:00:00:00:00:02', ip: '10.2.0.9', prefixLength: 24 },
  ],
};
const hostOf = (
  identifier = 7,
  proxies: readonly ProxyPlan[] = [],
  neighbours: HostPlan['neighbours'] = [],
): Host & { readonly clock: { nowUs: number } } => {
  const clock = { nowUs: 0 };
  return {
    ...createHost(
      { ...plan, proxies, neighbours },
      { identifier, srcPort: 1, payload: new Uint8Array(), sequences: { opener: 1, answerer: 2 } },
      { clock },
    ),
    clock,
  };
};
const [one, other] = [
  { ip: '10.1.0.5', port: 5000 },
  { ip: '10.1.0.6', port: 5000 },
];
const order = (host: Host, given: ProxyPlan, client = one) =>
  endpointsFor(host, given, client)
    .map((endpoint) => names.get(endpoint))
    .join('');

void t.test('who listens', async (t) => {
  const proxies = [
    proxy(tcp(80)),
    proxy({ protocol: 'UDP', port: 80 }),
    proxy(tcp(81, '10.1.0.1')),
    proxy(tcp(81)),
  ];
  const at = (protocol: 'TCP' | 'UDP', ip: string, port: number) => {
    const found = proxyAt(hostOf(7, proxies), protocol, { ip, port });
    return found === undefined ? 'nobody' : proxies.indexOf(found);
  };
  t.same(
    [
      at('TCP', '10.1.0.1', 80),
      at('UDP', '10.1.0.1', 80),
      at('TCP', '10.1.0.1', 81),
      at('TCP', '10.2.0.9', 81),
      at('UDP', '10.1.0.1', 81),
      at('TCP', '10.1.0.1', 82),
    ],
    [0, 1, 2, 3, 'nobody', 'nobody'],
  );
  t.equal(
    proxyAt(createHost(plan, hostOf().random), 'TCP', { ip: '10.1.0.1', port: 80 }),
    undefined,
    'a host without proxies',
  );
});

void t.test('turns', async (t) => {
  const host = hostOf();
  t.same(
    [1, 2, 3, 4].map(() => order(host, proxy(tcp(80)))),
    ['abc', 'bca', 'cab', 'abc'],
  );
  t.same(
    [
      order(host, proxy(tcp(80, '10.1.0.1'))),
      order(host, proxy({ protocol: 'UDP', port: 80 })),
      order(host, proxy(tcp(81))),
    ],
    ['abc', 'cab', 'abc'],
    'each listener has turns of its own',
  );
  t.same(
    [1, 2, 3, 4, 5, 6, 7, 8]
      .map((identifier) => order(hostOf(identifier), proxy(tcp(80))))
      .map((names) => names[0])
      .join(''),
    'bcaacbaa',
  );
  t.same(
    [order(host, proxy(tcp(82), { to: [] })), order(host, proxy(tcp(83), { to: [c] }))],
    ['', 'c'],
  );
});

void t.test('affinity', async (t) => {
  const host = hostOf();
  const sticky = proxy(tcp(80), { affinityS: 10 });
  host.clock.nowUs = 5_000_000;
  for (const [endpoint, kept] of [
    [a, 'abc'],
    [b, 'bca'],
    [c, 'cab'],
  ] as const) {
    rememberAffinity(host, sticky, one, endpoint);
    t.same(
      [1, 2, 3].map(() => order(host, sticky)),
      [kept, kept, kept],
      'it has no turns then',
    );
  }
  t.same(
    [
      order(host, sticky, { ...one, port: 5001 }),
      order(host, sticky, other),
      order(host, proxy(tcp(81), { affinityS: 10 })),
      order(host, proxy(tcp(80))),
    ],
    ['cab', 'abc', 'abc', 'bca'],
    'a client is an address; others, other listeners, and without affinity, have turns',
  );
  host.clock.nowUs = 14_999_999;
  t.equal(order(host, sticky), 'cab');
  host.clock.nowUs = 15_000_000;
  t.same(
    [order(host, sticky), order(host, sticky)],
    ['cab', 'abc'],
    'its time is over, and turns go on',
  );
  rememberAffinity(host, sticky, one, { ip: '10.2.0.7', port: 80 });
  const gone = [1, 2, 3].map(() => order(host, sticky));
  t.equal(new Set(gone).size, 3, 'an endpoint that is gone is not kept');
});

void t.test('ports', async (t) => {
  const ports = (identifier: number, client = one) =>
    portFor(hostOf(identifier), client, () => true);
  t.same(
    [ports(1), ports(2), ports(1, other), ports(1, { ...one, port: 5001 })],
    [59_098, 53_564, 63_178, 52_149],
  );
  const asked: number[] = [];
  const first = portFor(hostOf(1), one, (port) => {
    asked.push(port);
    return false;
  });
  t.equal(first, ports(1), 'where none is free');
  t.same(
    asked,
    Array.from({ length: 16_384 }, (_, index) => 49_152 + ((first - 49_152 + index) % 16_384)),
    'each was asked for, once',
  );
});

/**
 * What happens to a datagram: `relayed CLIENT ENDPOINT`, and `FROM>TO` for what is sent on;
 * undefined where no proxy is concerned.
 */
function say(
  host: Host,
  from: { readonly ip: string; readonly port: number },
  to: { readonly ip: string; readonly port: number },
): readonly string[] | undefined {
  const header = {
    src: from.ip,
    dst: to.ip,
    ttl: 64,
    protocol: ipProtocols.udp,
    identification: 0,
    flags: 0,
    fragmentOffset: 0,
    tos: 0,
    options: new Uint8Array(),
  };
  return relayDatagram(
    host,
    header,
    { srcPort: from.port, dstPort: to.port },
    Uint8Array.of(1, 2),
  )?.map((effect) => {
    if (effect.kind === 'note') return Object.values(effect.note).join(' ');
    const ip = decodeIpv4(
      decodeEthernet(effect.kind === 'send' ? effect.frame : new Uint8Array())?.payload ??
        new Uint8Array(),
    );
    const udp = decodeUdp(ip?.payload ?? new Uint8Array(), ip?.header ?? header);
    return (
      `${ip?.header.src}:${udp?.header.srcPort}>${ip?.header.dst}:${udp?.header.dstPort} ` +
      udp?.payload.length
    );
  });
}

void t.test('datagrams', async (t) => {
  const udp = (port: number, more: Partial<ProxyPlan> = {}) =>
    proxy({ protocol: 'UDP', port }, more);
  const proxies = [
    udp(80, { affinityS: 100 }),
    udp(81, { to: [] }),
    udp(82, { to: [{ ip: '192.0.2.1', port: 80 }] }),
  ];
  const known = ['10.1.0.5', '10.1.0.6', '10.2.0.1', '10.2.0.2'].map((ip) => ({
    ip,
    mac: '02:00:00:00:00:77',
  }));
  const host = hostOf(7, proxies, known);
  const at = (ms: number) => {
    host.clock.nowUs = ms * 1000;
    return host;
  };
  const [own, others, asked] = [
    { ip: '10.2.0.9', port: 51_670 },
    { ip: '10.2.0.9', port: 55_186 },
    { ip: '10.1.0.1', port: 80 },
  ];
  const [sent, answered] = ['10.2.0.9:51670>10.2.0.2:81 2', '10.1.0.1:80>10.1.0.5:5000 2'];
  t.same(say(at(0), one, asked), ['relayed 10.1.0.5 10.2.0.2', sent]);
  t.same(say(at(0), other, asked), ['relayed 10.1.0.6 10.2.0.1', '10.2.0.9:55186>10.2.0.1:80 2']);
  t.same(say(at(200), c, own), [answered]);
  t.same(say(at(400), one, asked), [sent], 'the answer has kept it');
  t.same(say(at(600), one, asked), [sent], 'and so has the question');
  t.same(say(at(600), a, own), undefined, 'who was not asked gives no answer');
  t.same(say(at(849), c, own), [answered]);
  t.same(say(at(1099), c, own), undefined, 'its time is over');
  t.same(say(at(1099), one, asked), ['relayed 10.1.0.5 10.2.0.2', sent], 'it keeps its endpoint');
  t.same(say(at(1099), a, others), undefined, 'the other was silent');
  t.same(
    [81, 82, 83].map((port) => say(host, one, { ...asked, port })),
    [[], [], undefined],
  );
  const busy = hostOf(7, proxies, known);
  busy.proxyMemory.datagrams.set('10.2.0.9:51670 10.2.0.2:81', {
    client: other,
    port: 80,
    own,
    endpoint: c,
    idleUs: 1,
    expiresUs: 1,
  });
  t.same(
    say(busy, one, asked),
    ['relayed 10.1.0.5 10.2.0.2', '10.2.0.9:51671>10.2.0.2:81 2'],
    'a port that speaks for another',
  );
});
