/**
 * Goal: hosts speak ARP, ICMP echo and UDP echo as RFC 826, 792 and 862 and a Linux stack do, and
 * the event loop leaves no order and no time to chance. Method: a host's effects in words, worked
 * out by hand; then whole stimuli on switches that are scripts (a function from a call to what
 * comes out), played again with everything shuffled that must not matter.
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatIpv4, ipv4Number } from '../base/addresses/mac-and-ipv4.js';
import type { Observation } from '../domain/observation.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan, InterfacePlan, RoutePlan } from '../domain/plan/host-plan.js';
import type { FabricCall, SwitchStep } from '../domain/switching.js';
import type { FrameSpec, Stimulus } from '../domain/test-vector.js';
import { arpOperations, encodeArp } from '../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { describeFrame } from '../packet/dissect/describe-frame.js';
import { encodeIcmp, icmpTypes } from '../packet/protocols/ip/icmp.js';
import {
  encodeIpv4,
  ipProtocols,
  ipv4Flags,
  type Ipv4Header,
} from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { framesMax, runStimulus } from './fabric.js';
import { createHost, type Effect, type Host } from './stack/host.js';
import { probeAgain, stillAsking } from './stack/neighbours.js';
import { nextHop } from './stack/next-hop.js';
import { receive } from './stack/host-stack.js';
import { startStimulus } from './stack/start-stimulus.js';

const broadcast = 'ff:ff:ff:ff:ff:ff';
const draws = {
  identifier: 77,
  srcPort: 50000,
  payload: Uint8Array.of(1, 2, 3, 4),
  sequences: { opener: 1000, answerer: 5000 },
};
const eth0: InterfacePlan = {
  name: 'eth0',
  port: 'a',
  mac: '02:00:00:00:00:0a',
  ip: '10.0.0.1',
  prefixLength: 24,
};
const eth1: InterfacePlan = {
  name: 'eth1',
  port: 'a1',
  mac: '02:00:00:00:01:0a',
  ip: '192.168.0.1',
  prefixLength: 24,
};
const peer = { mac: '02:00:00:00:00:0b', ip: '10.0.0.2' };
const defaultRoute: RoutePlan = {
  destination: '0.0.0.0/0',
  via: '10.0.0.254',
  interface: 'eth0',
  onlink: false,
};

function hostA(): Host {
  return createHost(
    { name: 'a', kind: 'linux-node', interfaces: [eth0, eth1], routes: [defaultRoute] },
    draws,
  );
}

function arpFrom(
  sender: { readonly mac: string; readonly ip: string },
  op: 'request' | 'reply',
  tpa: string,
): Uint8Array {
  const packet = encodeArp({
    op: arpOperations[op],
    sha: sender.mac,
    spa: sender.ip,
    tha: op === 'request' ? '00:00:00:00:00:00' : eth0.mac,
    tpa,
  });
  return encodeEthernet(
    { dst: op === 'request' ? broadcast : eth0.mac, src: sender.mac, etherType: etherTypes.arp },
    packet,
  );
}

function ipFrom(header: Partial<Ipv4Header>, payload: Uint8Array, dst = eth0.mac): Uint8Array {
  return encodeEthernet(
    { dst, src: peer.mac, etherType: etherTypes.ipv4 },
    encodeIpv4(
      { src: peer.ip, dst: eth0.ip, ttl: 9, protocol: ipProtocols.icmp, ...header },
      payload,
    ),
  );
}

const addresses = { src: peer.ip, dst: eth0.ip };
const echoRequest = encodeIcmp(
  { type: icmpTypes.echoRequest, code: 0, identifier: 5, sequence: 6 },
  Uint8Array.of(9, 8),
);
const ping = (to: string) => ({ kind: 'ping', from: 'a', to }) as const;

/** Effects as people talk about them. */
function inWords(effects: readonly Effect[]): readonly string[] {
  return effects.map((effect) => {
    switch (effect.kind) {
      case 'send':
        return `${effect.via.name}: ${describeFrame(effect.frame)}`;
      case 'wake':
        return `wake after ${effect.delayUs} µs`;
      case 'note':
        return Object.values(effect.note).join(' ');
    }
  });
}

const asksFor = (ip: string) => [
  `eth0: ${eth0.mac} > ${broadcast} ARP who has ${ip}? tell 10.0.0.1 at ${eth0.mac}`,
  'wake after 1000000 µs',
];
const pingTo = (mac: string, ip: string) =>
  `eth0: ${eth0.mac} > ${mac} IPv4 10.0.0.1 > ${ip} ICMP echo request id 77 seq 1 ttl 64`;

