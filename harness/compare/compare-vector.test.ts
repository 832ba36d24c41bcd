/**
 * Goal: whatever two levels say differently is found, reported in words that people understand, and
 * put where it began. Method: two equal sides with one thing planted at a time; the words are
 * golden, as they are what people read.
 */
import t from 'tap';
import type { Trace, TraceStep } from '../model/trace/trace.js';
import type { Intent } from '../domain/intent.js';
import type { FrameEvent, HostNote, Observation } from '../domain/observation.js';
import {
  joinStates,
  type LearnedMac,
  type MulticastPort,
  type SwitchState,
  type TrackedConnection,
} from '../domain/switch-state.js';
import { type FlowCount, type FlowId } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeGeneve, genevePort } from '../packet/protocols/tunnel/geneve.js';
import { encodeIcmp, icmpTypes } from '../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { compareCounters, sumAmbiguous } from './compare-counters.js';
import { compareFrames, type FrameDifference } from './compare-frames.js';
import { judgeIntent } from './judge-intent.js';
import { fieldOf, flowText, type Location } from '../domain/location.js';
import { locate, locateDecision, type Evidence } from './locate.js';
import { compareProgram, describeProgramDifference } from './compare-program.js';
import { compareState } from './compare-state.js';
import { compareVector, type VectorCase } from './compare-vector.js';
import { expectedCounts } from './expected-counts.js';
import { cacheCount } from './cache-count.js';
import type { ComparedPass } from './compared-pass.js';

const mac = { a: '02:00:00:00:00:0a', b: '02:00:00:00:00:0b' };

function echo({ ttl = 64, dst = mac.b } = {}): Uint8Array {
  const message = encodeIcmp(
    { type: icmpTypes.echoRequest, code: 0, identifier: 7, sequence: 1 },
    Uint8Array.of(1),
  );
  return encodeEthernet(
    { dst, src: mac.a, etherType: etherTypes.ipv4 },
    encodeIpv4({ src: '10.0.0.1', dst: '10.0.0.2', protocol: ipProtocols.icmp, ttl }, message),
  );
}

function tunnelled(inner: Uint8Array, dst = '172.30.0.2'): Uint8Array {
  const addresses = { src: '172.30.0.1', dst };
  const datagram = encodeUdp(
    { srcPort: 50000, dstPort: genevePort },
    encodeGeneve(
      {
        protocolType: etherTypes.transparentEthernetBridging,
        vni: 0,
        oam: false,
        critical: false,
        options: new Uint8Array(),
      },
      inner,
    ),
    'no-checksum',
  );
  return encodeEthernet(
    { dst: mac.b, src: mac.a, etherType: etherTypes.ipv4 },
    encodeIpv4({ ...addresses, protocol: ipProtocols.udp, ttl: 64 }, datagram),
  );
}

function event(
  timeUs: number,
  port: string,
  frame = echo(),
  direction: 'in' | 'out' = 'out',
): FrameEvent {
  return { timeUs, node: 'n1', port, direction, frame };
}

const ports = new Set(['n1 a', 'n1 b', 'n1 c']);
const inWords = ({ kind, timeUs, port, direction, fields, onSilentPort }: FrameDifference) =>
  `${kind} ${timeUs} ${direction} ${port} ${fields.join()}${onSilentPort ? ' silent' : ''}`.trim();

void t.test('frames', async (t) => {
  const sent = [event(10, 'a', echo(), 'in'), event(10, 'b')];
  const differencesOf = (actual: readonly FrameEvent[], expected = sent) =>
    compareFrames(expected, actual, ports).differences.map(inWords);
  t.strictSame(compareFrames(sent, sent, ports), {
    differences: [],
    frames: { expected: 2, made: 2, skipped: 0 },
    silence: { expected: 2, made: 2, skipped: 0 },
  });
  t.strictSame(differencesOf(sent.slice(0, 1)), ['missing 10 out b']);
  t.strictSame(differencesOf([...sent, event(10, 'c')]), ['unexpected 10 out c  silent']);
  t.strictSame(
    differencesOf([...sent, event(10, 'z')]),
    ['unexpected 10 out z  silent'],
    'also at a port that is not in the plan',
  );
  t.strictSame(differencesOf([...sent, event(10, 'b')]), ['unexpected 10 out b'], 'a duplicate');
  t.strictSame(differencesOf(sent, [...sent, event(10, 'b')]), ['missing 10 out b']);
  t.strictSame(
    differencesOf([event(10, 'a', echo(), 'in'), event(11, 'b')]),
    ['missing 10 out b', 'unexpected 11 out b'],
    'at another time',
  );
  t.strictSame(
    differencesOf([
      event(10, 'b', echo({ ttl: 63, dst: mac.a })),
      event(10, 'a', echo({ ttl: 1 }), 'in'),
    ]),
    ['different 10 in a ip.ttl,ip.checksum', 'different 10 out b eth.dst,ip.ttl,ip.checksum'],
    'what went in comes before what came out',
  );
  t.strictSame(differencesOf([event(20, 'b'), ...sent]), ['unexpected 20 out b']);
  t.strictSame(
    differencesOf([event(20, 'c'), event(5, 'a', echo(), 'in'), ...sent]),
    ['unexpected 5 in a', 'unexpected 20 out c  silent'],
    'in order of time',
  );
  const [difference] = compareFrames(
    sent,
    [event(10, 'b', echo({ ttl: 63 })), ...sent.slice(0, 1)],
    ports,
  ).differences;
  t.strictSame(
    [difference?.expected, difference?.actual],
    [
      `${mac.a} > ${mac.b} IPv4 10.0.0.1 > 10.0.0.2 ICMP echo request id 7 seq 1 ttl 64 ` +
        '(ip.ttl 64, ip.checksum 0x66de)',
      `${mac.a} > ${mac.b} IPv4 10.0.0.1 > 10.0.0.2 ICMP echo request id 7 seq 1 ttl 63 ` +
        '(ip.ttl 63, ip.checksum 0x67de)',
    ],
  );
});

function flow(table: number, match = '', node = 'n1'): FlowId {
  return { node, bridge: 'br-int', table, priority: match === '' ? 0 : 200, match };
}
const times = (packets: number) => ({ packets, bytes: 60 * packets });
const count = (id: FlowId, packets: number, bytes = 60 * packets): FlowCount => ({
  flow: id,
  packets,
  bytes,
});

