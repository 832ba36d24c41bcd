// Goal: connections are translated as netfilter's nat table does it, and packets keep right
// checksums. Method: rules as kube-proxy and a node have them; tuples one by one, with the time in
// hand; then packets.
import t from 'tap';
import { decodeIcmp, encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { decodeIpv4, encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { decodeSctp, encodeSctp } from '../../packet/protocols/transport/sctp.js';
import { decodeTcp, encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { decodeUdp, encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { NatPlan } from '../../domain/plan/nat-plan.js';
import { prerouting, postrouting, newNatState, portsToTry, type NatState } from './nat-state.js';
import { opensConnection, reversed, tupleOf, withTuple, type Tuple } from './connection-tuple.js';

const endpoints = [
  { ip: '10.10.1.3', port: 80 },
  { ip: '10.10.2.2', port: 8080 },
  { ip: '10.10.2.3', port: 80 },
];
const plan: NatPlan = {
  destinations: [
    {
      match: { ip: '10.96.0.10', protocol: 'TCP', port: 80 },
      to: endpoints,
      keepsSenders: ['10.10.0.0/16'],
    },
    {
      match: { ip: '10.96.0.20', protocol: 'TCP', port: 80 },
      to: endpoints,
      keepsSenders: ['10.10.0.0/16'],
      affinity: { name: 'default/dns', seconds: 100 },
    },
    { match: { ip: '10.96.0.30', protocol: 'TCP', port: 80 }, to: [], keepsSenders: [] },
  ],
  sources: [{ from: ['10.10.1.0/24'], except: ['10.10.0.0/16'] }],
};
const second = 1_000_000;

const tcp = (src: string, srcPort: number, dst: string, dstPort = 80): Tuple => ({
  protocol: ipProtocols.tcp,
  src: { ip: src, port: srcPort },
  dst: { ip: dst, port: dstPort },
});
const text = ({ src, dst }: Tuple) => `${src.ip}:${src.port} > ${dst.ip}:${dst.port}`;

/** Both steps at once; `refused` or `lost` where nobody is there. */
function through(
  state: NatState,
  tuple: Tuple,
  nowUs = 0,
  outgoing = '10.10.1.1',
  draw = 1,
): Tuple | 'refused' | 'lost' | 'no port' {
  const inbound = prerouting(state, tuple, { nowUs, draw });
  return inbound.kind === 'refused' || inbound.kind === 'lost'
    ? inbound.kind
    : (postrouting(state, inbound, outgoing, { nowUs, draw }) ?? 'no port');
}

function must(result: Tuple | 'refused' | 'lost' | 'no port' | undefined): Tuple {
  if (result === undefined || typeof result === 'string') throw new Error(result);
  return result;
}

void t.test('destinations', async (t) => {
  const state = newNatState(plan);
  const seen = new Map<string, number>();
  for (let port = 2000; port < 2300; port++) {
    const request = tcp('10.10.1.2', port, '10.96.0.10');
    const translated = must(through(state, request));
    t.same(translated.src, request.src, 'the sender stays');
    t.same(through(state, request), translated, 'and so it is for the packets behind the first');
    t.same(
      through(state, reversed(translated)),
      reversed(request),
      'an answer comes from where the sender sent to',
    );
    seen.set(
      `${translated.dst.ip}:${translated.dst.port}`,
      (seen.get(`${translated.dst.ip}:${translated.dst.port}`) ?? 0) + 1,
    );
  }
  // Three in 300: fewer than 60 of one would happen once in 10^6 fair draws.
  t.same([...seen.keys()].sort(), ['10.10.1.3:80', '10.10.2.2:8080', '10.10.2.3:80']);
  t.ok(
    [...seen.values()].every((count) => count > 60),
    [...seen.values()].join(),
  );
  t.equal(through(state, tcp('10.10.1.2', 5000, '10.96.0.30')), 'refused', 'without an endpoint');
  t.equal(
    must(through(state, tcp('10.10.1.2', 5000, '10.96.0.10', 81))).dst.ip,
    '10.96.0.10',
    'another port',
  );
  t.equal(
    must(through(state, { ...tcp('10.10.1.2', 5000, '10.96.0.10'), protocol: ipProtocols.udp })).dst
      .ip,
    '10.96.0.10',
    'another protocol',
  );
  const again = newNatState(plan);
  t.same(
    Array.from({ length: 9 }, (_, port) =>
      through(again, tcp('10.10.1.2', 2000 + port, '10.96.0.10')),
    ),
    Array.from({ length: 9 }, (_, port) =>
      through(state, tcp('10.10.1.2', 2000 + port, '10.96.0.10')),
    ),
    'the same for the same draw',
  );
});

void t.test('which endpoint', async (t) => {
  const chosen = (rule: Partial<NatPlan['destinations'][number]>, ports = 12) => {
    const state = newNatState({
      ...plan,
      destinations: [
        {
          match: { ip: '10.96.0.10', protocol: 'TCP', port: 80 },
          to: endpoints,
          keepsSenders: [],
          ...rule,
        },
      ],
    });
    return Array.from({ length: ports }, (_, index) =>
      endpoints.findIndex(
        ({ ip }) =>
          ip ===
          must(through(state, tcp('10.10.1.2', 2000 + index, '10.96.0.10'), 0, '10.10.1.1', 7)).dst
            .ip,
      ),
    ).join('');
  };
  t.equal(chosen({}), '000122010210', 'the same for the same draw and connection, for ever');
  t.equal(chosen({ to: endpoints.slice(0, 1) }), '000000000000', 'the only one');
  const state = newNatState(plan);
  const rule = {
    match: { ip: '10.96.0.20', protocol: 'TCP', port: 80 },
    keepsSenders: [],
  } as const;
  const asks = (
    to: readonly { readonly ip: string; readonly port: number }[],
    srcPort: number,
    seconds = 100,
  ) => {
    const changed = {
      ...state,
      plan: {
        destinations: [{ ...rule, to, affinity: { name: 'default/web', seconds } }],
        sources: [],
      },
    };
    const result = through(changed, tcp('10.10.1.2', srcPort, '10.96.0.20'));
    return typeof result === 'string' ? result : `${result.dst.ip}:${result.dst.port}`;
  };
  const [a, b] = [
    { ip: '10.10.1.3', port: 80 },
    { ip: '10.10.1.4', port: 80 },
  ];
  t.equal(asks([], 1), 'refused');
  t.same(
    [asks([b], 2), ...Array.from({ length: 9 }, (_, index) => asks([a, b], 10 + index))],
    Array.from({ length: 10 }, () => '10.10.1.4:80'),
    'who has got one keeps it',
  );
  t.equal(asks([a], 3), '10.10.1.3:80', 'until it is gone');
  t.equal(asks([{ ...a, port: 81 }], 4), '10.10.1.3:81', 'whole');
  t.equal(asks([{ ...b, port: 81 }], 5), '10.10.1.4:81');
  const later = newNatState({ ...plan, destinations: [{ ...rule, to: endpoints }] });
  const free = {
    ...later,
    plan: { sources: [], destinations: [{ match: rule.match, to: endpoints, keepsSenders: [] }] },
  };
  for (let port = 100; port < 110; port++) through(free, tcp('10.10.1.2', port, '10.96.0.20'));
  t.equal(later.affinityTable.size, 0, 'without affinity nothing is kept');
  const several: NatPlan = {
    ...plan,
    destinations: [
      { match: rule.match, to: endpoints.slice(1), keepsSenders: ['10.10.1.0/24', '10.10.2.0/24'] },
    ],
  };
  t.same(
    ['10.10.1.2', '10.10.2.9', '10.10.3.1'].map(
      (src) => must(through(newNatState(several), tcp(src, 1, '10.96.0.20'))).src.ip,
    ),
    ['10.10.1.2', '10.10.2.9', '10.10.1.1'],
    'senders of any of the blocks are kept',
  );
});

void t.test(
  'rules for some senders, for nobody, and rules that share what senders keep',
  async (t) => {
    const match = { ip: '172.30.0.1', protocol: 'TCP', port: 30_080 } as const;
    const state = newNatState({
      destinations: [
        {
          match: { ...match, from: ['10.10.0.0/16'] },
          to: endpoints,
          keepsSenders: ['10.10.0.0/16'],
        },
        { match, to: [], nobody: 'lost', keepsSenders: ['0.0.0.0/0'] },
        {
          match: { ...match, port: 30_081 },
          to: endpoints,
          keepsSenders: [],
          affinity: { name: 'default/web', seconds: 100 },
        },
        {
          match: { ip: '192.0.2.1', protocol: 'TCP', port: 80 },
          to: endpoints,
          keepsSenders: ['0.0.0.0/0'],
          affinity: { name: 'default/web', seconds: 100 },
        },
      ],
      sources: [],
    });
    t.ok(
      endpoints.some(
        ({ ip }) =>
          ip === must(through(state, tcp('10.10.1.2', 4000, match.ip, match.port))).dst.ip,
      ),
      'one of them gets it',
    );
    t.equal(
      through(state, tcp('172.30.255.1', 4000, match.ip, match.port)),
      'lost',
      'another is not notified',
    );
    const first = must(through(state, tcp('172.30.255.1', 4000, match.ip, 30_081)));
    t.equal(first.src.ip, '10.10.1.1');
    for (let port = 5000; port < 5020; port++) {
      const again = must(through(state, tcp('172.30.255.1', port, '192.0.2.1')));
      t.same(
        [again.dst, again.src.ip],
        [first.dst, '172.30.255.1'],
        'by the other rule the same endpoint',
      );
    }
  },
);

void t.test('senders', async (t) => {
  const state = newNatState(plan);
  t.equal(
    text(must(through(state, tcp('172.30.0.1', 4000, '10.96.0.10')))).split(' > ')[0],
    '10.10.1.1:4000',
    'from elsewhere',
  );
  t.equal(
    text(must(through(state, tcp('172.30.0.2', 4000, '10.96.0.10', 80), 0, '10.10.1.1', 1)))
      .split(' > ')[0]
      ?.split(':')[0],
    '10.10.1.1',
    'and from a second with the same port',
  );
  const hairpins = Array.from({ length: 60 }, (_, index) =>
    tcp('10.10.1.3', 3000 + index, '10.96.0.10'),
  ).map((tuple) => [tuple, must(through(state, tuple))] as const);
  for (const [, { src, dst }] of hairpins)
    t.equal(
      src.ip,
      dst.ip === '10.10.1.3' ? '10.10.1.1' : '10.10.1.3',
      'an endpoint that gets itself',
    );
  t.ok(hairpins.some(([, { dst }]) => dst.ip === '10.10.1.3'));
  t.equal(
    text(must(through(state, tcp('10.10.1.2', 4000, '192.0.2.1'), 0, '172.30.0.1'))),
    '172.30.0.1:4000 > 192.0.2.1:80',
    'by a rule',
  );
  t.equal(
    text(must(through(state, tcp('10.10.1.9', 4000, '192.0.2.1'), 0, '172.30.0.1'))),
    '172.30.0.1:4001 > 192.0.2.1:80',
    'with a port that is free',
  );
  t.equal(
    text(must(through(state, tcp('192.0.2.1', 80, '172.30.0.1', 4001)))),
    '192.0.2.1:80 > 10.10.1.9:4000',
    'whose answers find back',
  );
  t.equal(
    text(must(through(state, tcp('10.10.1.2', 65_535, '192.0.2.2'), 0, '172.30.0.1'))),
    '172.30.0.1:65535 > 192.0.2.2:80',
  );
  t.equal(
    text(must(through(state, tcp('10.10.1.9', 65_535, '192.0.2.2'), 0, '172.30.0.1'))),
    '172.30.0.1:1024 > 192.0.2.2:80',
    'behind the last port comes the first',
  );
  t.equal(
    text(must(through(state, tcp('10.10.1.2', 4000, '10.10.2.9')))),
    '10.10.1.2:4000 > 10.10.2.9:80',
    'the exception',
  );
  t.equal(
    text(must(through(state, tcp('10.10.2.2', 4000, '192.0.2.1'), 0, '172.30.0.1'))),
    '10.10.2.2:4000 > 192.0.2.1:80',
    'not from there',
  );
  const here = prerouting(state, tcp('192.0.2.9', 4000, '172.30.0.1'), { nowUs: 0, draw: 1 });
  t.ok(
    here.kind === 'new' &&
      text(must(postrouting(state, here, undefined, { nowUs: 0, draw: 1 }))) ===
        '192.0.2.9:4000 > 172.30.0.1:80',
    'what ends here is not translated',
  );
  const fromRule = prerouting(state, tcp('10.10.1.7', 4000, '172.30.0.1'), {
    nowUs: 0,
    draw: 1,
  });
  t.ok(
    fromRule.kind === 'new' &&
      text(must(postrouting(state, fromRule, undefined, { nowUs: 0, draw: 1 }))) ===
        '10.10.1.7:4000 > 172.30.0.1:80',
    'though a rule would hide its sender',
  );
});

void t.test('ports', async (t) => {
  const state = newNatState(plan);
  const echo = (src: string): Tuple => ({
    protocol: ipProtocols.icmp,
    src: { ip: src, port: 77 },
    dst: { ip: '192.0.2.1', port: 77 },
  });
  t.equal(
    text(must(through(state, echo('10.10.1.2'), 0, '172.30.0.1'))),
    '172.30.0.1:77 > 192.0.2.1:77',
  );
  const second = must(through(state, echo('10.10.1.9'), 0, '172.30.0.1'));
  t.equal(
    text(second),
    '172.30.0.1:1024 > 192.0.2.1:1024',
    'of an echo the identifier, which is one',
  );
  t.same(through(state, reversed(second)), reversed(echo('10.10.1.9')));
  const own: NatPlan = {
    destinations: [],
    sources: [{ from: ['172.30.0.0/24'], except: [], ports: { first: 50_000, last: 50_000 } }],
  };
  t.equal(
    text(must(through(newNatState(own), tcp('172.30.0.1', 4000, '192.0.2.1'), 0, '172.30.0.1'))),
    '172.30.0.1:4000 > 192.0.2.1:80',
    'who has the address already keeps its port',
  );
  const tried = (own: number) => [...portsToTry(undefined, own)].join();
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  t.equal(
    tried(30_000),
    [...from(30_000, 65_535), ...from(1024, 29_999)].join(),
    'its own, those above it, and those from the first on',
  );
  t.equal(
    tried(80),
    [80, ...from(1024, 65_535)].join(),
    'none that is reserved, unless it is its own',
  );
  t.same([...portsToTry({ first: 7, last: 9 }, 8)], [7, 8, 9]);
});

void t.test('time', async (t) => {
  const state = newNatState(plan);
  const udp = (tuple: Tuple): Tuple => ({ ...tuple, protocol: ipProtocols.udp });
  const open = (tuple: Tuple, nowUs: number) => prerouting(state, tuple, { nowUs, draw: 1 }).kind;
  const request = udp(tcp('10.10.1.2', 4000, '192.0.2.1'));
  const answer = reversed(must(through(state, request, 0, '172.30.0.1')));
  t.equal(open(answer, 30 * second - 1), 'known');
  t.equal(open(udp(tcp('10.10.1.2', 4001, '192.0.2.1')), 0), 'new');
  t.equal(open(request, 60 * second), 'new', 'thirty seconds behind the answer');
  const stream = must(through(state, udp(tcp('10.10.1.2', 5000, '192.0.2.1')), 0, '172.30.0.1'));
  for (const nowUs of [1, 3, 120].map((s) => s * second))
    t.equal(open(reversed(stream), nowUs), 'known', 'a stream lasts for two minutes');
  t.equal(open(reversed(stream), 240 * second), 'new');
  const soon = must(through(state, udp(tcp('10.10.1.2', 5001, '192.0.2.1')), 0, '172.30.0.1'));
  for (const nowUs of [second, 3 * second - 1]) t.equal(open(reversed(soon), nowUs), 'known');
  t.equal(open(reversed(soon), 33 * second - 1), 'new', 'before two seconds are over it is none');
  const silent = tcp('10.10.1.2', 5002, '192.0.2.1');
  t.same(
    [0, 20, 49, 79].map((s) => {
      const { kind } = prerouting(state, silent, { nowUs: s * second, draw: 1 });
      through(state, silent, s * second, '172.30.0.1');
      return kind;
    }),
    ['new', 'known', 'known', 'new'],
    'what is not answered lasts for thirty seconds, by TCP as well',
  );
  const stands = must(through(state, tcp('10.10.1.2', 5003, '192.0.2.1'), 0, '172.30.0.1'));
  t.same(
    [1, 432_000 * second, 864_000 * second - 1, 1_296_000 * second - 1].map((nowUs) =>
      open(reversed(stands), nowUs),
    ),
    ['known', 'known', 'known', 'new'],
    'what is answered lasts for five days',
  );
  const echo = must(
    through(
      state,
      { ...tcp('10.10.1.2', 9, '192.0.2.1', 9), protocol: ipProtocols.icmp },
      0,
      '172.30.0.1',
    ),
  );
  t.same(
    [29, 58, 88].map((s) => open(reversed(echo), s * second)),
    ['known', 'known', 'new'],
    'an echo for thirty seconds, answered or not',
  );
  const one = must(through(state, tcp('10.10.1.2', 6000, '10.96.0.20'), 0)).dst;
  for (let index = 1; index < 30; index++)
    t.same(
      must(through(state, tcp('10.10.1.2', 6000 + index, '10.96.0.20'), index * 99 * second)).dst,
      one,
      'affinity, counted from the last connection',
    );
  const later = Array.from(
    { length: 30 },
    (_, index) =>
      must(
        through(
          state,
          tcp('10.10.1.2', 7000 + index, '10.96.0.20'),
          (29 * 99 + 100 * (index + 1)) * second,
        ),
      ).dst.ip,
  );
  t.ok(new Set(later).size > 1, 'and over after it');
  const others = Array.from(
    { length: 30 },
    (_, index) => must(through(state, tcp(`10.10.1.${100 + index}`, 6000, '10.96.0.20'))).dst.ip,
  );
  t.ok(new Set(others).size > 1, 'each client for itself');
});

void t.test('packets', async (t) => {
  const before = { src: '10.10.1.2', dst: '10.96.0.10' };
  const after = { src: '172.30.0.1', dst: '10.10.2.2' };
  const payload = Uint8Array.of(1, 2, 3, 4, 5);
  const packet = (protocol: number, bytes: Uint8Array) =>
    encodeIpv4({ ...before, protocol, ttl: 9 }, bytes);
  const moved = (protocol: number, bytes: Uint8Array) => {
    const result = withTuple(packet(protocol, bytes), {
      protocol,
      src: { ip: after.src, port: 1111 },
      dst: { ip: after.dst, port: 8080 },
    });
    const ip = decodeIpv4(result);
    t.hasStrict(ip, { checksum: 'valid', header: { ...after, ttl: 9 } });
    return ip?.payload ?? new Uint8Array();
  };
  const ports = { srcPort: 4000, dstPort: 80 };
  const movedPorts = { srcPort: 1111, dstPort: 8080 };
  t.hasStrict(decodeUdp(moved(ipProtocols.udp, encodeUdp(ports, payload, before)), after), {
    header: movedPorts,
    checksum: 'valid',
  });
  t.hasStrict(decodeUdp(moved(ipProtocols.udp, encodeUdp(ports, payload, 'no-checksum')), after), {
    header: movedPorts,
    checksum: 'absent',
  });
  const segment = {
    ...ports,
    sequence: 1,
    acknowledgement: 2,
    flags: tcpFlags.SYN,
    window: 3,
    urgentPointer: 0,
    options: new Uint8Array(),
  };
  t.hasStrict(decodeTcp(moved(ipProtocols.tcp, encodeTcp(segment, payload, before)), after), {
    header: movedPorts,
    checksum: 'valid',
  });
  t.hasStrict(
    decodeTcp(moved(ipProtocols.tcp, encodeTcp(segment, payload, after)), after),
    { checksum: 'invalid' },
    'a wrong checksum stays wrong',
  );
  t.hasStrict(
    decodeSctp(moved(ipProtocols.sctp, encodeSctp({ ...ports, verificationTag: 7 }, payload))),
    { header: { ...movedPorts, verificationTag: 7 }, checksum: 'valid' },
  );
  const echo = { type: icmpTypes.echoRequest, code: 0, identifier: 5, sequence: 6 };
  t.hasStrict(decodeIcmp(moved(ipProtocols.icmp, encodeIcmp(echo, payload))), {
    header: { identifier: 1111, sequence: 6 },
    checksum: 'valid',
  });
  // Two bytes that are the sum of all the rest make it zero.
  const summing = encodeUdp(movedPorts, new Uint8Array(2), after).subarray(6, 8);
  t.same(
    moved(ipProtocols.udp, encodeUdp(ports, summing, before)),
    encodeUdp(movedPorts, summing, after),
    'a sum of zero is written as all ones, for zero is none (RFC 768)',
  );
  t.same(encodeUdp(movedPorts, summing, after).subarray(6, 8), Uint8Array.of(255, 255));
  const inTcp = encodeTcp({ ...segment, ...movedPorts }, new Uint8Array(2), after).subarray(16, 18);
  t.same(
    moved(ipProtocols.tcp, encodeTcp(segment, inTcp, before)).subarray(16, 18),
    new Uint8Array(2),
    'in TCP it stays',
  );
  const fromZero = encodeTcp(segment, new Uint8Array(2), before).subarray(16, 18);
  t.same(encodeTcp(segment, fromZero, before).subarray(16, 18), new Uint8Array(2));
  t.same(
    moved(ipProtocols.tcp, encodeTcp(segment, fromZero, before)),
    encodeTcp({ ...segment, ...movedPorts }, fromZero, after),
    'and is a sum like any other',
  );
  t.equal(tupleOf(packet(ipProtocols.tcp, payload)), undefined, 'cut off');
  t.equal(tupleOf(packet(ipProtocols.sctp, new Uint8Array(11))), undefined);
  t.equal(tupleOf(packet(47, new Uint8Array(20))), undefined, 'without ports');
  t.equal(tupleOf(new Uint8Array(3)), undefined, 'no packet');
  t.same(
    tupleOf(packet(ipProtocols.udp, encodeUdp(ports, new Uint8Array(), before))),
    { protocol: 17, src: { ip: before.src, port: 4000 }, dst: { ip: before.dst, port: 80 } },
    'with nothing in it',
  );
  t.same(
    tupleOf(
      packet(ipProtocols.sctp, encodeSctp({ ...ports, verificationTag: 7 }, new Uint8Array())),
    ),
    { protocol: 132, src: { ip: before.src, port: 4000 }, dst: { ip: before.dst, port: 80 } },
  );
  t.same(
    tupleOf(packet(ipProtocols.icmp, encodeIcmp({ ...echo, type: icmpTypes.echoReply }, payload)))
      ?.dst,
    { ip: before.dst, port: 5 },
    'an answer to an echo',
  );
  t.same(tupleOf(packet(ipProtocols.icmp, encodeIcmp(echo, payload))), {
    protocol: 1,
    src: { ip: before.src, port: 5 },
    dst: { ip: before.dst, port: 5 },
  });
  t.equal(
    tupleOf(
      packet(ipProtocols.icmp, encodeIcmp({ ...echo, type: icmpTypes.timeExceeded }, payload)),
    ),
    undefined,
    'an error',
  );
  const opens = (flags: number) =>
    opensConnection(packet(ipProtocols.tcp, encodeTcp({ ...segment, flags }, payload, before)));
  t.same([tcpFlags.SYN, tcpFlags.ACK, tcpFlags.SYN | tcpFlags.ACK, tcpFlags.RST].map(opens), [
    true,
    true,
    false,
    false,
  ]);
  t.same(
    [icmpTypes.echoRequest, icmpTypes.echoReply].map((type) =>
      opensConnection(packet(ipProtocols.icmp, encodeIcmp({ ...echo, type }, payload))),
    ),
    [true, false],
  );
  t.ok(
    opensConnection(
      packet(ipProtocols.udp, encodeUdp(ports, Uint8Array.of(0, 0, 0, 0, 0, tcpFlags.RST), before)),
    ),
    'a datagram has no flags, whatever stands there',
  );
  t.notOk(opensConnection(new Uint8Array(3)));
});

void t.test('NetNat: ports of a range, and lifetimes of its own', async (t) => {
  const lifetimes = { icmpS: 30, udpS: 120, tcpTransientS: 120, tcpEstablishedS: 1800 };
  const netNat: NatPlan = {
    destinations: [],
    sources: [
      { from: ['10.10.1.0/24'], except: ['10.10.1.0/24'], ports: { first: 50_000, last: 50_001 } },
    ],
    lifetimes,
  };
  const state = newNatState(netNat);
  const to = (srcPort: number, nowUs = 0) => {
    const result = through(state, tcp('10.10.1.2', srcPort, '192.0.2.9'), nowUs, '172.30.0.1');
    return typeof result === 'string' ? result : text(result);
  };
  t.same(
    [to(4000), to(4001), to(4002), to(4000)],
    [
      '172.30.0.1:50000 > 192.0.2.9:80',
      '172.30.0.1:50001 > 192.0.2.9:80',
      'no port',
      '172.30.0.1:50000 > 192.0.2.9:80',
    ],
    'both of the range, and no third',
  );
  t.equal(
    text(must(through(state, tcp('10.10.1.2', 4002, '192.0.2.8'), 0, '172.30.0.1'))),
    '172.30.0.1:50000 > 192.0.2.8:80',
    'a port serves once for every peer',
  );
  t.equal(
    text(must(through(state, reversed(tcp('172.30.0.1', 50_001, '192.0.2.9')), 60 * second))),
    '192.0.2.9:80 > 10.10.1.2:4001',
    'an answer finds back',
  );
  t.equal(
    to(4002, 120 * second),
    '172.30.0.1:50000 > 192.0.2.9:80',
    'what was not answered is forgotten after the transient time',
  );
  t.equal(to(4003, 240 * second - 1), 'no port', 'but not sooner');
  t.same(
    [to(4004, 1860 * second - 1), to(4005, 1860 * second - 1)],
    ['172.30.0.1:50000 > 192.0.2.9:80', 'no port'],
    'what was answered is remembered for longer',
  );
  t.equal(
    to(4005, 1860 * second),
    '172.30.0.1:50001 > 192.0.2.9:80',
    'and forgotten after the established time',
  );
  const udp = (nowUs: number, protocol: number = ipProtocols.udp) =>
    through(state, { ...tcp('10.10.1.3', 9, '192.0.2.7'), protocol }, nowUs, '172.30.0.1');
  t.equal(text(must(udp(0))), '172.30.0.1:50000 > 192.0.2.7:80');
  t.equal(
    prerouting(
      state,
      {
        protocol: ipProtocols.udp,
        src: { ip: '192.0.2.7', port: 80 },
        dst: { ip: '172.30.0.1', port: 50_000 },
      },
      { nowUs: 119 * second, draw: 1 },
    ).kind,
    'known',
  );
  t.equal(
    prerouting(
      state,
      {
        protocol: ipProtocols.udp,
        src: { ip: '192.0.2.7', port: 80 },
        dst: { ip: '172.30.0.1', port: 50_000 },
      },
      { nowUs: 239 * second, draw: 1 },
    ).kind,
    'new',
    '120 seconds after the last packet',
  );
  const echo = must(
    through(
      state,
      {
        protocol: ipProtocols.icmp,
        src: { ip: '10.10.1.2', port: 77 },
        dst: { ip: '192.0.2.9', port: 77 },
      },
      0,
      '172.30.0.1',
    ),
  );
  t.same(
    [echo.src, echo.dst],
    [
      { ip: '172.30.0.1', port: 50_000 },
      { ip: '192.0.2.9', port: 50_000 },
    ],
    'an echo has one identifier',
  );
  t.equal(prerouting(state, reversed(echo), { nowUs: 29 * second, draw: 1 }).kind, 'known');
  t.equal(prerouting(state, reversed(echo), { nowUs: 59 * second, draw: 1 }).kind, 'new');
});

void t.test('lifetimes of its own, each for its protocol', async (t) => {
  const state = newNatState({
    destinations: [],
    sources: [],
    lifetimes: { icmpS: 10, udpS: 20, tcpTransientS: 30, tcpEstablishedS: 40 },
  });
  const lasts = (protocol: number, answered: boolean): readonly string[] => {
    const request = { ...tcp('10.10.1.2', 100 + protocol, '192.0.2.1', 100 + protocol), protocol };
    through(state, request);
    const from = answered ? 1 : 0;
    if (answered) through(state, reversed(request), from * second);
    return [10, 20, 30, 40]
      .filter(
        (s) =>
          prerouting({ ...state, connections: structuredClone(state.connections) }, request, {
            nowUs: (from + s) * second - 1,
            draw: 1,
          }).kind === 'known',
      )
      .map(String);
  };
  t.same(
    [ipProtocols.icmp, ipProtocols.udp, ipProtocols.tcp].map((protocol) =>
      lasts(protocol, false).at(-1),
    ),
    ['10', '20', '30'],
  );
  t.same(
    [ipProtocols.icmp, ipProtocols.udp, ipProtocols.tcp].map((protocol) =>
      lasts(protocol, true).at(-1),
    ),
    ['10', '20', '40'],
  );
});
