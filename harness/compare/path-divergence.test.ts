// Goal: frames that go another way than promised are found out at the step where they diverge.
// Method: a way of two crossings, and frames that keep it, leave one out, add one, or change one
// thing of it.
import t from 'tap';
import type { FrameEvent } from '../domain/observation.js';
import { encodeArp } from '../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIcmp, icmpTypes } from '../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { pathDivergence } from './path-divergence.js';

const macs = { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02' };
const event = (
  node: string,
  direction: 'in' | 'out',
  port: string,
  frame: Uint8Array,
): FrameEvent => ({ timeUs: 0, node, port, direction, frame });
const packet = (src: string, dst: string) =>
  encodeEthernet(
    { ...macs, etherType: etherTypes.ipv4 },
    encodeIpv4({ src, dst, protocol: 253, ttl: 64 }, new Uint8Array(8)),
  );
const datagram = (srcPort: number) =>
  encodeEthernet(
    { ...macs, etherType: etherTypes.ipv4 },
    encodeIpv4(
      { src: '10.0.0.1', dst: '10.0.0.2', protocol: ipProtocols.udp, ttl: 64 },
      encodeUdp({ srcPort, dstPort: 7 }, new Uint8Array(4), { src: '10.0.0.1', dst: '10.0.0.2' }),
    ),
  );
const echo = (type: number, identifier: number) =>
  encodeEthernet(
    { ...macs, etherType: etherTypes.ipv4 },
    encodeIpv4(
      { src: '10.0.0.1', dst: '10.0.0.2', protocol: ipProtocols.icmp, ttl: 64 },
      encodeIcmp({ type, code: 0, identifier, sequence: 1 }, new Uint8Array(4)),
    ),
  );
const [request, answer] = [packet('10.0.0.1', '10.0.0.2'), packet('10.0.0.2', '10.0.0.1')];
const arp = encodeEthernet(
  { ...macs, etherType: etherTypes.arp },
  encodeArp({ op: 1, sha: macs.src, spa: '10.0.0.1', tha: macs.dst, tpa: '10.0.0.2' }),
);

const path = [
  {
    node: 'n1',
    ports: ['gw', 'up'],
    crossings: [
      { direction: 'out', port: 'up', src: '10.0.0.1', dst: '10.0.0.2' },
      { direction: 'in', port: 'up', src: '10.0.0.2', dst: '10.0.0.1' },
    ],
  },
] as const;
const there = event('n1', 'out', 'up', request);
const back = event('n1', 'in', 'up', answer);
const at = (step: number, what: string) => `n1, step ${step} of the way: ${what}`;

void t.test('kept', async (t) => {
  for (const frames of [
    [there, back],
    [there, back, there, back],
    [
      event('n1', 'out', 'up', arp),
      there,
      event('n1', 'in', 'pod', request),
      event('n2', 'in', 'gw', request),
      back,
      event('n1', 'in', 'gw', request.subarray(0, 20)),
    ],
  ]) {
    t.equal(pathDivergence(path, { frames }), undefined);
  }
  const noIp = [
    packet('10.0.0.3', '10.0.0.2').with(12, 0x88).with(13, 0xcc),
    request.subarray(0, 13),
  ];
  for (const frame of noIp)
    t.equal(
      pathDivergence(path, { frames: [there, event('n1', 'out', 'gw', frame), back] }),
      undefined,
      'what is not IPv4 goes where it likes',
    );
});

void t.test('left', async (t) => {
  for (const [frames, expected, actual] of [
    [[], at(1, '10.0.0.1 > 10.0.0.2 out of up'), at(1, 'nothing more')],
    [[there], at(2, '10.0.0.2 > 10.0.0.1 into up'), at(2, 'nothing more')],
    [[back, there], at(1, '10.0.0.1 > 10.0.0.2 out of up'), at(1, '10.0.0.2 > 10.0.0.1 into up')],
    [
      [there, back, event('n1', 'out', 'gw', answer)],
      at(3, 'the way is over'),
      at(3, '10.0.0.2 > 10.0.0.1 out of gw'),
    ],
    [
      [event('n1', 'out', 'gw', request), back],
      at(1, '10.0.0.1 > 10.0.0.2 out of up'),
      at(1, '10.0.0.1 > 10.0.0.2 out of gw'),
    ],
    [
      [event('n1', 'in', 'up', request), back],
      at(1, '10.0.0.1 > 10.0.0.2 out of up'),
      at(1, '10.0.0.1 > 10.0.0.2 into up'),
    ],
    [
      [event('n1', 'out', 'up', packet('10.0.0.3', '10.0.0.2')), back],
      at(1, '10.0.0.1 > 10.0.0.2 out of up'),
      at(1, '10.0.0.3 > 10.0.0.2 out of up'),
    ],
  ] as const) {
    t.same(pathDivergence(path, { frames }), { expected, actual });
  }
  const promised = (mac: string) =>
    [
      {
        node: 'n1',
        ports: ['up'],
        crossings: [{ direction: 'out', port: 'up', src: '10.0.0.1', dst: '10.0.0.2', mac }],
      },
    ] as const;
  t.equal(pathDivergence(promised(macs.dst), { frames: [there] }), undefined);
  t.same(pathDivergence(promised(macs.src), { frames: [there] }), {
    expected: at(1, `10.0.0.1 > 10.0.0.2 out of up to ${macs.src}`),
    actual: at(1, `10.0.0.1 > 10.0.0.2 out of up to ${macs.dst}`),
  });
  t.ok(
    pathDivergence([{ node: 'n2', ports: ['up'], crossings: [] }, ...path], {
      frames: [event('n2', 'in', 'up', request), there, back],
    })?.actual.startsWith('n2, step 1'),
  );
});

void t.test('source ports, of every packet that crosses', async (t) => {
  const promised = [
    {
      node: 'n1',
      ports: ['up'],
      crossings: [
        {
          direction: 'out',
          port: 'up',
          src: '10.0.0.1',
          dst: '10.0.0.2',
          srcPorts: { first: 100, last: 199 },
        },
      ],
    },
  ] as const;
  const out = (...frames: readonly Uint8Array[]) =>
    pathDivergence(promised, { frames: frames.map((frame) => event('n1', 'out', 'up', frame)) });
  t.equal(
    out(
      datagram(100),
      datagram(199),
      echo(icmpTypes.echoRequest, 150),
      echo(icmpTypes.echoReply, 7),
      request,
    ),
    undefined,
    'what has none, and answers, may',
  );
  for (const frame of [datagram(99), datagram(200), echo(icmpTypes.echoRequest, 99)]) {
    t.match(out(datagram(150), frame), {
      expected: at(1, '10.0.0.1 > 10.0.0.2 out of up, from a port of 100 to 199'),
      actual: /out of up, from port (99|200)$/,
    });
    t.match(
      out(frame, datagram(150)),
      { actual: /out of up, from port (99|200)$/ },
      'the first as well as the last',
    );
  }
  const carrying = (protocol: number, ...bytes: readonly number[]) =>
    out(
      encodeEthernet(
        { ...macs, etherType: etherTypes.ipv4 },
        encodeIpv4({ src: '10.0.0.1', dst: '10.0.0.2', protocol, ttl: 64 }, Uint8Array.from(bytes)),
      ),
    )
      ?.actual.split(', ')
      .at(-1);
  const { tcp, udp, icmp } = ipProtocols;
  t.same(
    [
      carrying(tcp, 0, 99),
      carrying(udp, 0, 99),
      carrying(icmp, icmpTypes.echoRequest, 0, 0, 0, 0, 99),
    ],
    ['from port 99', 'from port 99', 'from port 99'],
    'with nothing behind them',
  );
  t.same(
    [
      carrying(tcp, 0),
      carrying(icmp, icmpTypes.echoRequest, 0, 0, 0, 0),
      carrying(253, icmpTypes.echoRequest, 0, 0, 0, 0, 99),
    ],
    [undefined, undefined, undefined],
    'cut off, or of another protocol',
  );
});