void t.test('counters', async (t) => {
  const model = [count(flow(0, 'ip'), 2), count(flow(10), 0)];
  const ip = flow(0, 'ip');
  t.strictSame(compareCounters(model, model.toReversed()), {
    differences: [],
    unmatched: [],
    count: { expected: 2, made: 2, skipped: 0 },
  });
  t.strictSame(
    compareCounters(model, [count(ip, 2)]).unmatched,
    [{ flow: flow(10), expected: count(flow(10), 0), actual: undefined }],
    'a flow that one side lacks, though nothing matched it',
  );
  t.strictSame(compareCounters(model, [count(flow(10), 0)]).differences, [
    { flow: ip, expected: count(ip, 2), actual: undefined },
  ]);
  t.strictSame(
    compareCounters(model, [count(ip, 3), count(flow(10), 0), count(flow(20), 1)]).differences,
    [
      { flow: ip, expected: count(ip, 2), actual: count(ip, 3) },
      { flow: flow(20), expected: undefined, actual: count(flow(20), 1) },
    ],
  );
  t.strictSame(
    compareCounters(model, [count(ip, 2, 121), count(flow(10), 0)]).differences,
    [{ flow: ip, expected: count(ip, 2), actual: count(ip, 2, 121) }],
    'bytes alone',
  );
  t.strictSame(
    compareCounters(model, [count(flow(0, 'ip', 'n2'), 2), count(flow(10), 0)]).differences.length,
    2,
    'the same flow of another node is another flow',
  );
});

void t.test('the flows that a bridge holds', async (t) => {
  const desired = [
    'table=0,priority=200,ip,in_port=3 actions=set_field:1->reg0,goto_table:10',
    'table=10,priority=0 actions=drop',
  ];
  const compared = (actual: readonly string[], expected = desired) => {
    const program = (texts: readonly string[]) => [
      {
        node: 'n1',
        bridge: 'br-int',
        flows: texts.filter((text) => !/group_id=|^meter=/.test(text)),
        groups: texts.filter((text) => text.includes('group_id=')),
        meters: texts.filter((text) => text.startsWith('meter=')),
      },
    ];
    const { differences, count } = compareProgram(program(expected), program(actual));
    return {
      differences: differences.map(
        (difference) =>
          `${describeProgramDifference(difference).what}: ${difference.expected ?? 'none'} | ` +
          `${difference.actual ?? 'none'} | ${difference.field ?? 'no field'}`,
      ),
      count,
    };
  };
  const option = 'table=0,priority=1,tun_metadata1=0x7 actions=set_field:0x5->tun_metadata0';
  t.strictSame(
    compared([option], [option]),
    { differences: [], count: { expected: 1, made: 1, skipped: 0 } },
    'options of tunnels, whatever they stand for',
  );
  t.equal(compared([option.replace('0x5', '0x6')], [option]).differences.length, 1);
  const spelt = [
    'table=10, n_packets=7, priority=0 actions=drop',
    'table=0, priority=200,in_port=3,eth_type=0x800 actions=load:0x1->NXM_NX_REG0[],resubmit(,10)',
  ];
  t.strictSame(
    compared([
      spelt[0] ?? '',
      'priority=200,in_port=3,eth_type=0x0800 actions=load:0x1->NXM_NX_REG0[],goto_table:10',
    ]),
    { differences: [], count: { expected: 2, made: 2, skipped: 0 } },
    'order and spelling do not matter',
  );
  t.match(
    compared(spelt).differences,
    [
      /^table=0, priority=200,ip,in_port=3, in its actions: .*goto_table:10 \| .*resubmit\(,10\) \| no field$/,
    ],
    'goto_table is not resubmit',
  );
  t.match(compared(desired.map((text) => text.replace('set_field:1', 'set_field:2'))).differences, [
    /^table=0, priority=200,ip,in_port=3, in its actions: .*0x1.* \| .*0x2.* \| reg0$/,
  ]);
  t.strictSame(compared(desired.slice(0, 1)), {
    differences: ['table=10, priority=0: table=10, priority=0 actions=drop | none | no field'],
    count: { expected: 2, made: 2, skipped: 0 },
  });
  t.strictSame(compared([...desired, 'table=11,priority=0 actions=drop']), {
    differences: ['table=11, priority=0: none | table=11, priority=0 actions=drop | no field'],
    count: { expected: 3, made: 3, skipped: 0 },
  });
  t.throws(() => compared(['table=0 actions=nonsense']), {
    name: 'InputError',
    message: /^flows of br-int on n1:1:/,
  });
  const groups = [
    'group_id=1,type=select,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,' +
      'actions=output:2',
    'group_id=2,type=all,bucket=actions=output:3',
  ];
  t.strictSame(
    compared([' group_id=2,type=all,bucket=bucket_id:0,actions=output:3', groups[0] ?? ''], groups),
    { differences: [], count: { expected: 2, made: 2, skipped: 0 } },
    'groups, in whatever order and spelling',
  );
  t.match(
    compared(groups, [(groups[0] ?? '').replace(/,bucket=bucket_id:1.*/, ''), groups[1] ?? ''])
      .differences,
    [/^group_id=1: \S*output:1 \| \S*output:1,bucket=bucket_id:1,actions=output:2 \| no field$/],
    'a bucket that stays behind',
  );
  t.match(
    compared(groups, groups.slice(1)).differences,
    [/^group_id=1: none \| group_id=1,\S* \| no field$/],
    'a group that is not removed',
  );
  t.match(compared(groups.slice(0, 1), groups).differences, [
    /^group_id=2: group_id=2,\S* \| none \| no field$/,
  ]);
  t.strictSame(
    describeProgramDifference({
      of: { node: 'n1', bridge: 'br-int', group: 2 },
      expected: 'x',
      actual: undefined,
      differs: [],
    }),
    { what: 'group_id=2', expected: 'x', actual: 'no such group' },
  );
  const flow: FlowId = { node: 'n1', bridge: 'br-int', table: 7, priority: 3, match: 'ip' };
  t.strictSame(
    [
      describeProgramDifference({ of: flow, expected: undefined, actual: 'y', differs: [] }),
      describeProgramDifference({ of: flow, expected: 'x', actual: 'y', differs: [] }),
    ].map(({ expected, actual }) => [expected, actual]),
    [
      ['no such flow', 'y'],
      ['x', 'y'],
    ],
  );
  const plain = 'table=0,priority=7,ip actions=drop';
  for (const [part, text] of [
    ['cookie', 'cookie=0x5,'],
    ['idle_timeout', 'idle_timeout=5,'],
    ['hard_timeout', 'hard_timeout=5,'],
    ['importance', 'importance=5,'],
    ['flags', 'send_flow_rem '],
    ['flags', 'reset_counts '],
    ['flags', 'no_packet_counts '],
    ['flags', 'no_byte_counts '],
    ['flags', 'check_overlap '],
  ] as const)
    t.match(
      compared([`${text}${plain}`], [plain]).differences,
      [new RegExp(`^table=0, priority=7,ip, in its ${part}: `)],
      text,
    );
  t.match(compared([plain], [`cookie=0x5,idle_timeout=1,${plain}`]).differences, [
    /, in its cookie, idle_timeout: /,
  ]);
  const meters = [
    'meter=1 kbps bands= type=drop rate=1000',
    'meter=2 pktps burst stats bands= type=drop rate=5 burst_size=3',
  ];
  t.strictSame(
    compared(
      ['meter=2,pktps,burst,stats,band=type=drop,rate=5,burst_size=3', meters[0] ?? ''],
      meters,
    ),
    { differences: [], count: { expected: 2, made: 2, skipped: 0 } },
  );
  t.match(compared([meters[0]?.replace('1000', '1001') ?? ''], meters.slice(0, 1)).differences, [
    /^meter=1: .*rate=1000 \| .*rate=1001 \|/,
  ]);
  t.match(compared(meters, meters.slice(0, 1)).differences, [/^meter=2: none \| /]);
  t.strictSame(
    describeProgramDifference({
      of: { node: 'n1', bridge: 'br-int', meter: 2 },
      expected: 'x',
      actual: undefined,
      differs: [],
    }),
    { what: 'meter=2', expected: 'x', actual: 'no such meter' },
  );
  t.throws(() => compared(['group_id=1,type=nonsense']), {
    name: 'InputError',
    message: /^groups of br-int on n1:1:/,
  });
});

