/**
 * Goal: a virtual host answers frames as a real Linux kernel does: ARP, forwarding, TTL, ICMP
 * errors, resets, masquerade with and without a range of ports, DNAT, and how long it remembers.
 * Method: a network namespace of its own with two tap devices and nftables gets the same frames as
 * the virtual host, and whoever is beside them answers both alike; what comes out is compared byte
 * by byte, but for what is named. As root alone, and where nft is; the namespace ends with the
 * program that holds it, and that with this one.
 */
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { assert } from '../../base/errors/errors.js';
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import type { NatPlan } from '../../domain/plan/nat-plan.js';
import { arpOperations, decodeArp, encodeArp } from '../../packet/protocols/link/arp.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
} from '../../packet/protocols/link/ethernet.js';
import { describeFrame } from '../../packet/dissect/describe-frame.js';
import { encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { decodeIpv4, encodeIpv4, ipProtocols, ipv4Flags } from '../../packet/protocols/ip/ipv4.js';
import { decodeTcp, encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import {
  openNamespace,
  whatNamespacesLack,
  type KernelNamespace,
} from '../../testbeds/kernel/namespace.js';
import { type TapFrame } from '../../testbeds/kernel/tap-carrier.js';
import { createHost, type Host } from './host.js';
import { receive } from './host-stack.js';
import { keyOfTuple, reversed, type Tuple } from '../nat/connection-tuple.js';

const missing = whatNamespacesLack() ?? false;

const inside: InterfacePlan = {
  name: 'tap0',
  mac: '02:00:00:00:00:01',
  ip: '10.10.1.1',
  prefixLength: 24,
};
const outside: InterfacePlan = {
  name: 'tap1',
  mac: '02:00:00:00:00:02',
  ip: '172.30.0.1',
  prefixLength: 16,
};
const interfaces = [inside, outside];
interface Station {
  readonly at: InterfacePlan;
  readonly ip: string;
  readonly mac: string;
}
const pod: Station = { at: inside, ip: '10.10.1.2', mac: '02:00:00:00:01:02' };
/**
 * Whom no error was sent to before: a kernel saves up how many errors a sender gets that there is
 * no route.
 */
const other: Station = { at: inside, ip: '10.10.1.3', mac: '02:00:00:00:01:03' };
const peer: Station = { at: outside, ip: '172.30.0.9', mac: '02:00:00:00:02:09' };
const stations = [pod, other, peer];
const broadcast = 'ff:ff:ff:ff:ff:ff';

/**
 * A tap of the kernel's, or an interface of the virtual host, and a frame that goes in or came out
 * there.
 */
interface Crossing {
  readonly via: InterfacePlan;
  readonly frame: Uint8Array;
}

interface Side {
  put(crossing: Crossing): Promise<readonly Crossing[]>;
}

function virtual(
  forwarding: NatPlan,
  more: Partial<HostPlan> = {},
): Side & { readonly host: Host } {
  const plan: HostPlan = {
    name: 'r',
    kind: 'linux-node',
    interfaces,
    routes: [{ destination: '10.20.0.0/16', via: '172.30.0.9', interface: 'tap1', onlink: false }],
    forwarding,
    ...more,
  };
  const host = createHost(plan, {
    identifier: 7,
    srcPort: 50_000,
    payload: new Uint8Array(),
    sequences: { opener: 1, answerer: 2 },
  });
  return {
    host,
    put: async ({ via, frame }) =>
      receive(host, via, frame).flatMap((effect) =>
        effect.kind === 'send' ? [{ via: effect.via, frame: effect.frame }] : [],
      ),
  };
}

function arp(
  op: 'request' | 'reply',
  { ip, mac }: { readonly ip: string; readonly mac: string },
  to: { readonly ip: string; readonly mac: string },
): Uint8Array {
  return encodeEthernet(
    { dst: op === 'request' ? broadcast : to.mac, src: mac, etherType: etherTypes.arp },
    encodeArp({
      op: arpOperations[op],
      sha: mac,
      spa: ip,
      tha: op === 'request' ? '00:00:00:00:00:00' : to.mac,
      tpa: to.ip,
    }),
  );
}

/** A kernel with these interfaces, that forwards; `rules` are nftables', a line each. */
async function kernel(rules: readonly string[]): Promise<Side & KernelNamespace> {
  const namespace = await openNamespace(interfaces, [
    'ip route add 10.20.0.0/16 via 172.30.0.9',
    ...rules.map((rule) => `nft '${rule}'`),
  ]);
  const named = ({ tap, frame }: TapFrame): readonly Crossing[] =>
    interfaces.filter(({ name }) => name === tap).map((via) => ({ via, frame }));
  return {
    ...namespace,
    put: async ({ via, frame }) =>
      (await namespace.exchange({ tap: via.name, frame })).flatMap(named),
  };
}

/** What comes out for a frame, with neighbours that answer who asks for them. */
async function exchange(side: Side, sent: Crossing): Promise<readonly Crossing[]> {
  const seen: Crossing[] = [];
  for (let due: readonly Crossing[] = [sent]; due.length > 0; ) {
    const came: Crossing[] = [];
    for (const crossing of due) came.push(...(await side.put(crossing)));
    seen.push(...came);
    due = came.flatMap(({ via, frame }) => answers(via, frame));
  }
  return seen;
}

function answers(via: InterfacePlan, frame: Uint8Array): readonly Crossing[] {
  const ethernet = decodeEthernet(frame);
  const asked =
    ethernet?.header.etherType === etherTypes.arp ? decodeArp(ethernet.payload) : undefined;
  return asked?.op !== arpOperations.request
    ? []
    : stations
        .filter(({ at, ip }) => at === via && ip === asked.tpa)
        .map((station) => ({ via, frame: arp('reply', station, via) }));
}

/**
 * Named differences, all in packets that the host makes itself: the identification, which a kernel
 * counts up or leaves at zero; the flag "don't fragment", which it does not set on ICMP; and the
 * window of a reset, which it leaves at zero. All checksums are right before that is put aside.
 */
function comparable({ via, frame }: Crossing): string {
  const bytes = Uint8Array.from(frame);
  const ip = decodeIpv4(decodeEthernet(frame)?.payload ?? new Uint8Array());
  if (ip !== undefined) {
    assert(ip.checksum === 'valid', `a valid header: ${describeFrame(frame)}`);
    const isOwn =
      interfaces.some((one) => one.ip === ip.header.src) &&
      (ip.header.protocol === ipProtocols.icmp || ((ip.payload[13] ?? 0) & tcpFlags.RST) !== 0);
    if (isOwn) {
      bytes.fill(0, 18, 22);
      bytes.fill(0, 24, 26);
      if (ip.header.protocol === ipProtocols.tcp) {
        assert(
          decodeTcp(ip.payload, ip.header)?.checksum === 'valid',
          `a valid segment: ${describeFrame(frame)}`,
        );
        bytes.fill(0, 48, 52);
      }
    }
  }
  return `${via.name} ${Buffer.from(bytes).toString('hex')}`;
}

const from = (
  station: Station,
  dst: string,
  {
    protocol = ipProtocols.udp,
    ttl = 64,
    port = 7,
    srcPort = 40_000,
    payload,
  }: {
    readonly protocol?: number;
    readonly ttl?: number;
    readonly port?: number;
    readonly srcPort?: number;
    readonly payload?: Uint8Array;
  } = {},
): Crossing => {
  const addresses = { src: station.ip, dst };
  const inner =
    payload ?? encodeUdp({ srcPort, dstPort: port }, Uint8Array.of(1, 2, 3, 4), addresses);
  return {
    via: station.at,
    frame: encodeEthernet(
      { dst: station.at.mac, src: station.mac, etherType: etherTypes.ipv4 },
      encodeIpv4(
        { ...addresses, protocol, ttl, identification: 0x1234, flags: ipv4Flags.dontFragment },
        inner,
      ),
    ),
  };
};
const echo = (identifier: number, type: number = icmpTypes.echoRequest) => ({
  protocol: ipProtocols.icmp,
  payload: encodeIcmp({ type, code: 0, identifier, sequence: 1 }, Uint8Array.of(5, 6)),
});
const segment = (
  station: Station,
  dst: string,
  flags: number,
  [srcPort, dstPort]: readonly [number, number],
) => ({
  protocol: ipProtocols.tcp,
  payload: encodeTcp(
    {
      srcPort,
      dstPort,
      sequence: 100,
      acknowledgement: 0,
      flags,
      window: 1000,
      urgentPointer: 0,
      options: new Uint8Array(),
    },
    new Uint8Array(),
    { src: station.ip, dst },
  ),
});

/**
 * Sends each to both, one after the other; `frames` is how many come out at least, all in all, so
 * that silence on both sides is not taken for likeness.
 */
async function compare(
  test: Test,
  one: Side,
  other: Side,
  all: readonly (readonly [what: string, sent: Crossing, frames: number])[],
): Promise<void> {
  for (const [what, sent, frames] of all) {
    const [real, ours] = [await exchange(one, sent), await exchange(other, sent)];
    test.same(
      ours.map(comparable),
      real.map(comparable),
      `${what}: ` +
        (real.map(({ via, frame }) => `${via.name} ${describeFrame(frame)}`).join('; ') ||
          'nothing'),
    );
    test.equal(real.length, frames, what);
  }
}

const nothing: NatPlan = { destinations: [], sources: [] };

void t.test('a host that forwards', { skip: missing }, async (t) => {
  const real = await kernel([]);
  t.teardown(() => real.close());
  const ours = virtual(nothing);
  const long = encodeUdp({ srcPort: 40_000, dstPort: 7 }, new Uint8Array(1000).fill(9), {
    src: other.ip,
    dst: '10.30.0.1',
  });
  await compare(t, real, ours, [
    ['its address is asked for', { via: inside, frame: arp('request', pod, inside) }, 1],
    ['and the other one, here', { via: inside, frame: arp('request', pod, outside) }, 1],
    [
      "somebody else's is",
      { via: inside, frame: arp('request', pod, { ip: '10.10.1.77', mac: '' }) },
      0,
    ],
    [
      'a reply that nobody asked for',
      {
        via: outside,
        frame: arp('reply', { ip: '172.30.0.44', mac: '02:00:00:00:02:44' }, outside),
      },
      0,
    ],
    ['an echo to it', from(pod, inside.ip, echo(1)), 1],
    ['an echo to its other address', from(pod, outside.ip, echo(2)), 1],
    ['forwarded, after its neighbour was asked for', from(pod, peer.ip), 2],
    ['forwarded at once', from(pod, peer.ip, echo(3)), 1],
    ['back', from(peer, pod.ip, echo(3, icmpTypes.echoReply)), 1],
    ['by a route', from(pod, '10.20.3.4'), 1],
    ['its TTL is over', from(pod, peer.ip, { ttl: 1 }), 1],
    ['its TTL is enough for the host itself', from(pod, inside.ip, { ...echo(4), ttl: 1 }), 1],
    ['no route', from(other, '10.30.0.1'), 2],
    ['no route, and more than an error quotes', from(other, '10.30.0.1', { payload: long }), 1],
    [
      'no route, but about an error nobody is notified',
      from(pod, '10.30.0.1', {
        protocol: ipProtocols.icmp,
        payload: encodeIcmp(
          { type: icmpTypes.timeExceeded, code: 0, identifier: 0, sequence: 0 },
          new Uint8Array(28),
        ),
      }),
      0,
    ],
    ['a broken header', { via: inside, frame: from(pod, peer.ip).frame.with(25, 1) }, 0],
    ['for another MAC address', { via: inside, frame: from(pod, peer.ip).frame.with(5, 9) }, 0],
    [
      'a SYN to a port that is closed',
      from(pod, inside.ip, segment(pod, inside.ip, tcpFlags.SYN, [40_000, 99])),
      1,
    ],
    ['an RST to it', from(pod, inside.ip, segment(pod, inside.ip, tcpFlags.RST, [40_001, 99])), 0],
  ]);
});

void t.test(
  'masquerade by a range of ports, as NetNat does it, and DNAT',
  { skip: missing },
  async (t) => {
    const real = await kernel([
      'add table ip nat',
      'add chain ip nat post { type nat hook postrouting priority 100; }',
      'add chain ip nat pre { type nat hook prerouting priority -100; }',
      'add rule ip nat pre ip daddr 10.96.0.10 udp dport 80 dnat to 172.30.0.9:8080',
      'add rule ip nat post ip saddr 10.10.1.0/24 ip daddr != 10.10.1.0/24 meta l4proto { ' +
        'tcp, udp } masquerade to :50000',
      'add rule ip nat post ip saddr 10.10.1.0/24 ip daddr != 10.10.1.0/24 masquerade',
    ]);
    t.teardown(() => real.close());
    const ours = virtual({
      destinations: [
        {
          match: { ip: '10.96.0.10', protocol: 'UDP', port: 80 },
          to: [{ ip: '172.30.0.9', port: 8080 }],
          keepsSenders: ['0.0.0.0/0'],
        },
      ],
      sources: [
        {
          from: ['10.10.1.0/24'],
          except: ['10.10.1.0/24'],
          ports: { first: 50_000, last: 50_000 },
        },
      ],
    });
    const answer = (port: number, to: number) =>
      from(peer, outside.ip, { srcPort: port, port: to });
    await compare(t, real, ours, [
      ["the sender gets the host's address, and the port", from(pod, peer.ip), 2],
      ['and so do those that follow', from(pod, peer.ip), 1],
      ['an answer is for the sender', answer(7, 50_000), 2],
      [
        'another connection to the same has no port left',
        from(pod, peer.ip, { srcPort: 40_001 }),
        0,
      ],
      ['one to another port has the same', from(pod, peer.ip, { srcPort: 40_001, port: 9 }), 1],
      ['a segment', from(pod, peer.ip, segment(pod, peer.ip, tcpFlags.SYN, [40_000, 80])), 1],
      [
        'its answer',
        from(
          peer,
          outside.ip,
          segment(peer, outside.ip, tcpFlags.SYN | tcpFlags.ACK, [80, 50_000]),
        ),
        1,
      ],
      [
        'what answers nothing is for the host itself',
        from(
          peer,
          outside.ip,
          segment(peer, outside.ip, tcpFlags.SYN | tcpFlags.ACK, [81, 50_000]),
        ),
        1,
      ],
      [
        'to a Service: another destination as well',
        from(pod, '10.96.0.10', { port: 80, srcPort: 40_002 }),
        1,
      ],
      ['whose answer comes from the Service', answer(8080, 50_000), 1],
      ['another port of it: nobody routes that', from(pod, '10.96.0.10', { port: 81 }), 1],
    ]);
    const table = readFileSync(`/proc/${real.pid}/net/nf_conntrack`, 'utf8')
      .split('\n')
      .flatMap(parseConntrack);
    const known = new Map(table.map((entry) => [keyOfTuple(entry.original), entry]));
    const { nat: translations } = ours.host;
    assert(translations !== undefined, 'a host that translates');
    for (const [key, { original, translated, expiresUs }] of translations.connections) {
      if (
        key !== keyOfTuple(original) ||
        original.src.ip !== pod.ip ||
        original.protocol === ipProtocols.tcp
      )
        continue;
      const entry = known.get(key);
      t.equal(
        entry === undefined ? 'nothing' : keyOfTuple(entry.reply),
        keyOfTuple(reversed(translated)),
        `conntrack of ${key}`,
      );
      const lasts = expiresUs / 1_000_000;
      t.ok(
        entry !== undefined && entry.seconds <= lasts && entry.seconds > lasts - 25,
        `${key} lasts ${lasts} s here, and ${entry?.seconds} s are left in the kernel`,
      );
    }
    t.ok(
      [...translations.connections.values()].filter(
        ({ original }) => original.protocol === ipProtocols.udp,
      ).length >= 6,
      'three connections, by both directions',
    );
    const sysctl = (name: string) =>
      Number(real.run(`cat /proc/sys/net/netfilter/nf_conntrack_${name}`));
    t.same(
      ['udp_timeout', 'udp_timeout_stream', 'icmp_timeout', 'tcp_timeout_established'].map(sysctl),
      [30, 120, 30, 432_000],
      'the lifetimes that nat-state.ts has',
    );
  },
);

/** `ipv4 2 udp 17 29 src=… dst=… sport=… dport=… [UNREPLIED] src=… dst=… sport=… dport=… …` */
function parseConntrack(
  line: string,
): readonly { readonly original: Tuple; readonly reply: Tuple; readonly seconds: number }[] {
  const [, protocol, seconds] = /^ipv4\s+2\s+\w+\s+(\d+)\s+(\d+)/.exec(line) ?? [];
  const tuples = [...line.matchAll(/src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/g)].map(
    ([, src = '', dst = '', sport, dport]): Tuple => ({
      protocol: Number(protocol),
      src: { ip: src, port: Number(sport) },
      dst: { ip: dst, port: Number(dport) },
    }),
  );
  const [original, reply] = tuples;
  return original === undefined || reply === undefined
    ? []
    : [{ original, reply, seconds: Number(seconds) }];
}

void t.test(
  'as Windows is: a strong host for ARP that forwards from one interface alone',
  { skip: missing },
  async (t) => {
    const real = await kernel([]);
    t.teardown(() => real.close());
    real.run(
      'echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore; echo 0 > ' +
        '/proc/sys/net/ipv4/conf/tap1/forwarding',
    );
    await compare(t, real, virtual(nothing, { kind: 'windows-node', forwardsFrom: ['tap0'] }), [
      [
        'its address is asked for where it is',
        { via: inside, frame: arp('request', pod, inside) },
        1,
      ],
      ['and where it is not', { via: inside, frame: arp('request', pod, outside) }, 0],
      [
        'from the other one, where it is not',
        { via: outside, frame: arp('request', peer, inside) },
        0,
      ],
      ['forwarded', from(pod, peer.ip), 2],
      ['not forwarded from the other one', from(peer, pod.ip), 0],
      ['an echo that comes in there', from(peer, outside.ip, echo(1)), 1],
    ]);
  },
);

void t.test('what a kernel does, and virtual hosts do not', { skip: missing }, async (t) => {
  const real = await kernel([
    'add table ip nat',
    'add chain ip nat post { type nat hook postrouting priority 100; }',
    'add rule ip nat post ip saddr 10.10.1.0/24 ip daddr != 10.10.1.0/24 masquerade',
  ]);
  t.teardown(() => real.close());
  const ours = virtual({
    destinations: [],
    sources: [{ from: ['10.10.1.0/24'], except: ['10.10.1.0/24'] }],
  });
  const closed = from(other, inside.ip, { port: 99 });
  t.same(
    [(await exchange(real, closed)).length, (await exchange(ours, closed)).length],
    [2, 0],
    'a datagram to a port that is closed: it says so',
  );
  for (const side of [real, ours]) await exchange(side, from(pod, peer.ip));
  const left = encodeIpv4(
    {
      src: outside.ip,
      dst: peer.ip,
      protocol: ipProtocols.udp,
      ttl: 63,
      identification: 0x1234,
      flags: ipv4Flags.dontFragment,
    },
    encodeUdp({ srcPort: 40_000, dstPort: 7 }, Uint8Array.of(1, 2, 3, 4), {
      src: outside.ip,
      dst: peer.ip,
    }),
  );
  const error = from(peer, outside.ip, {
    protocol: ipProtocols.icmp,
    payload: encodeIcmp(
      { type: icmpTypes.destinationUnreachable, code: 3, identifier: 0, sequence: 0 },
      left,
    ),
  });
  const seen = await Promise.all(
    [real, ours].map(async (side) =>
      (await exchange(side, error))
        .filter(({ via }) => via === inside)
        .map(
          ({ frame }) => decodeIpv4(decodeEthernet(frame)?.payload ?? new Uint8Array())?.header.dst,
        )
        .filter((dst) => dst !== undefined),
    ),
  );
  t.same(seen, [[pod.ip], []], 'an error about what was translated: it finds back to the sender');
});

void t.test('a planted fault is seen', { skip: missing }, async (t) => {
  const real = await kernel([]);
  t.teardown(() => real.close());
  const ours = virtual(nothing);
  const strong: Side = {
    put: async ({ via, frame }) =>
      receive(
        { ...ours.host, plan: { ...ours.host.plan, kind: 'windows-node' } },
        via,
        frame,
      ).flatMap((effect) => (effect.kind === 'send' ? [effect] : [])),
  };
  const keepsTtl: Side = {
    put: async (crossing) =>
      (await ours.put(crossing)).map(({ via, frame }) => ({ via, frame: withTtl(frame, 64) })),
  };
  const differs = async (side: Side, sent: Crossing) =>
    JSON.stringify((await exchange(side, sent)).map(comparable)) !==
    JSON.stringify((await exchange(real, sent)).map(comparable));
  t.ok(
    await differs(strong, { via: inside, frame: arp('request', pod, outside) }),
    'a strong host, which Linux is not',
  );
  t.notOk(await differs(ours, from(pod, peer.ip)));
  t.ok(await differs(keepsTtl, from(pod, peer.ip)), 'a TTL that stays');
});

function withTtl(frame: Uint8Array, ttl: number): Uint8Array {
  const ethernet = decodeEthernet(frame);
  const ip = decodeIpv4(ethernet?.payload ?? new Uint8Array());
  return ethernet === undefined || ip === undefined
    ? frame
    : encodeEthernet(ethernet.header, encodeIpv4({ ...ip.header, ttl }, ip.payload));
}