void t.test('ARP', async (t) => {
  await t.test(
    'a request for an address of ours is answered, and its sender is known from then on',
    async (t) => {
      const host = hostA();
      t.strictSame(inWords(receive(host, eth0, arpFrom(peer, 'request', eth0.ip))), [
        `eth0: ${eth0.mac} > ${peer.mac} ARP 10.0.0.1 is at ${eth0.mac}`,
      ]);
      t.strictSame(inWords(startStimulus(host, ping(peer.ip))), [pingTo(peer.mac, peer.ip)]);
      t.strictSame(
        inWords(receive(host, eth0, arpFrom(peer, 'request', eth1.ip))),
        [`eth0: ${eth0.mac} > ${peer.mac} ARP 192.168.0.1 is at ${eth0.mac}`],
        'arp_ignore is 0',
      );
    },
  );

  await t.test('where the device of the port answers, the stack only learns', async (t) => {
    const host = createHost(hostA().plan, draws, { deviceAddresses: new Set([eth0.ip]) });
    t.strictSame(inWords(receive(host, eth0, arpFrom(peer, 'request', eth0.ip))), []);
    t.strictSame(inWords(startStimulus(host, ping(peer.ip))), [pingTo(peer.mac, peer.ip)]);
    t.strictSame(
      inWords(receive(host, eth0, arpFrom(peer, 'request', eth1.ip))).length,
      1,
      'for its own address alone',
    );
  });

  await t.test('what is neither asked for nor addressed to us teaches nothing', async (t) => {
    const host = hostA();
    t.strictSame(inWords(receive(host, eth0, arpFrom(peer, 'request', '10.0.0.3'))), []);
    t.strictSame(inWords(receive(host, eth0, arpFrom(peer, 'reply', '10.0.0.3'))), []);
    t.strictSame(
      inWords(receive(host, eth0, arpFrom(peer, 'reply', eth0.ip))),
      [`resolved ${peer.ip} ${peer.mac}`],
      'an answer that nobody asked for is only noted',
    );
    t.strictSame(inWords(startStimulus(host, ping(peer.ip))), asksFor(peer.ip));
  });

  await t.test(
    'a known address is brought up to date by whatever its holder says (RFC 826, merge flag)',
    async (t) => {
      const host = hostA();
      receive(host, eth0, arpFrom(peer, 'request', eth0.ip));
      t.strictSame(
        inWords(
          receive(
            host,
            eth0,
            arpFrom({ ...peer, mac: '02:00:00:00:00:0c' }, 'request', '10.0.0.3'),
          ),
        ),
        [],
      );
      t.strictSame(inWords(startStimulus(host, ping(peer.ip))), [
        pingTo('02:00:00:00:00:0c', peer.ip),
      ]);
    },
  );

  await t.test(
    'packets wait for the answer and go out in order; a second answer is noted',
    async (t) => {
      const host = hostA();
      t.strictSame(inWords(startStimulus(host, ping(peer.ip))), asksFor(peer.ip));
      t.strictSame(
        inWords(startStimulus(host, { kind: 'udp', from: 'a', to: peer.ip, port: 7 })),
        [],
        'one request is enough',
      );
      const answer = arpFrom(peer, 'reply', eth0.ip);
      t.strictSame(inWords(receive(host, eth0, answer)), [
        `resolved ${peer.ip} ${peer.mac}`,
        pingTo(peer.mac, peer.ip),
        `eth0: ${eth0.mac} > ${peer.mac} IPv4 10.0.0.1 > ${peer.ip} UDP 50000 > 7 length 4 ttl 64`,
      ]);
      t.strictSame(inWords(receive(host, eth0, answer)), [`resolved ${peer.ip} ${peer.mac}`]);
    },
  );

  await t.test(
    'three requests a second apart, then it gives up; the next packet asks again',
    async (t) => {
      const host = hostA();
      t.strictSame(inWords(startStimulus(host, ping(peer.ip))), asksFor(peer.ip));
      t.strictSame(
        [1, 2, 3].map((probes) => inWords(probeAgain(host, eth0, peer.ip, probes))),
        [asksFor(peer.ip), asksFor(peer.ip), [`unresolved ${peer.ip}`]],
      );
      t.strictSame(inWords(startStimulus(host, ping(peer.ip))), asksFor(peer.ip));
    },
  );

  await t.test('a request of the one that is asked for answers, too', async (t) => {
    const host = hostA();
    startStimulus(host, ping(peer.ip));
    t.strictSame(inWords(receive(host, eth0, arpFrom(peer, 'request', '10.0.0.3'))), [
      `resolved ${peer.ip} ${peer.mac}`,
      pingTo(peer.mac, peer.ip),
    ]);
    t.strictSame(
      inWords(receive(host, eth0, arpFrom(peer, 'request', '10.0.0.3'))),
      [],
      'once it is known that is no news',
    );
  });

  await t.test('a timer that is not awaited any more does nothing', async (t) => {
    const host = hostA();
    const awaited = (probes: number) => [
      stillAsking(host, peer.ip, probes),
      probeAgain(host, eth0, peer.ip, probes).length > 0,
    ];
    t.strictSame(awaited(1), [false, false], 'nobody is asked for');
    startStimulus(host, ping(peer.ip));
    t.strictSame(awaited(2), [false, false], 'it belongs to another request');
    t.strictSame(awaited(1), [true, true]);
    receive(host, eth0, arpFrom(peer, 'reply', eth0.ip));
    t.strictSame(awaited(2), [false, false], 'it was answered');
  });

  await t.test('what is no ARP for IPv4 is ignored', async (t) => {
    for (const offset of [1, 3, 4, 5]) {
      const frame = arpFrom(peer, 'request', eth0.ip);
      frame[14 + offset] = 9;
      t.strictSame(inWords(receive(hostA(), eth0, frame)), [], `byte ${offset} wrong`);
    }
  });
});