const ping: Stimulus = { kind: 'ping', from: 'a', to: '10.0.0.2' };
const arp: Stimulus = { kind: 'arp', from: 'a', target: '10.0.0.2' };
const got = (
  host: string,
  src: string,
  what: 'echo-request' | 'echo-reply' | 'udp' = 'echo-request',
): HostNote => ({ timeUs: 0, host, kind: 'received', what, src, dst: '10.0.0.2', ttl: 64 });
const resolved = (address: string, host = 'a', ip = '10.0.0.2'): HostNote => ({
  timeUs: 0,
  host,
  kind: 'resolved',
  ip,
  mac: address,
});
const reached = got('b', '10.0.0.1');
const answered = got('a', '10.0.0.2', 'echo-reply');

void t.test('promises', async (t) => {
  const judged = (
    intent: Intent,
    stimulus: Stimulus,
    notes: readonly HostNote[],
    frames: readonly FrameEvent[] = [],
  ) => judgeIntent(intent, stimulus, { notes, frames })?.actual ?? 'kept';
  const roundTrip: Intent = { kind: 'round-trip', to: 'b', source: '10.0.0.1' };
  const unresolved: HostNote = { timeUs: 0, host: 'a', kind: 'unresolved', ip: '10.0.0.2' };
  const cases: readonly (readonly [
    intent: Intent,
    stimulus: Stimulus,
    notes: readonly HostNote[],
    said: string,
  ])[] = [
    [roundTrip, ping, [resolved(mac.b), reached, answered], 'kept'],
    [roundTrip, ping, [], 'no host got it'],
    [roundTrip, ping, [unresolved], 'no host got it'],
    [roundTrip, ping, [reached, reached, answered], 'b got it 2 times'],
    [roundTrip, ping, [got('c', '10.0.0.1'), answered], 'c got an echo request from 10.0.0.1'],
    [
      roundTrip,
      ping,
      [reached, got('c', '10.0.0.1'), answered],
      'c got an echo request from 10.0.0.1',
    ],
    [roundTrip, ping, [got('b', '10.0.0.9'), answered], 'b got an echo request from 10.0.0.9'],
    [roundTrip, ping, [reached], 'a got no answer'],
    [roundTrip, ping, [reached, answered, answered], 'a got 2 answers'],
    [
      roundTrip,
      ping,
      [reached, got('a', '10.0.0.9', 'echo-reply')],
      'a got an echo reply from 10.0.0.9',
    ],
    [
      roundTrip,
      ping,
      [reached, answered, { timeUs: 0, host: 'a', kind: 'endless' }],
      'what a sent is in a forwarding loop',
    ],
    [{ kind: 'resolves', ip: '10.0.0.2', mac: mac.b }, arp, [resolved(mac.b)], 'kept'],
    [
      { kind: 'resolves', ip: '10.0.0.2', mac: mac.b },
      arp,
      [resolved(mac.a)],
      `a learned that 10.0.0.2 is at ${mac.a}`,
    ],
    [
      { kind: 'resolves', ip: '10.0.0.2', mac: mac.b },
      arp,
      [resolved(mac.b, 'a', '10.0.0.3')],
      `a learned that 10.0.0.3 is at ${mac.b}`,
    ],
    [
      { kind: 'resolves', ip: '10.0.0.2', mac: mac.b },
      arp,
      [resolved(mac.b), resolved(mac.b)],
      'a got 2 answers',
    ],
    [
      { kind: 'resolves', ip: '10.0.0.2', mac: mac.b },
      arp,
      [resolved(mac.b, 'c')],
      'no host answered',
    ],
    [{ kind: 'resolves', ip: '10.0.0.2', mac: mac.b }, arp, [unresolved], 'no host answered'],
    [{ kind: 'denied', why: 'policy' }, ping, [resolved(mac.b), unresolved], 'kept'],
    [
      { kind: 'denied', why: 'policy' },
      ping,
      [got('c', '10.0.0.1', 'udp')],
      'c got a UDP datagram from 10.0.0.1',
    ],
    [{ kind: 'denied', why: 'policy' }, ping, [answered], 'a got an echo reply from 10.0.0.2'],
    [
      { kind: 'denied', why: 'nobody has it' },
      arp,
      [resolved(mac.b)],
      `a learned that 10.0.0.2 is at ${mac.b}`,
    ],
    [
      { kind: 'either', outcomes: [roundTrip, { kind: 'denied', why: 'policy' }], why: 'open' },
      ping,
      [],
      'kept',
    ],
    [
      { kind: 'either', outcomes: [roundTrip, { kind: 'denied', why: 'policy' }], why: 'open' },
      ping,
      [reached, answered],
      'kept',
    ],
    [
      { kind: 'either', outcomes: [roundTrip, { kind: 'denied', why: 'policy' }], why: 'open' },
      ping,
      [reached],
      'a got no answer',
    ],
    [
      {
        kind: 'contradicted',
        by: 'x',
        promise: roundTrip,
        instead: { kind: 'denied', why: 'policy' },
      },
      ping,
      [],
      'kept',
    ],
    [
      {
        kind: 'contradicted',
        by: 'x',
        promise: roundTrip,
        instead: { kind: 'denied', why: 'policy' },
      },
      ping,
      [reached, answered],
      'what is known to be broken was kept, as promised: x does not occur any more',
    ],
    [
      {
        kind: 'contradicted',
        by: 'x',
        promise: roundTrip,
        instead: { kind: 'denied', why: 'policy' },
      },
      ping,
      [reached],
      'b got an echo request from 10.0.0.1',
    ],
    [{ kind: 'blocked', why: 'spoofed' }, ping, [], 'kept'],
    [{ kind: 'blocked', why: 'spoofed' }, ping, [reached], 'b got an echo request from 10.0.0.1'],
  ];
  for (const [intent, stimulus, notes, said] of cases)
    t.equal(judged(intent, stimulus, notes), said, `${intent.kind}: ${said}`);
  const spoofed: Stimulus = {
    kind: 'frame',
    from: 'a',
    what: '',
    frame: {
      src: mac.a,
      dst: mac.b,
      payload: {
        kind: 'arp',
        op: 'request',
        sha: mac.a,
        spa: '10.0.0.1',
        tha: mac.b,
        tpa: '10.0.0.2',
      },
    },
  };
  t.equal(
    judged({ kind: 'denied', why: 'spoofed' }, spoofed, [resolved(mac.b)]),
    `a learned that 10.0.0.2 is at ${mac.b}`,
    'also when the request was written past the stack',
  );
  t.equal(
    judged({ kind: 'blocked', why: 'spoofed' }, ping, [], [event(10, 'a', echo(), 'in')]),
    'kept',
    'what goes in does not come out',
  );
  t.equal(
    judged(
      { kind: 'blocked', why: 'spoofed' },
      ping,
      [],
      [event(10, 'a', echo(), 'in'), event(10, 'c')],
    ),
    'a frame came out of c on n1',
  );
  t.strictSame(
    [
      roundTrip,
      { kind: 'resolves', ip: '10.0.0.2', mac: mac.b },
      { kind: 'denied', why: 'policy' },
      { kind: 'blocked', why: 'spoofed' },
    ].map(
      (intent) =>
        judgeIntent(intent as Intent, intent.kind === 'resolves' ? arp : ping, {
          notes: intent.kind === 'resolves' ? [] : [got('c', '10.0.0.9')],
          frames: [event(10, 'c')],
        })?.expected,
    ),
    [
      'b gets it once, from 10.0.0.1, and a gets one answer from 10.0.0.2',
      `a learns that 10.0.0.2 is at ${mac.b}`,
      'no host gets it: policy',
      'no frame comes out anywhere: spoofed',
    ],
  );
});

