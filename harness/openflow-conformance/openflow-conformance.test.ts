/**
 * Goal: every case of the corpus is read, as a program that ovs-ofctl reads and packets that are
 * what they say; and whatever differs from the expected outcome is a complaint. Method: the
 * whole corpus; golden texts of single programs; packets that the project's own dissector reads;
 * what was expected of a case, with one thing changed at a time.
 */
import t from 'tap';
import { randomFor } from '../base/random.js';
import type { FlowCount, PacketIn } from '../domain/switching.js';
import {
  parseBridgeFlows,
  parseBridgeGroups,
  parseBridgeMeters,
} from '../openflow/bridge-program.js';
import { dissect } from '../packet/dissect/dissect.js';
import { differingFields } from '../packet/dissect/describe-frame.js';
import { decodeUdp } from '../packet/protocols/transport/udp.js';
import { callsOf } from './calls.js';
import { readCorpus, type Case, type Test } from './corpus.js';
import { expectationFailures, isStream, type ObservedCase } from './expectation-failures.js';
import { knownDeviation } from './known-deviation.js';
import { packetsOf } from './packets-of.js';
import { planOf, programOf } from './program.js';

const corpus = readCorpus();
const random = () => randomFor(1, 'test');

function caseCalled(name: string): Case {
  const found = corpus.find((other) => other.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

void t.test('all of it is there', async (t) => {
  t.equal(corpus.length, 991);
  t.equal(new Set(corpus.map(({ name }) => name)).size, 991);
  const kinds = corpus.map(({ test }) =>
    isStream(test)
      ? 'throughput'
      : 'egress' in test
        ? 'egress'
        : 'PACKET_IN' in test
          ? 'packet-in'
          : 'table-miss',
  );
  t.strictSame(
    ['egress', 'packet-in', 'table-miss', 'throughput'].map(
      (kind) => kinds.filter((other) => other === kind).length,
    ),
    [464, 238, 238, 51],
  );
});

void t.test('programs', async (t) => {
  const texts = (name: string): readonly string[] => {
    const { flows, groups, meters } = programOf(caseCalled(name));
    return [...flows, ...groups, ...meters];
  };
  t.strictSame(
    texts('match/07_VLAN_PCP 1'),
    ['table=0,vlan_vid=4196,vlan_pcp=3,actions=output:2'],
    'a mask of null is none',
  );
  t.strictSame(texts('match/02_METADATA_Mask 2'), [
    'table=0,actions=write_metadata:255/4294967295,goto_table:1',
    'table=1,metadata=240/4294967280,actions=CONTROLLER:65535',
  ]);
  t.strictSame(texts('group/01_SELECT_Weight_IP 1'), [
    'table=0,in_port=1,actions=group:0',
    'group_id=0,type=select,bucket=weight:1,actions=output:2,bucket=weight:2,actions=output:3',
  ]);
  t.strictSame(texts('meter/02_DSCP_REMARK_01_PKTPS_00_100 1'), [
    'table=0,in_port=1,actions=meter:1,output:2',
    'meter=1 pktps bands=type=dscp_remark rate=100 prec_level=1',
  ]);
  t.strictSame(texts('action/26_PUSH_PBB 1'), [
    'table=0,eth_type=2048,actions=push_pbb:0x88e7,output:2',
  ]);
  t.match(
    texts('match/27_IPV6_DST_Mask 1').join(),
    /ipv6_dst=0::20\/::ffff:ffff:ffff:ffff:ffff:ffff:ffff,/,
    'ovs-ofctl would read another mask',
  );
});

void t.test('what Open vSwitch takes is read here as well', async (t) => {
  const refused = corpus.filter((read) => {
    const plan = planOf(programOf(read));
    try {
      for (const bridge of plan.bridges)
        void [
          parseBridgeFlows(plan.node, bridge),
          parseBridgeGroups(plan.node, bridge),
          parseBridgeMeters(plan.node, bridge),
        ];
      return false;
    } catch {
      return true;
    }
  });
  t.equal(
    refused.length,
    241,
    'those with actions and fields that Open vSwitch does not have, or does not let be set',
  );
});

void t.test('packets', async (t) => {
  const written = corpus.flatMap(({ test }) =>
    isStream(test)
      ? [test.ingress.packets.data]
      : [
          test.ingress,
          ...('egress' in test ? [test.egress] : 'PACKET_IN' in test ? [test.PACKET_IN] : []),
        ],
  );
  const frames = written.map((layers) => packetsOf(layers, random())());
  t.strictSame(
    [frames.length, frames.filter(({ length }) => length < 46).length],
    [991 + 464 + 238, 0],
  );
  t.strictSame(
    [
      ...new Set(
        frames.flatMap((bytes) =>
          dissect(bytes)
            .filter(({ name }) => name.endsWith('checksum'))
            .map(({ value }) => value.includes(' ')),
        ),
      ),
    ],
    [false],
    'all checksums are right',
  );
  const hex = (...layers: readonly string[]) =>
    Buffer.from(packetsOf(layers, random())()).toString('hex');
  t.equal(
    hex(
      "ethernet(dst='22:22:22:22:22:22', src='12:11:11:11:11:11', ethertype=35047)",
      'itag(sid=100)',
      'ethernet()',
      "b'\\x01'",
    ),
    `22222222222212111111111188e7${'00000064'}${'ff'.repeat(6)}${'00'.repeat(6)}080001`,
  );
  t.equal(hex('svlan(vid=10)', 'vlan(pcp=3, cfi=1)'), '000a81007000' + '0800');
  t.equal(hex('mpls(ttl=1)'), '00000101');
  t.equal(
    hex('ipv6(ext_hdrs=[hop_opts(nxt=51), auth(nxt=6)],nxt=0)').slice(80),
    `3300010400000000${'0602'}${'00'.repeat(14)}`,
  );
  t.equal(
    hex("sctp(chunks=[chunk_data(payload_data=b'\\x01\\x02')])").slice(24),
    '000000120000000000000000000000000102',
  );
  const datagram = packetsOf(
    ["ipv4(proto=17, src='192.168.10.10')", 'udp()', "b'\\x05'"],
    random(),
  )().subarray(20);
  t.hasStrict(
    decodeUdp(datagram, { src: '192.168.10.10', dst: '10.0.0.2' }),
    { header: { srcPort: 1, dstPort: 1 }, checksum: 'valid' },
    'with the addresses that stand above',
  );
  const drawn = packetsOf(
    [
      "ethernet(dst=netaddr.EUI(randint(0, 2 ** 48 - 1)), src='12:11:11:11:11:11', ethertype=2048)",
      'ipv4(src=netaddr.IPAddress(randint(0, 2 ** 32 - 1)))',
    ],
    random(),
  );
  t.strictSame(
    differingFields(drawn(), drawn()).map(({ name }) => name),
    ['eth.dst', 'ip.src', 'ip.checksum'],
    'another one each time',
  );
  t.throws(() => hex('gre()'), {
    message: 'a packet of the corpus has a header that is not known: gre',
  });
});

const outOf = (port: string, layers: readonly string[]) => ({
  port,
  frame: packetsOf(layers, random())(),
});
const nothing: ObservedCase = { outputs: [], packetIns: [], counts: [], seconds: 0 };
const about = (test: Test, seen: Partial<ObservedCase>) =>
  expectationFailures(test, { ...nothing, ...seen }, random());

function packetIn(layers: readonly string[]): PacketIn {
  return {
    bridge: 'br0',
    controller: 0,
    reason: 'action',
    table: 0,
    cookie: 0n,
    length: 0,
    metadata: '',
    userdata: [],
    paused: false,
    frame: packetsOf(layers, random())(),
  };
}

void t.test('a packet out of port 2', async (t) => {
  const { test } = caseCalled('action/00_OUTPUT 1');
  if (!('egress' in test) || isStream(test)) return void t.fail('another kind of case');
  const expected = outOf('p2', test.egress);
  t.strictSame(about(test, { outputs: [expected] }), []);
  t.match(about(test, {}), [/^expected .* out of p2, got nothing$/]);
  t.match(about(test, { outputs: [expected, expected] }), [/^nothing else was expected out of p2/]);
  t.match(about(test, { outputs: [expected, { ...expected, port: 'p3' }] }), [
    /^nothing was expected out of p3/,
  ]);
  t.match(about(test, { outputs: [{ ...expected, frame: expected.frame.with(22, 63) }] }), [
    /got other ip\.ttl \(63 for 64\), ip\.checksum/,
  ]);
  t.match(about(test, { outputs: [expected], packetIns: [packetIn(test.egress)] }), [
    /^nothing was expected to the controller/,
  ]);
});

void t.test('a packet to the controller', async (t) => {
  const { test } = caseCalled('match/00_IN_PORT 2');
  if (!('PACKET_IN' in test)) return void t.fail('another kind of case');
  const expected = packetIn(test.PACKET_IN);
  t.strictSame(about(test, { packetIns: [expected] }), []);
  t.match(about(test, {}), [/^expected .* to the controller, got nothing$/]);
  t.match(about(test, { packetIns: [{ ...expected, frame: expected.frame.subarray(0, 30) }] }), [
    /got other/,
  ]);
  t.match(about(test, { packetIns: [expected], outputs: [outOf('p2', test.PACKET_IN)] }), [
    /^nothing was expected out of p2/,
  ]);
});

void t.test('a packet that matches nothing', async (t) => {
  const { test } = caseCalled('match/02_METADATA 3');
  if (!('table-miss' in test)) return void t.fail('another kind of case');
  const count = (table: number, packets: number): FlowCount => ({
    flow: { node: '', bridge: '', table, priority: 0, match: 'x' },
    bytes: 0,
    packets,
  });
  t.strictSame(about(test, { counts: [count(0, 1), count(1, 0)] }), []);
  t.match(about(test, { counts: [count(0, 1), count(1, 1)] }), [
    /^no flow of table 1 was expected to match/,
  ]);
  t.strictSame(about(test, { counts: [count(0, 0), count(1, 0)] }), [
    'the packet was expected to come to table 1',
  ]);
  t.match(about(test, { counts: [count(0, 1)], outputs: [outOf('p2', ["b'\\x01'"])] }), [
    /^nothing was expected out of p2/,
  ]);
});

void t.test('a stream', async (t) => {
  const { test } = caseCalled('meter/02_DSCP_REMARK_01_PKTPS_00_100 1');
  if (!isStream(test)) return void t.fail('another kind of case');
  const arrived = (dscp: number, count: number) =>
    Array.from({ length: count }, () => outOf('p2', ['ethernet()', `ipv4(tos=${dscp * 4})`]));
  t.strictSame(
    about(test, { outputs: [...arrived(18, 1000), ...arrived(20, 1099)], seconds: 10 }),
    [],
  );
  t.strictSame(
    about(test, { outputs: [...arrived(18, 1000), ...arrived(20, 1102)], seconds: 10 }),
    ['expected 100 packets/s (±10 %) with in_port=2,eth_type=2048,ip_dscp=20, got 110'],
  );
  t.equal(
    about(test, { outputs: [...arrived(18, 899), ...arrived(20, 10)], seconds: 10 }).length,
    2,
  );
  const bits = caseCalled('group/00_ALL 1').test;
  const of = (port: string, count: number) =>
    Array.from({ length: count }, () => ({ port, frame: new Uint8Array(1500) }));
  t.strictSame(about(bits, { outputs: [...of('p2', 175), ...of('p3', 175)], seconds: 1 }), []);
  t.match(about(bits, { outputs: [...of('p2', 175), ...of('p3', 20)], seconds: 1 }), [
    /^expected 2000 kbit\/s .* with in_port=3, got 240$/,
  ]);
});

void t.test('what a stream sends', async (t) => {
  const sent = (name: string) => {
    const { calls, unmeasured, seconds } = callsOf(caseCalled(name).test);
    const packets = (part: typeof calls) =>
      part.reduce((sum, call) => sum + (call.kind === 'receive' ? call.frames.length : 0), 0);
    const ms = (part: typeof calls) =>
      part.reduce((sum, call) => sum + (call.kind === 'advance' ? call.ms : 0), 0);
    return [
      packets(calls.slice(0, unmeasured)),
      ms(calls.slice(0, unmeasured)),
      packets(calls.slice(unmeasured)),
      ms(calls.slice(unmeasured)),
      seconds * 1000,
    ];
  };
  for (const name of [
    'group/00_ALL 1',
    'meter/01_DROP_01_PKTPS_00_100 1',
    'meter/01_DROP_00_KBPS_02_100M 1',
  ]) {
    const [, before = 0, packets = 0, ms = 0] = sent(name);
    const { test } = caseCalled(name);
    const rate = isStream(test) ? test.ingress.packets.pktps : 0;
    t.equal(before, 1000, name);
    t.ok(
      Math.abs((packets / ms) * 1000 - rate) <= rate * 0.01,
      `${name}: ${packets} packets in ${ms} ms`,
    );
  }
});

void t.test('known differences excuse what they are about and nothing else', async (t) => {
  const case1 = caseCalled('action/19_PUSH_MPLS 2');
  t.match(
    knownDeviation(case1, ['expected a out of p2, got other mpls.label (2 for 0)']),
    /IPv6 explicit NULL/,
  );
  t.equal(
    knownDeviation(case1, ['expected a out of p2, got other mpls.label (3 for 0)']),
    undefined,
  );
  t.equal(
    knownDeviation(case1, [
      'expected a out of p2, got other mpls.label (2 for 0)',
      'nothing was expected out of p3, got b',
    ]),
    undefined,
  );
  t.equal(
    knownDeviation(caseCalled('action/19_PUSH_MPLS 1'), [
      'expected a out of p2, got other mpls.label (2 for 0)',
    ]),
    undefined,
  );
});