/** A host that knows its peer. */
function acquainted(): Host {
  const host = hostA();
  receive(host, eth0, arpFrom(peer, 'request', eth0.ip));
  return host;
}

void t.test('datagrams', async (t) => {
  const got = (frame: Uint8Array, via = eth0) => inWords(receive(acquainted(), via, frame));
  const udp = (dstPort: number, checksum: Parameters<typeof encodeUdp>[2] = addresses) =>
    ipFrom(
      { protocol: ipProtocols.udp },
      encodeUdp({ srcPort: 4000, dstPort }, Uint8Array.of(7, 7, 7), checksum),
    );

  await t.test(
    'an echo request is answered with its identifier, sequence and payload (RFC 792)',
    async (t) => {
      const effects = receive(acquainted(), eth0, ipFrom({}, echoRequest));
      t.strictSame(inWords(effects), [
        'received echo-request 10.0.0.2 10.0.0.1 9',
        `eth0: ${eth0.mac} > ${peer.mac} IPv4 10.0.0.1 > 10.0.0.2 ICMP echo reply id 5 seq ` +
          '6 ttl 64',
      ]);
      const [, reply] = effects;
      t.strictSame(reply?.kind === 'send' && [...reply.frame.slice(-2)], [9, 8]);
      const [sent] = startStimulus(acquainted(), ping(peer.ip));
      t.strictSame(
        sent?.kind === 'send' && [...sent.frame.slice(34, 36)],
        [8, 0],
        'type and code of our own',
      );
      t.match(
        got(ipFrom({ dst: eth1.ip }, echoRequest))[1],
        /192\.168\.0\.1 > 10\.0\.0\.2 ICMP echo reply/,
        'from the address that was asked, whichever interface holds it',
      );
      t.match(got(ipFrom({}, echoRequest, broadcast))[0], /^received echo-request/);
    },
  );

  await t.test('UDP port 7 echoes (RFC 862), others take what comes', async (t) => {
    t.strictSame(got(udp(7)), [
      'received udp 10.0.0.2 10.0.0.1 9',
      `eth0: ${eth0.mac} > ${peer.mac} IPv4 10.0.0.1 > 10.0.0.2 UDP 7 > 4000 length 3 ttl 64`,
    ]);
    t.strictSame(got(udp(9)), ['received udp 10.0.0.2 10.0.0.1 9']);
    t.equal(got(udp(7, 'no-checksum')).length, 2, 'a checksum is optional (RFC 768)');
  });

  await t.test('what is broken, foreign or unknown is dropped, and why is noted', async (t) => {
    const rest = '10.0.0.2 10.0.0.1';
    t.strictSame(got(ipFrom({ dst: '10.0.0.3' }, echoRequest)), [
      'dropped no route to 10.0.0.3 10.0.0.2 10.0.0.3',
    ]);
    t.strictSame(got(ipFrom({ protocol: 133 }, echoRequest)), [
      `dropped nobody takes protocol 133 ${rest}`,
    ]);
    t.strictSame(got(ipFrom({ flags: ipv4Flags.moreFragments }, echoRequest)), [
      `dropped a fragment ${rest}`,
    ]);
    t.strictSame(
      got(
        ipFrom({}, encodeIcmp({ type: 13, code: 0, identifier: 0, sequence: 0 }, new Uint8Array())),
      ),
      [`dropped ICMP type 13 ${rest}`],
    );
    t.strictSame(got(ipFrom({}, Uint8Array.of(8, 0))), [`dropped a broken ICMP message ${rest}`]);
    t.strictSame(got(ipFrom({ protocol: ipProtocols.udp }, Uint8Array.of(8, 0))), [
      `dropped a broken UDP datagram ${rest}`,
    ]);
    t.strictSame(got(ipFrom({ dst: '10.0.0.3' }, echoRequest, peer.mac)), [], 'for another MAC');
    t.strictSame(
      got(ipFrom({}, echoRequest, '01:00:5e:00:00:01')),
      [],
      'for a group that it is not in',
    );
    t.strictSame(
      got(encodeEthernet({ dst: eth0.mac, src: peer.mac, etherType: 0x86dd }, new Uint8Array(40))),
      [],
      'in another protocol',
    );
    t.strictSame(got(new Uint8Array(13)), [], 'shorter than a header');
  });

  await t.test('not one wrong bit is taken', async (t) => {
    for (const [name, frame] of Object.entries({ echo: ipFrom({}, echoRequest), udp: udp(7) })) {
      for (let bit = 14 * 8; bit < frame.length * 8; bit++) {
        const wrong = frame.slice();
        wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
        const [effect, ...more] = receive(acquainted(), eth0, wrong);
        const right =
          effect?.kind === 'note' &&
          effect.note.kind === 'dropped' &&
          /^a broken/.test(effect.note.why) &&
          /^([0-9.]{7,}|)$/.test(effect.note.src) &&
          /^([0-9.]{7,}|)$/.test(effect.note.dst);
        if (more.length > 0 || !right)
          t.fail(
            `${name}, bit ${bit}: ` +
              inWords(effect === undefined ? [] : [effect, ...more]).join('; '),
          );
      }
      t.pass(`${name}: ${frame.length - 14} bytes`);
    }
  });
});