const route = flow(70, 'ip,nw_dst=10.0.0.2');
const miss = flow(70);
const egress = flow(110, 'reg0=0x1');
const trace: Trace = {
  node: 'n1',
  port: 'a',
  steps: [
    { kind: 'lookup', bridge: 'br-int', table: 0, depth: 0, flow: flow(0) },
    { kind: 'write', flow: flow(0), field: 'nw_ttl' },
    { kind: 'lookup', bridge: 'br-int', table: 70, depth: 0, flow: route },
    { kind: 'write', flow: route, field: 'nw_ttl' },
    { kind: 'write', flow: route, field: 'tun_dst' },
    { kind: 'lookup', bridge: 'br-int', table: 110, depth: 0, flow: egress },
    { kind: 'output', flow: egress, port: 'b' },
  ],
};
const sound: Evidence = {
  traces: [trace],
  earlier: [],
  frame: undefined,
  counters: [],
  program: [],
};
const differing = (expected: FrameEvent | undefined, actual: FrameEvent | undefined) =>
  compareFrames(
    expected === undefined ? [] : [expected],
    actual === undefined ? [] : [actual],
    ports,
  ).differences[0];
const place = (at: Location | undefined) =>
  at === undefined
    ? 'nowhere'
    : `${[flowText(at), ...fieldOf(at).map((one) => `[${one}]`)].join(' ')}: ${at.because}`;
