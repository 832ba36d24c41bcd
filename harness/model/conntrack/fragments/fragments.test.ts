/**
 * Goal: which fragments wait, come out and are invalid, and what the model refuses to
 * foretell. Method: fragments one by one into a node that sends by p2 what the tracker calls
 * new, and by p3 what it calls invalid; fragments.live.test.ts holds hundreds of others to
 * switches.
 */
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../../packet/bytes/header-layout.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeFragment, extensionHeaders } from '../../../packet/protocols/ip/ipv6-extension.js';
import { encodeIpv6 } from '../../../packet/protocols/ip/ipv6.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import type { Version } from '../../behaviour.js';
import type { ModelNode } from '../../model-node.js';
import { buildNode } from '../../build-node.js';
import { receiveFrame } from '../../receive-frame.js';

const ends = { src: '10.0.0.1', dst: '10.0.0.2' };
const ends6 = { src: 'fd00::1', dst: 'fd00::2' };
const sizes = { all: 3000 } as const;
const payload = (addresses: { readonly src: string; readonly dst: string }) =>
  encodeUdp({ srcPort: 7, dstPort: 8 }, new Uint8Array(sizes.all - 8), addresses);
const framed = (etherType: number, bytes: Uint8Array) =>
  encodeEthernet({ dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType }, bytes);

function ipv4(
  start: number,
  end: number,
  identification = 1,
  transport = payload(ends),
  addresses = ends,
): Uint8Array {
  return framed(
    etherTypes.ipv4,
    encodeIpv4(
      {
        ...addresses,
        ttl: 64,
        protocol: ipProtocols.udp,
        identification,
        flags: end < sizes.all ? 1 : 0,
        fragmentOffset: start / 8,
      },
      transport.subarray(start, end),
    ),
  );
}

function ipv6(start: number, end: number): Uint8Array {
  const header = encodeFragment({
    nextHeader: ipProtocols.udp,
    offset: start / 8,
    more: end < sizes.all ? 'more' : 'last',
    identification: 1,
  });
  return framed(
    etherTypes.ipv6,
    encodeIpv6(
      { ...ends6, hopLimit: 64, nextHeader: extensionHeaders.fragment },
      concatBytes(header, payload(ends6).subarray(start, end)),
    ),
  );
}

const pieces = [
  [0, 1208],
  [1208, 2416],
  [2416, 3000],
] as const;
const [first, second, third] = pieces.map(([start, end]) => ipv4(start, end)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

function tracking(version?: Version, tracks = 'ct(table=1)', families = ['ip', 'ipv6']): ModelNode {
  const flows = [
    ...families.flatMap((family) => [
      `${family},actions=${tracks}`,
      `table=1,${family},ct_state=+new actions=output:2`,
      `table=1,${family},ct_state=+inv actions=output:3`,
    ]),
  ];
  const ports = [1, 2, 3].map((ofport) => ({
    kind: 'endpoint' as const,
    name: `p${ofport}`,
    ofport,
  }));
  return buildNode(
    { node: 'n', hosts: [], bridges: [{ name: 'br', mac: '02:00:00:00:00:fe', ports, flows }] },
    version,
  );
}

/** How many fragments come out of which port, after each. */
const outputsOf = (node: ModelNode, frames: readonly Uint8Array[], port = 'p1') =>
  frames.map((frame) =>
    receiveFrame(node, port, frame)
      .step.outputs.map((output) => output.port)
      .join(' '),
  );

void t.test(
  'fragments wait until none is missing, and come out as they came, in their order',
  async (t) => {
    const all = ['', '', 'p2 p2 p2'];
    t.strictSame(outputsOf(tracking(), [first, second, third]), all);
    t.strictSame(outputsOf(tracking(), [third, first, second]), all);
    t.strictSame(outputsOf(tracking(), [ipv6(0, 1240), ipv6(1240, 2480), ipv6(2480, 3000)]), all);
    const node = tracking();
    outputsOf(node, [third, first]);
    t.strictSame(
      receiveFrame(node, 'p1', second).step.outputs.map(({ frame }) => Buffer.from(frame)),
      [first, second, third].map((frame) => Buffer.from(frame)),
    );
    t.strictSame(
      outputsOf(node, [ipv4(0, 1208, 2), second, third]),
      ['', '', ''],
      'those of other packets do not help',
    );
  },
);

void t.test(
  'a packet that is translated as a whole: each fragment has its addresses, the first its ' +
    'port and checksum',
  async (t) => {
    const addresses = { ...ends, src: '10.0.0.9' };
    const transport = encodeUdp(
      { srcPort: 4000, dstPort: 8 },
      new Uint8Array(sizes.all - 8),
      addresses,
    );
    const node = tracking(undefined, 'ct(commit,nat(src=10.0.0.9:4000),table=1)', ['ip']);
    outputsOf(node, [third, first]);
    t.strictSame(
      receiveFrame(node, 'p1', second).step.outputs.map(({ frame }) => Buffer.from(frame)),
      pieces.map(([start, end]) => Buffer.from(ipv4(start, end, 1, transport, addresses))),
    );
  },
);

void t.test('what is invalid', async (t) => {
  t.strictSame(
    outputsOf(tracking(), [ipv4(0, 1176), ipv4(1176, 2000)]),
    ['p3', 'p3'],
    'too small, both of them',
  );
  t.strictSame(outputsOf(tracking(), [first, second, first]), ['', '', 'p3'], 'twice');
  t.strictSame(outputsOf(tracking(), [first, ipv4(1200, 2408)]), ['', 'p3'], 'overlapping');
  t.strictSame(
    outputsOf(tracking(), [first.map((byte, index) => (index === 24 ? byte ^ 1 : byte))]),
    ['p3'],
    'a wrong checksum of IPv4',
  );
  const wrong = payload(ends).map((byte, index) => (index === 6 ? byte ^ 1 : byte));
  t.strictSame(
    outputsOf(
      tracking(),
      pieces.map(([start, end]) => ipv4(start, end, 1, wrong)),
    ),
    ['', '', 'p3 p3 p3'],
    'a wrong checksum of UDP, once all are there',
  );
});

void t.test('fragments that have waited too long', async (t) => {
  const after = (ms: number, version?: Version) => {
    const node = tracking(version);
    outputsOf(node, [first, second]);
    node.nowMs = ms;
    outputsOf(node, [ipv4(0, 1208, 9)]);
    return outputsOf(node, [third]);
  };
  t.strictSame(after(15_000), ['p2 p2 p2']);
  t.strictSame(after(15_001), [''], 'are dropped');
  t.throws(() => after(15_001, [3, 5]), { name: 'Unsupported', message: /waited too long/ });
  t.strictSame(after(25_000, [3, 5]), [''], 'nothing is left of them ten seconds later');
});

void t.test('what cannot be foretold', async (t) => {
  t.throws(() => outputsOf(tracking(undefined, 'ct(table=1),output:2'), [first, second, third]), {
    name: 'Unsupported',
    message: /tracked and then go on in the same flow/,
  });
  const ways = tracking();
  outputsOf(ways, [first, second]);
  t.throws(() => outputsOf(ways, [third], 'p3'), {
    name: 'Unsupported',
    message: /at several ports/,
  });
});