void t.test('routing', async (t) => {
  const plan: HostPlan = {
    name: 'a',
    kind: 'linux-node',
    interfaces: [eth0, eth1],
    routes: [
      defaultRoute,
      { destination: '10.10.0.0/16', via: '192.168.0.7', interface: 'eth1', onlink: false },
      { destination: '10.10.2.0/24', via: '10.10.2.1', interface: 'eth0', onlink: true },
      { destination: '10.0.0.0/24', via: '192.168.0.9', interface: 'eth1', onlink: false },
    ],
  };
  const way = (destination: string) => {
    const hop = nextHop(plan, destination);
    return hop === undefined ? 'none' : `${hop.via.name} ${hop.ip}`;
  };
  t.strictSame(
    ['10.0.0.9', '192.168.0.200', '10.10.1.5', '10.10.2.5', '8.8.8.8'].map(way),
    [
      'eth0 10.0.0.9',
      'eth1 192.168.0.200',
      'eth1 192.168.0.7',
      'eth0 10.10.2.1',
      'eth0 10.0.0.254',
    ],
    'connected (before a route of the same length), a gateway, an onlink gateway, by default',
  );
  const lonely = createHost({ ...plan, routes: [] }, draws);
  t.strictSame(inWords(startStimulus(lonely, ping('8.8.8.8'))), [
    'dropped no route to 8.8.8.8 10.0.0.1 8.8.8.8',
  ]);
  t.strictSame(inWords(startStimulus(lonely, { kind: 'arp', from: 'a', target: '8.8.8.8' })), [
    'dropped no route to 8.8.8.8 10.0.0.1 8.8.8.8',
  ]);
  t.match(
    inWords(
      startStimulus(hostA(), {
        kind: 'frame',
        from: 'a',
        interface: 'eth1',
        what: '',
        frame: spec(broadcast),
      }),
    ),
    [/^eth1: /],
    'a frame goes out of the interface that is named',
  );
  t.match(
    inWords(startStimulus(hostA(), { kind: 'frame', from: 'a', what: '', frame: spec(broadcast) })),
    [/^eth0: /],
    'or of the first',
  );
  t.match(inWords(startStimulus(acquainted(), { ...ping(peer.ip), ttl: 5 })), [/ ttl 5$/]);
  t.throws(
    () =>
      startStimulus(lonely, {
        kind: 'frame',
        from: 'a',
        interface: 'eth7',
        what: '',
        frame: spec(broadcast),
      }),
    { name: 'InputError', message: /^unknown interface of a "eth7".*eth0, eth1/ },
  );

  const bits = (ip: string) => ipv4Number(ip).toString(2).padStart(32, '0');
  const near = fc.nat(0xfff).map((low) => formatIpv4(0x0a0a0000 + low));
  const routes = fc.uniqueArray(fc.record({ ip: near, length: fc.integer({ min: 20, max: 32 }) }), {
    maxLength: 12,
    selector: ({ ip, length }) => bits(ip).slice(0, length),
  });
  const property = fc.property(routes, near, (some, target) => {
    const table = some.map(
      ({ ip, length }, index): RoutePlan => ({
        destination: `${ip}/${length}`,
        via: `10.0.0.${index + 1}`,
        interface: 'eth0',
        onlink: false,
      }),
    );
    const covering = some
      .map(({ ip, length }, index) => ({
        length: bits(ip).slice(0, length) === bits(target).slice(0, length) ? length : -1,
        via: `10.0.0.${index + 1}`,
      }))
      .filter(({ length }) => length >= 0);
    const longest = covering.find(({ length }) =>
      covering.every((other) => other.length <= length),
    );
    return nextHop({ ...plan, interfaces: [eth0], routes: table }, target)?.ip === longest?.via;
  });
  t.doesNotThrow(
    () => fc.assert(property, { numRuns: 300 }),
    'the longest prefix wins, as texts of bits see it',
  );
});