void t.test('where it began', async (t) => {
  const wrongTtl = differing(event(10, 'b'), event(10, 'b', echo({ ttl: 63 })));
  const cases: readonly (readonly [what: string, evidence: Partial<Evidence>, said: string])[] = [
    [
      'a flow is missing',
      { program: [{ of: route, expected: 'x', actual: undefined, field: undefined }] },
      'table=70, priority=200,ip,nw_dst=10.0.0.2: the switch does not hold this flow',
    ],
    [
      'a flow is another',
      {
        program: [
          { of: egress, expected: 'x', actual: 'table=110 actions=drop', field: undefined },
        ],
      },
      'table=110, priority=200,reg0=0x1: the switch holds it as: table=110 actions=drop',
    ],
    [
      'a flow writes another value',
      { frame: wrongTtl, program: [{ of: route, expected: 'x', actual: 'y', field: 'eth_dst' }] },
      'table=70, priority=200,ip,nw_dst=10.0.0.2 [eth_dst]: the switch holds it as: y',
    ],
    [
      'a flow is another, and a field came out wrong',
      { frame: wrongTtl, program: [{ of: route, expected: 'x', actual: 'y', field: undefined }] },
      'table=70, priority=200,ip,nw_dst=10.0.0.2 [nw_ttl]: the switch holds it as: y',
    ],
    [
      'the switch took another way',
      {
        counters: [
          { flow: egress, expected: times(1), actual: times(0) },
          { flow: route, expected: times(1), actual: times(0) },
          { flow: miss, expected: times(0), actual: times(1) },
        ],
      },
      "table=70, priority=200,ip,nw_dst=10.0.0.2: the model's packets matched it 1 times, the " +
        "switch's 0 times; there it took table=70, priority=0",
    ],
    [
      'the way ends early',
      { counters: [{ flow: egress, expected: times(1), actual: undefined }] },
      "table=110, priority=200,reg0=0x1: the model's packets matched it 1 times, the switch's " +
        '0 times',
    ],
    [
      'the first of two on the path',
      {
        counters: [{ flow: egress, expected: times(1), actual: times(0) }],
        program: [{ of: route, expected: 'x', actual: 'y', field: undefined }],
      },
      'table=70, priority=200,ip,nw_dst=10.0.0.2: the switch holds it as: y',
    ],
    [
      'the same path, a wrong field',
      { frame: wrongTtl },
      'table=70, priority=200,ip,nw_dst=10.0.0.2 [nw_ttl]: the flow that last wrote this ' +
        'field; the path and the flows are the same on both sides',
    ],
    [
      'a field that no flow wrote',
      { frame: differing(event(10, 'b'), event(10, 'b', echo({ dst: mac.a }))) },
      'table=110, priority=200,reg0=0x1 [eth_dst]: the path and the flows are the same on ' +
        'both sides up to this output: what differs happened past it, on the wire',
    ],
    [
      'past the last output',
      { frame: differing(event(10, 'b'), undefined) },
      'table=110, priority=200,reg0=0x1: the path and the flows are the same on both sides up ' +
        'to this output: what differs happened past it, on the wire',
    ],
    [
      'at a port that the model sends nothing to',
      { frame: differing(undefined, event(10, 'c')) },
      'table=110, priority=200,reg0=0x1: the path and the flows are the same on both sides up ' +
        'to this output: what differs happened past it, on the wire',
    ],
    [
      'around a tunnelled frame',
      {
        frame: differing(
          event(10, 'b', tunnelled(echo())),
          event(10, 'b', tunnelled(echo(), '172.30.0.9')),
        ),
      },
      'table=70, priority=200,ip,nw_dst=10.0.0.2 [tun_dst]: the flow that last wrote this ' +
        'field; the path and the flows are the same on both sides',
    ],
    [
      'inside a tunnelled frame',
      {
        frame: differing(
          event(10, 'b', tunnelled(echo())),
          event(10, 'b', tunnelled(echo({ ttl: 63 }))),
        ),
      },
      'table=70, priority=200,ip,nw_dst=10.0.0.2 [nw_ttl]: the flow that last wrote this ' +
        'field; the path and the flows are the same on both sides',
    ],
    [
      'off the path: a counter',
      { traces: [], counters: [{ flow: miss, expected: times(0), actual: times(2) }] },
      "table=70, priority=0: the model's packets matched it 0 times, the switch's 2 times",
    ],
    [
      'off the path: a flow',
      {
        traces: [],
        program: [
          { of: miss, expected: undefined, actual: 'table=70 actions=NORMAL', field: undefined },
        ],
      },
      'table=70, priority=0: the switch holds it as: table=70 actions=NORMAL',
    ],
    [
      'off the path: a group',
      {
        traces: [],
        program: [
          {
            of: { node: 'n1', bridge: 'br-int', group: 7 },
            expected: undefined,
            actual: 'y',
            field: undefined,
          },
        ],
      },
      'nowhere',
    ],
    ['nothing is known', { traces: [] }, 'nowhere'],
  ];
  for (const [what, evidence, said] of cases)
    t.equal(place(locate({ ...sound, ...evidence })), said, what);
  t.equal(
    place(locateDecision([trace])),
    'table=110, priority=200,reg0=0x1: model and switch send it out of b here',
  );
  t.equal(
    place(
      locateDecision([
        trace,
        { ...trace, steps: [{ kind: 'drop', flow: miss, why: 'the flow says drop' }] },
      ]),
    ),
    'table=70, priority=0: model and switch drop it here: the flow says drop',
  );
  t.equal(place(locateDecision([])), 'nowhere');
});

void t.test('promises about connections', async (t) => {
  const tcp: Stimulus = { kind: 'tcp', from: 'a', to: '10.0.0.2', port: 7 };
  const intent: Intent = { kind: 'round-trip', to: 'b', source: '10.0.0.1' };
  const at = { timeUs: 0 };
  const whole: readonly HostNote[] = [
    { ...at, host: 'a', kind: 'connected', as: 'opener', peer: '10.0.0.2' },
    { ...at, host: 'b', kind: 'connected', as: 'answerer', peer: '10.0.0.1' },
    { ...at, host: 'b', kind: 'received', what: 'tcp', src: '10.0.0.1', dst: '10.0.0.2', ttl: 64 },
    { ...at, host: 'a', kind: 'received', what: 'tcp', src: '10.0.0.2', dst: '10.0.0.1', ttl: 64 },
    { ...at, host: 'a', kind: 'closed', peer: '10.0.0.2' },
    { ...at, host: 'b', kind: 'closed', peer: '10.0.0.1' },
  ];
  const judged = (notes: readonly HostNote[], promise: Intent = intent, stimulus: Stimulus = tcp) =>
    judgeIntent(promise, stimulus, { notes, frames: [] })?.actual ?? 'kept';
  t.equal(judged(whole), 'kept');
  for (const [index, note] of whole.entries())
    t.not(judged(whole.toSpliced(index, 1)), 'kept', `without ${note.host} ${note.kind}`);
  for (const [index, note] of whole.entries())
    t.not(judged(whole.toSpliced(index, 0, note)), 'kept', `twice ${note.host} ${note.kind}`);
  for (const [index, note] of whole.entries())
    t.not(
      judged(whole.with(index, { ...note, host: 'c' })),
      'kept',
      `${note.kind} at another host`,
    );
  t.equal(
    judged(
      whole.with(1, { ...at, host: 'b', kind: 'connected', as: 'answerer', peer: '10.0.0.9' }),
    ),
    'b has a connection from 10.0.0.9',
    'from another address',
  );
  for (const kind of ['reset', 'refused', 'timed-out'] as const)
    t.match(
      judged([...whole, { ...at, host: 'a', kind, peer: '10.0.0.2' }]),
      /^a got (a reset|no answer) from 10\.0\.0\.2$/,
      kind,
    );
  const probe: Stimulus = { ...tcp, kind: 'probe' };
  t.equal(
    judged(
      whole.filter(({ kind }) => kind !== 'received'),
      intent,
      probe,
    ),
    'kept',
    'a probe sends nothing',
  );

  const drop = (host: string): HostNote => ({
    ...at,
    host,
    kind: 'dropped',
    why: 'odd',
    src: '10.0.0.1',
    dst: '10.0.0.2',
  });
  const odd: Stimulus = { ...tcp, interjection: { by: 'opener', segment: 'syn-fin' } };
  const outcomeOf = (kind: 'arrives' | 'dropped' | 'open', ...drops: readonly string[]) =>
    judged([...whole, ...drops.map(drop)], { ...intent, interjection: { kind, why: 'so' } }, odd);
  t.strictSame([outcomeOf('dropped'), outcomeOf('dropped', 'b')], ['kept', 'b dropped it: odd']);
  t.strictSame(
    [
      outcomeOf('arrives', 'b'),
      outcomeOf('arrives'),
      outcomeOf('arrives', 'b', 'b'),
      outcomeOf('arrives', 'a'),
    ],
    ['kept', 'no host got it', 'b dropped it: odd', 'a dropped it: odd'],
  );
  t.strictSame(
    [outcomeOf('open'), outcomeOf('open', 'b'), outcomeOf('open', 'c')],
    ['kept', 'kept', 'c dropped it: odd'],
  );
  t.equal(judged([...whole, drop('b')]), 'b dropped it: odd', 'where none was sent');

  const refused: Intent = { kind: 'refused', to: 'b', source: '10.0.0.1', why: 'closed' };
  const reset: HostNote = { ...at, host: 'a', kind: 'refused', peer: '10.0.0.2' };
  t.equal(judged([drop('b'), reset], refused), 'kept');
  t.strictSame(
    [
      [reset],
      [drop('b')],
      [drop('c'), reset],
      [drop('b'), drop('b'), reset],
      [drop('b'), reset, reset],
      [drop('b'), { ...reset, host: 'b' }],
      [drop('b'), { ...reset, peer: '10.0.0.9' }],
      [drop('b'), reset, ...whole],
    ].map((notes) => judged(notes as readonly HostNote[], refused)),
    [
      'no host got it',
      'a got no reset',
      'c dropped it: odd',
      'b dropped it: odd; b dropped it: odd',
      'a got a reset from 10.0.0.2; a got a reset from 10.0.0.2',
      'b got a reset from 10.0.0.2',
      'a got a reset from 10.0.0.9',
      'a has a connection to 10.0.0.2',
    ],
  );
  t.strictSame(
    whole.slice(0, 3).map((note) => judged([note], { kind: 'denied', why: 'policy' })),
    [
      'a has a connection to 10.0.0.2',
      'b has a connection from 10.0.0.1',
      'b got data of a TCP connection from 10.0.0.1',
    ],
  );
  t.equal(
    judged([{ ...at, host: 'a', kind: 'timed-out', peer: '10.0.0.2' }], {
      kind: 'denied',
      why: 'policy',
    }),
    'kept',
    'the sender gives up',
  );
});

const connection: TrackedConnection = {
  node: 'n1',
  zone: 65520,
  protocol: 'tcp',
  original: 'src=10.0.0.1,dst=10.0.0.2,sport=49152,dport=7',
  reply: 'src=10.0.0.2,dst=10.0.0.1,sport=7,dport=49152',
  mark: 0x20,
  progress: 'state_orig=ESTABLISHED,state_reply=ESTABLISHED',
  timeoutS: 86_400,
};
const learned: LearnedMac = { node: 'n1', bridge: 'br-int', port: 'a', vlan: 0, mac: mac.a };
const state: SwitchState = { connections: [connection], macs: [learned] };

void t.test('what switches remember', async (t) => {
  const other: TrackedConnection = {
    ...connection,
    original: 'src=10.0.0.3,dst=10.0.0.2,sport=1,dport=7',
  };
  t.strictSame(compareState(state, { connections: [connection], macs: [learned] }, 2), {
    differences: [],
    connections: { expected: 3, made: 3, skipped: 0 },
    macs: { expected: 3, made: 3, skipped: 0 },
  });
  t.strictSame(
    compareState(
      { connections: [connection, other], macs: [] },
      { connections: [other, connection], macs: [] },
      2,
    ).differences,
    [],
    'in whatever order',
  );
  const differencesOf = (connections: readonly TrackedConnection[], macs: readonly LearnedMac[]) =>
    compareState(state, { connections, macs }, 2).differences.map(
      ({ aspect, kind, fields, expected, actual }) =>
        `${aspect} ${kind} ${fields.join()}: ${expected.slice(-15)} | ${actual.slice(-15)}`,
    );
  t.strictSame(differencesOf([], [learned]), ['connections missing : timeout 86400 s | nothing']);
  t.strictSame(differencesOf([connection, other], [learned]), [
    'connections unexpected : nothing | timeout 86400 s',
  ]);
  const changes = {
    zone: 1,
    protocol: 'udp',
    reply: 'src=10.0.0.9',
    mark: 0,
    progress: 'state_orig=CLOSED',
    timeoutS: 1,
    node: 'n2',
    label: '0x1',
  } as const;
  const named = {
    zone: 'missing,unexpected',
    protocol: 'missing,unexpected',
    reply: 'reply',
    mark: 'mark',
    progress: 'protoinfo',
    timeoutS: 'timeout',
    node: 'missing,unexpected',
    label: 'mark',
  } as const;
  for (const field of Object.keys(changes) as (keyof typeof changes)[]) {
    const { differences } = compareState(
      state,
      { ...state, connections: [{ ...connection, [field]: changes[field] }] },
      2,
    );
    t.equal(
      differences
        .map(({ kind, fields }) => (kind === 'different' ? fields.join() : kind))
        .sort()
        .join(),
      named[field],
      field,
    );
  }
  t.match(
    compareState(state, { ...state, connections: [{ ...connection, label: '0x1' }] }, 2)
      .differences,
    [{ actual: /, label 0x1, / }],
  );
  t.strictSame(
    differencesOf([connection], [{ ...learned, port: 'b' }]),
    ['macs different port: port a | port b'],
    'a MAC moved',
  );
  t.strictSame(differencesOf([connection], [{ ...learned, vlan: 5 }]), [
    'macs unexpected : nothing | port a',
    'macs missing : port a | nothing',
  ]);
  const asked: MulticastPort = {
    node: 'n1',
    bridge: 'br-int',
    port: 'a',
    vlan: 0,
    group: '239.1.1.1',
    ageS: 3,
  };
  const multicast = (...seen: readonly MulticastPort[]) =>
    compareState({ ...state, multicast: [asked] }, { ...state, multicast: seen }, 2);
  t.strictSame(multicast(asked), {
    differences: [],
    connections: { expected: 3, made: 3, skipped: 0 },
    macs: { expected: 4, made: 4, skipped: 0 },
  });
  t.match(multicast({ ...asked, ageS: 4 }).differences, [
    {
      aspect: 'macs',
      kind: 'different',
      about: 'multicast 239.1.1.1 to a of br-int on n1',
      fields: ['age'],
      expected: 'age 3 s',
      actual: 'age 4 s',
    },
  ]);
  for (const other of [
    { node: 'n2' },
    { bridge: 'br' },
    { port: 'b' },
    { vlan: 5 },
    { group: 'querier' },
  ])
    t.same(
      multicast({ ...asked, ...other })
        .differences.map(({ kind }) => kind)
        .sort(),
      ['missing', 'unexpected'],
      Object.keys(other).join(),
    );
  t.match(
    compareState({ ...state, multicast: [asked] }, state, 2).differences,
    [{ kind: 'missing' }],
    'a switch that reports none',
  );
  t.strictSame(
    joinStates([state, { ...state, multicast: [asked] }, { ...state, multicast: [asked] }]),
    {
      connections: [connection, connection, connection],
      macs: [learned, learned, learned],
      multicast: [asked, asked],
    },
  );
  t.strictSame(joinStates([state]), state);
});