function spec(dst: string, src = eth0.mac): FrameSpec {
  return { src, dst, payload: { kind: 'other', etherType: 0x88b5, hex: '00' } };
}

/**
 * Nodes 1 to 3, each with the hosts aN and bN on a hub, and a host uN whose MAC the network between
 * nodes knows.
 */
function nodePlan(number: number): NodePlan {
  const end = (name: string, index: number): HostPlan => ({
    name: `${name}${number}`,
    kind: 'pod',
    routes: [],
    interfaces: [
      {
        name: 'eth0',
        port: `${name}-port`,
        mac: macOf(name, number),
        ip: `10.0.0.${number * 10 + index}`,
        prefixLength: 24,
      },
    ],
  });
  return {
    node: `n${number}`,
    hosts: [end('a', 1), end('b', 2), end('u', 3)],
    bridges: [
      {
        name: 'br',
        mac: '02:00:00:00:00:ff',
        flows: [],
        ports: [
          { kind: 'endpoint', name: 'a-port', ofport: 1 },
          { kind: 'endpoint', name: 'b-port', ofport: 2 },
          { kind: 'endpoint', name: 'u-port', ofport: 3 },
          { kind: 'uplink', name: 'uplink', ofport: 4, mac: macOf('u', number) },
        ],
      },
    ],
  };
}

const macOf = (name: string, number: number) =>
  `02:00:00:00:0${number}:${{ a: '01', b: '02', u: '03' }[name] ?? ''}`;
const plan: ClusterPlan = { nodes: [nodePlan(1), nodePlan(2), nodePlan(3)] };

type Script = (call: FabricCall) => SwitchStep['outputs'];

/** A frame comes out of every port but the one it went into. */
const hub: Script = (call) =>
  call.kind !== 'receive'
    ? []
    : ['a-port', 'b-port', 'u-port', 'uplink']
        .filter((port) => port !== call.port)
        .flatMap((port) => call.frames.map((frame) => ({ port, frame })));

/**
 * Plays a stimulus on scripted switches; whatever the script, no node is called twice at once, and
 * every call is for one frame.
 */
function play(
  stimulus: Stimulus,
  script: Script,
  network = plan,
): { readonly observation: Observation; readonly calls: readonly (readonly FabricCall[])[] } {
  const fabric = runStimulus(network, stimulus, draws);
  const calls: (readonly FabricCall[])[] = [];
  for (
    let asked = fabric.next();
    ;
    asked = fabric.next(asked.value.map((call) => ({ outputs: script(call) })))
  ) {
    if (asked.done === true) return { observation: asked.value, calls };
    ok(new Set(asked.value.map(({ node }) => node)).size === asked.value.length, 'one call a node');
    ok(
      asked.value.every((call) => call.kind !== 'receive' || call.frames.length === 1),
      'one frame a call',
    );
    calls.push(asked.value);
  }
}

const happened = ({ frames }: Observation) =>
  frames.map(({ timeUs, node, port, direction }) => `${timeUs} ${direction} ${node} ${port}`);
const noted = ({ notes }: Observation) =>
  notes.map((note) =>
    Object.values(note)
      .map((value) => (typeof value === 'object' ? JSON.stringify(value) : value))
      .join(' '),
  );