void t.test('a whole vector', async (t) => {
  const intent: Intent = { kind: 'round-trip', to: 'b', source: '10.0.0.1' };
  const counts = [count(route, 1), count(egress, 1), count(miss, 0)];
  const observation: Observation = {
    frames: [event(10, 'a', echo(), 'in'), event(10, 'b')],
    notes: [reached, answered],
  };
  const cold: ComparedPass = {
    pass: { name: 'cold', stimulus: ping },
    intent,
    model: observation,
    real: observation,
    lookups: { hit: 0, missed: 1 },
    traces: [trace],
    packetIns: [],
  };
  const same: VectorCase = {
    passes: [cold],
    model: { counts, state },
    real: { counts, state },
    divergence: { traces: [trace], earlier: [], modelCounts: counts, realCounts: counts },
    ports,
    nodes: [],
  };
  const made = (comparisons: number) => ({ expected: comparisons, made: comparisons, skipped: 0 });
  const expected = {
    program: made(0),
    intent: made(2),
    frames: made(2),
    silence: made(2),
    'packet-ins': made(0),
    counters: made(3),
    cache: made(0),
    connections: made(2),
    macs: made(2),
    'ovn-trace': made(0),
  };

  await t.test('that is alike', async (t) => {
    const comparison = compareVector(same);
    t.strictSame(comparison.counts, expected);
    t.notOk(comparison.diverges);
    t.strictSame(comparison.differences([]), []);
    t.strictSame(
      expectedCounts([observation], 'cold', same.model, ports),
      Object.fromEntries(
        Object.entries(expected).map(([aspect, each]) => [aspect, { ...each, made: 0 }]),
      ),
      'and what would have been compared without a switch',
    );
  });

  await t.test(
    'that parts: the first difference is located, the rest follows from it',
    async (t) => {
      const realCounts = [count(route, 0), count(egress, 0), count(miss, 1)];
      const comparison = compareVector({
        ...same,
        passes: [
          { ...cold, real: { frames: [event(10, 'a', echo(), 'in'), event(10, 'c')], notes: [] } },
        ],
        real: { counts: realCounts, state: { connections: [], macs: [] } },
        divergence: { ...same.divergence, realCounts },
      });
      t.ok(comparison.diverges);
      t.strictSame(
        comparison
          .differences([])
          .map(
            ({ aspect, between, summary, expected, actual, at, afterDivergence }) =>
              `${afterDivergence ? '  ' : ''}${aspect}, ${between}: ${summary} | ${expected} ` +
              `| ${actual}${at === undefined ? '' : ` | at ${place(at)}`}`,
          ),
        [
          `frames, model and switch: a frame is missing out of b on n1 at 10 µs | ${mac.a} > ` +
            `${mac.b} IPv4 10.0.0.1 > 10.0.0.2 ICMP echo request id 7 seq 1 ttl 64 | nothing | ` +
            `at table=70, priority=200,ip,nw_dst=10.0.0.2: the model's packets matched it 1 ` +
            `times, the switch's 0 times; there it took table=70, priority=0`,
          '  silence, model and switch: an unexpected frame went out of c on n1 at 10 µs | ' +
            `nothing | ${mac.a} > ${mac.b} IPv4 10.0.0.1 > 10.0.0.2 ICMP echo request id 7 seq ` +
            '1 ttl 64',
          '  counters, model and switch: n_packets differs on n1 br-int, table=70, ' +
            'priority=200,ip,nw_dst=10.0.0.2: expected 1, got 0 | n_packets=1, n_bytes=60 | ' +
            'n_packets=0, n_bytes=0',
          '  counters, model and switch: n_packets differs on n1 br-int, table=110, ' +
            'priority=200,reg0=0x1: expected 1, got 0 | n_packets=1, n_bytes=60 | n_packets=0, ' +
            'n_bytes=0',
          '  counters, model and switch: n_packets differs on n1 br-int, table=70, ' +
            'priority=0: expected 0, got 1 | n_packets=0, n_bytes=0 | n_packets=1, n_bytes=60',
          '  connections, model and switch: missing connection: tcp connection ' +
            'src=10.0.0.1,dst=10.0.0.2,sport=49152,dport=7 in zone 65520 on n1 | reply ' +
            'src=10.0.0.2,dst=10.0.0.1,sport=7,dport=49152, mark 0x20, protoinfo ' +
            'state_orig=ESTABLISHED,state_reply=ESTABLISHED, timeout 86400 s | nothing',
          '  macs, model and switch: missing learned MAC: 02:00:00:00:00:0a on br-int of n1 | ' +
            'port a | nothing',
          '  intent, intent and switch: on the switch: no host got it | b gets it once, from ' +
            '10.0.0.1, and a gets one answer from 10.0.0.2 | no host got it',
        ],
      );
    },
  );

  await t.test('that parts, and neither is as promised', async (t) => {
    const { differences } = compareVector({
      ...same,
      passes: [{ ...cold, intent: { kind: 'denied', why: 'policy' } }],
      real: { counts: [count(route, 2)], state },
    });
    t.match(
      differences([])
        .slice(-2)
        .map(({ summary }) => summary),
      [
        'on the switch: b got an echo request from 10.0.0.1',
        'in the model: b got an echo request from 10.0.0.1',
      ],
    );
  });

  await t.test('that is alike but for what is remembered of it', async (t) => {
    const steps: readonly TraceStep[] = [
      ...trace.steps,
      { kind: 'write', flow: route, field: 'ct_state' },
      { kind: 'output', flow: egress, port: 'b', by: 'NORMAL' },
    ];
    const parts = (changed: Partial<SwitchState>) =>
      compareVector({
        ...same,
        divergence: { ...same.divergence, traces: [{ ...trace, steps }] },
        real: { ...same.real, state: { ...state, ...changed } },
      });
    const summariesOf = (changed: Partial<SwitchState>) =>
      parts(changed)
        .differences([])
        .map(
          ({ aspect, summary, at }) =>
            `${aspect}: ${summary}${at === undefined ? '' : ` | at ${place(at)}`}`,
        );
    t.ok(parts({ connections: [] }).diverges);
    t.strictSame(summariesOf({ connections: [{ ...connection, mark: 0 }] }), [
      `connections: connection differs in mark: tcp connection ${connection.original} in ` +
        'zone 65520 on n1 | at table=70, priority=200,ip,nw_dst=10.0.0.2: the last flow that ' +
        'asked the connection tracker; the path and the flows are the same on both sides',
    ]);
    t.strictSame(summariesOf({ macs: [{ ...learned, port: 'b' }] }), [
      'macs: learned MAC differs in port: 02:00:00:00:00:0a on br-int of n1 | at ' +
        'table=110, priority=200,reg0=0x1: the last flow that let the bridge learn; the path ' +
        'and the flows are the same on both sides',
    ]);
  });

  await t.test('that is alike, but not as promised', async (t) => {
    const comparison = compareVector({
      ...same,
      passes: [{ ...cold, intent: { kind: 'denied', why: 'policy' } }],
    });
    t.notOk(comparison.diverges);
    t.strictSame(
      comparison
        .differences([])
        .map(
          ({ between, summary, at, afterDivergence }) =>
            `${afterDivergence ? '  ' : ''}${between}: ` +
            `${summary}${at === undefined ? '' : ` | at ${place(at)}`}`,
        ),
      [
        'intent and switch: on the switch, as the model predicts: b got an echo request from ' +
          '10.0.0.1 | at table=110, priority=200,reg0=0x1: model and switch send it out of b ' +
          'here',
        '  intent and model: in the model: b got an echo request from 10.0.0.1',
      ],
    );
  });

  await t.test(
    'of several passes: each counts, the cached one only if the cache answered alone, and a ' +
      'difference reports its pass',
    async (t) => {
      const cached = (
        hit: number,
        missed: number,
        name: 'again' | 'cached' | 'sibling' = 'cached',
      ): ComparedPass => ({ ...cold, pass: { name, stimulus: ping }, lookups: { hit, missed } });
      const sibling: ComparedPass = {
        ...cold,
        pass: { name: 'sibling', stimulus: ping },
        real: { frames: [event(10, 'a', echo(), 'in')], notes: [reached, answered] },
      };
      const three = compareVector({ ...same, passes: [cold, cached(2, 0), cold] });
      t.match(three.counts, {
        intent: made(6),
        frames: made(6),
        silence: made(6),
        cache: made(1),
        counters: made(3),
        connections: made(2),
      });
      const proven = [
        [2, 0],
        [0, 0],
        [2, 1],
        [0, 2],
      ] as const;
      t.strictSame(
        proven.map(
          ([hit, missed]) =>
            compareVector({ ...same, passes: [cold, cached(hit, missed)] }).counts.cache.made,
        ),
        [1, 0, 0, 0],
      );
      t.strictSame(
        compareVector({ ...same, passes: [cold, cached(2, 0, 'again')] }).counts.cache,
        { expected: 1, made: 1, skipped: 0 },
        'the second time may be enough',
      );
      t.strictSame(
        compareVector({ ...same, passes: [cold, cached(0, 2), cached(2, 0, 'sibling')] }).counts
          .cache,
        { expected: 1, made: 0, skipped: 0 },
        'what a sibling hits proves nothing',
      );
      const quiet = (frames: readonly FrameEvent[]) =>
        compareVector({
          ...same,
          passes: [{ ...cached(0, 0), model: { frames, notes: [] }, real: { frames, notes: [] } }],
        }).counts.cache.expected;
      t.strictSame(
        [quiet([event(10, 'a', echo(), 'in')]), quiet([event(10, 'a')]), quiet([])],
        [1, 0, 0],
        'where nothing goes in nothing can be cached',
      );
      t.strictSame(
        [[event(10, 'a', echo(), 'in')], []].map((frames) =>
          cacheCount([{ ...cached(2, 0), model: { frames, notes: [] } }]),
        ),
        [made(1), made(0)],
        'what other vectors hit beside it proves nothing of one that sends nothing',
      );
      t.strictSame(expectedCounts([observation, observation], 'all', same.model, ports).cache, {
        expected: 1,
        made: 0,
        skipped: 0,
      });
      t.match(compareVector({ ...same, passes: [cold, cached(2, 0), sibling] }).differences([]), [
        { pass: 'sibling', aspect: 'frames', at: {} },
      ]);
      t.match(
        compareVector({
          ...same,
          passes: [cold, { ...sibling, intent: { kind: 'denied', why: 'policy' } }],
        })
          .differences([])
          .slice(-2),
        [
          { pass: 'sibling', aspect: 'intent' },
          { pass: 'sibling', aspect: 'intent' },
        ],
      );
    },
  );
});

void t.test('of ambiguous flows the sums are compared', async (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map(
    (match): FlowId => ({ node: 'n1', bridge: 'br', table: 0, priority: 1, match }),
  ) as [FlowId, FlowId, FlowId];
  const counts = (...packets: readonly number[]): readonly FlowCount[] =>
    [a, b, c].map((flow, index) => ({
      flow,
      packets: packets[index] ?? 0,
      bytes: 10 * (packets[index] ?? 0),
    }));
  const differing = (expected: readonly FlowCount[], actual: readonly FlowCount[]) =>
    compareCounters(
      sumAmbiguous(expected, [[a, b]]),
      sumAmbiguous(actual, [[{ ...a }, { ...b }]]),
    ).differences.map(
      ({ flow, expected, actual }) =>
        `${flow.match} ${expected?.packets} ${actual?.packets} ${expected?.bytes} ${actual?.bytes}`,
    );
  t.same(differing(counts(3, 0, 1), counts(1, 2, 1)), []);
  t.same(differing(counts(3, 0, 1), counts(1, 1, 2)), ['c 1 2 10 20', 'a 3 2 30 20']);
  t.same(sumAmbiguous(counts(3, 0, 1), []), counts(3, 0, 1));
});