const warps = (calls: readonly (readonly FabricCall[])[]) =>
  calls
    .filter(([call]) => call?.kind === 'advance')
    .map((round) =>
      round.map((call) => (call.kind === 'advance' ? `${call.node} ${call.ms}` : '')).join(', '),
    );

void t.test('the event loop', async (t) => {
  await t.test('one ping on a hub, frame by frame', async (t) => {
    const { observation, calls } = play({ kind: 'ping', from: 'a1', to: '10.0.0.12' }, (call) =>
      hub(call).filter(({ port }) => port !== 'uplink'),
    );
    const hop = (timeUs: number, from: string, to: string) =>
      [
        `${timeUs} in n1 ${from}-port`,
        ...['a', 'b', 'u']
          .filter((name) => name !== from)
          .map((name) => `${timeUs} out n1 ${name}-port`),
        to,
      ].slice(0, 3);
    t.strictSame(happened(observation), [
      ...hop(10, 'a', 'b'),
      ...hop(30, 'b', 'a'),
      ...hop(50, 'a', 'b'),
      ...hop(70, 'b', 'a'),
    ]);
    t.strictSame(noted(observation), [
      'resolved 10.0.0.12 02:00:00:00:01:02 a1 40',
      'received echo-request 10.0.0.11 10.0.0.12 64 b1 60',
      'received echo-reply 10.0.0.12 10.0.0.11 64 a1 80',
    ]);
    t.strictSame(warps(calls), [], 'timers that are no longer needed make no time pass');
  });

  await t.test(
    'without an answer three seconds pass on every node, and not a millisecond more',
    async (t) => {
      const { observation, calls } = play({ kind: 'ping', from: 'a1', to: '10.0.0.99' }, () => []);
      t.strictSame(warps(calls), Array<string>(3).fill('n1 1000, n2 1000, n3 1000'));
      t.strictSame(
        happened(observation),
        [10, 1_000_010, 2_000_010].map((timeUs) => `${timeUs} in n1 a-port`),
      );
      t.strictSame(noted(observation), ['unresolved 10.0.0.99 a1 3000000']);
    },
  );

  await t.test('an answer to the second request costs one second', async (t) => {
    let asked = 0;
    const { observation, calls } = play({ kind: 'arp', from: 'a1', target: '10.0.0.12' }, (call) =>
      call.kind === 'receive' && call.port === 'a-port' && ++asked === 1 ? [] : hub(call),
    );
    t.strictSame(warps(calls), ['n1 1000, n2 1000, n3 1000']);
    t.strictSame(noted(observation), ['resolved 10.0.0.12 02:00:00:00:01:02 a1 1000040']);
  });

  await t.test('what comes out while time passes is seen and delivered', async (t) => {
    const { observation } = play({ kind: 'arp', from: 'a1', target: '10.0.0.99' }, (call) =>
      call.kind === 'advance' && call.node === 'n2'
        ? [
            {
              port: 'b-port',
              frame: arpFrom({ ip: '10.0.0.21', mac: macOf('a', 2) }, 'request', '10.0.0.22'),
            },
          ]
        : [],
    );
    const after = (seconds: number) => [
      `${seconds}000000 out n2 b-port`,
      ...(seconds < 3 ? [`${seconds}000010 in n1 a-port`] : []),
      `${seconds}000020 in n2 b-port`,
    ];
    t.strictSame(happened(observation), ['10 in n1 a-port', ...[1, 2, 3].flatMap(after)]);
  });

  await t.test(
    'the network between nodes delivers by MAC, and floods only what is for all, to others only',
    async (t) => {
      const sent = (dst: string) =>
        happened(
          play({ kind: 'frame', from: 'a1', what: '', frame: spec(dst) }, (call) =>
            call.kind === 'receive' && call.port === 'a-port'
              ? [{ port: 'uplink', frame: call.frames[0] ?? new Uint8Array() }]
              : [],
          ).observation,
        ).slice(2);
      t.strictSame(sent(macOf('u', 3)), ['110 in n3 uplink']);
      t.strictSame(sent(broadcast), ['110 in n2 uplink', '110 in n3 uplink']);
      t.strictSame(sent('33:33:00:00:00:01'), ['110 in n2 uplink', '110 in n3 uplink']);
      t.strictSame(sent('01:00:5e:00:00:01'), ['110 in n2 uplink', '110 in n3 uplink']);
      t.strictSame(
        sent('02:01:00:00:00:01'),
        [],
        'the first bit of the first byte alone says "for all"',
      );
      t.strictSame(sent(macOf('u', 1)), [], 'not back to where it came from');
      t.strictSame(sent(macOf('a', 2)), [], 'nobody has that MAC');
    },
  );

  await t.test(
    'an external host stands on the network between nodes, without a port',
    async (t) => {
      const external = (number: number): HostPlan => ({
        name: `x${number}`,
        kind: 'external',
        routes: [],
        interfaces: [
          {
            name: 'eth0',
            mac: `02:00:00:00:09:0${number}`,
            ip: `10.0.0.9${number}`,
            prefixLength: 24,
          },
        ],
      });
      const network: ClusterPlan = { ...plan, externalHosts: [external(1), external(2)] };
      // What comes from outside goes to u1 alone, and what u1 sends to the outside alone.
      const script: Script = (call) =>
        call.kind !== 'receive' || call.node !== 'n1'
          ? []
          : call.frames.map((frame) => ({
              port: call.port === 'uplink' ? 'u-port' : 'uplink',
              frame,
            }));
      const { observation } = play({ kind: 'ping', from: 'x1', to: '10.0.0.13' }, script, network);
      const trip = (timeUs: number) => [
        `${timeUs} in n1 uplink`,
        `${timeUs} out n1 u-port`,
        `${timeUs + 20} in n1 u-port`,
        `${timeUs + 20} out n1 uplink`,
      ];
      t.strictSame(
        happened(observation).filter((event) => / n1 /.test(event)),
        [...trip(100), ...trip(320)],
        '100 µs to a node and back, the broadcast to all of them',
      );
      t.strictSame(
        happened(observation).filter((event) => !/ n1 /.test(event)),
        ['100 in n2 uplink', '100 in n3 uplink'],
      );
      t.strictSame(noted(observation), [
        'resolved 10.0.0.13 02:00:00:00:01:03 x1 220',
        'received echo-request 10.0.0.91 10.0.0.13 64 u1 330',
        'received echo-reply 10.0.0.13 10.0.0.91 64 x1 440',
      ]);
      t.strictSame(
        noted(
          play({ kind: 'udp', from: 'x1', to: '10.0.0.92', port: 7 }, script, network).observation,
        ),
        [
          'resolved 10.0.0.92 02:00:00:00:09:02 x1 200',
          'received udp 10.0.0.91 10.0.0.92 64 x2 300',
          'received udp 10.0.0.92 10.0.0.91 64 x1 400',
        ],
        'two of them reach each other past all nodes',
      );
    },
  );

  await t.test(
    'frames that are due at one node at one instant go in by port, one after the other',
    async (t) => {
      const { observation } = play(
        { kind: 'frame', from: 'a1', what: '', frame: spec(broadcast) },
        (call) =>
          call.kind === 'receive' && call.port === 'a-port'
            ? ['u-port', 'b-port', 'b-port'].map((port) => ({
                port,
                frame: arpFrom(
                  { ip: '10.0.0.11', mac: macOf('a', 1) },
                  'request',
                  port === 'u-port' ? '10.0.0.13' : '10.0.0.12',
                ),
              }))
            : [],
      );
      t.strictSame(
        happened(observation),
        [10, 30].flatMap((timeUs) =>
          (timeUs === 10
            ? ['in n1 a-port', 'out n1 b-port', 'out n1 b-port', 'out n1 u-port']
            : ['in n1 b-port', 'in n1 b-port', 'in n1 u-port']
          ).map((event) => `${timeUs} ${event}`),
        ),
      );
    },
  );

  await t.test(
    'only an uplink leads to other nodes, and to another uplink of the same one',
    async (t) => {
      const [first, second, third] = plan.nodes;
      if (first === undefined || second === undefined || third === undefined)
        return t.fail('three nodes');
      const bridge = { name: 'br', mac: '02:00:00:00:00:ff', flows: [] };
      const network: ClusterPlan = {
        nodes: [
          {
            ...first,
            bridges: [
              ...first.bridges,
              {
                ...bridge,
                ports: [{ kind: 'uplink', name: 'second-uplink', ofport: 9, mac: macOf('b', 1) }],
              },
            ],
          },
          {
            ...second,
            bridges: [{ ...bridge, ports: [{ kind: 'endpoint', name: 'uplink', ofport: 4 }] }],
          },
          third,
        ],
      };
      const through = (port: string, from = 'a1') =>
        happened(
          play(
            { kind: 'frame', from, what: '', frame: spec(broadcast) },
            (call) =>
              call.kind === 'receive' && call.port === 'a-port'
                ? [{ port, frame: call.frames[0] ?? new Uint8Array() }]
                : [],
            network,
          ).observation,
        ).slice(2);
      t.strictSame(through('uplink'), ['110 in n1 second-uplink', '110 in n3 uplink']);
      t.strictSame(through('second-uplink'), ['110 in n1 uplink', '110 in n3 uplink']);
      t.strictSame(through('br'), [], 'no uplink');
      t.strictSame(through('uplink', 'a2'), [], 'an uplink of another node');
      return undefined;
    },
  );

  await t.test(
    'what is due at one instant goes in at once on all nodes, and at each by port, whatever ' +
      'came about first',
    async (t) => {
      const asks = (ip: string, port: string) => ({
        port,
        frame: arpFrom({ ip: '10.0.0.9', mac: macOf('a', 3) }, 'request', ip),
      });
      const script: Script = (call) => {
        if (call.kind !== 'receive') return [];
        const [frame = new Uint8Array()] = call.frames;
        // Both b1's answer, which takes the uplink, and a2's are due at n2 130 µs after the start;
        // the former was on its way first.
        if (call.node === 'n1')
          return call.port === 'a-port'
            ? [asks('10.0.0.12', 'b-port'), asks('10.0.0.21', 'uplink')]
            : [{ port: 'uplink', frame: frame.with(0, 3) }];
        return call.port === 'uplink' ? [{ port: 'a-port', frame }] : [];
      };
      const { observation, calls } = play(
        { kind: 'frame', from: 'a1', what: '', frame: spec(broadcast) },
        script,
      );
      t.strictSame(
        happened(observation).filter((event) => / in n2 /.test(event)),
        ['110 in n2 uplink', '130 in n2 a-port', '130 in n2 uplink'],
      );
      t.strictSame(
        calls
          .slice(2)
          .map((round) =>
            round
              .map((call) => `${call.node} ${call.kind === 'receive' ? call.port : ''}`)
              .join(', '),
          ),
        ['n2 uplink, n3 uplink', 'n2 a-port, n3 uplink', 'n2 uplink'],
      );
    },
  );

  await t.test('frames in a forwarding loop are aborted and reported', async (t) => {
    const { observation, calls } = play(
      { kind: 'frame', from: 'a1', what: '', frame: spec(broadcast) },
      (call) =>
        call.kind === 'receive'
          ? [{ port: 'uplink', frame: call.frames[0] ?? new Uint8Array() }]
          : [],
    );
    t.ok(
      warps(calls).length > 0 && warps(calls).every((warp) => warp === 'n1 1, n2 1, n3 1'),
      'every millisecond passes at every node',
    );
    t.match(observation.notes, [{ kind: 'endless', host: 'a1' }]);
    t.ok(
      observation.frames.length > framesMax && observation.frames.length < 2 * framesMax,
      `${observation.frames.length} frames`,
    );
  });

  await t.test('a testbed that answers fewer calls than it was asked is our bug', async (t) => {
    const fabric = runStimulus(plan, { kind: 'ping', from: 'a1', to: '10.0.0.12' }, draws);
    fabric.next();
    t.throws(() => fabric.next([]), /bug in flowbed: a step for every call/);
    t.throws(
      () => runStimulus(plan, { kind: 'ping', from: 'a9', to: '10.0.0.12' }, draws).next(),
      /unknown host "a9"/,
    );
  });
});

void t.test(
  'nothing depends on the order in which a testbed lists its ports, or a plan its nodes',
  async (t) => {
    // Every node is a hub, so that an ARP request across nodes is answered while copies of it are
    // everywhere.
    const stimuli: readonly Stimulus[] = [
      { kind: 'ping', from: 'u1', to: '10.0.0.23' },
      { kind: 'udp', from: 'a1', to: '10.0.0.12', port: 7 },
      { kind: 'arp', from: 'b2', target: '10.0.0.99' },
    ];
    for (const stimulus of stimuli) {
      const plain = play(stimulus, hub).observation;
      t.strictSame(play(stimulus, hub).observation, plain, 'the same again');
      t.strictSame(
        play(stimulus, hub, { nodes: plan.nodes.toReversed() }).observation.frames,
        plain.frames,
        'in whatever order the plan lists the nodes',
      );
      t.ok(plain.frames.length > 20, `${plain.frames.length} frames`);
      const property = fc.property(fc.infiniteStream(fc.nat()), (keys) => {
        const shuffled: Script = (call) =>
          hub(call)
            .map((output) => ({ output, key: keys.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ output }) => output);
        deepStrictEqual(play(stimulus, shuffled).observation, plain);
      });
      t.doesNotThrow(() => fc.assert(property, { numRuns: 10 }));
    }
  },
);
