// Goal: counters, flows, frames and what switches remember are compared in every part that can
// differ, and a single difference is enough. Method: two equal sides and one part changed; what
// stays the same beside it is inspected, too.
import t from 'tap';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { PacketIn, FlowId } from '../domain/switching.js';
import type { FrameEvent, Observation } from '../domain/observation.js';
import type { SwitchState, TrackedConnection } from '../domain/switch-state.js';
import type { Trace } from '../model/trace/trace.js';
import { compareCounters } from './compare-counters.js';
import { compareFrames } from './compare-frames.js';
import { notCompared, type VectorCounts } from './not-compared.js';
import { compareProgram } from './compare-program.js';
import { compareState } from './compare-state.js';
import { compareVector, type VectorCase } from './compare-vector.js';
import type { ComparedPass } from './compared-pass.js';

const flow = (table: number): FlowId => ({
  node: 'n1',
  bridge: 'br-int',
  table,
  priority: 0,
  match: '',
});

const counting = (table: number, packets: number, bytes = 10 * packets) => ({
  flow: flow(table),
  packets,
  bytes,
});

void t.test('counters of flows that only one side has', (t) => {
  const model = [counting(0, 1)];
  const { differences, unmatched, count } = compareCounters(model, [
    ...model,
    counting(1, 0),
    counting(2, 3),
  ]);
  t.strictSame(
    differences,
    [{ flow: flow(2), expected: undefined, actual: counting(2, 3) }],
    'what counted',
  );
  t.strictSame(
    unmatched,
    [{ flow: flow(1), expected: undefined, actual: counting(1, 0) }],
    'what no packet met',
  );
  t.strictSame(compareCounters([counting(1, 0)], []).unmatched, [
    { flow: flow(1), expected: counting(1, 0), actual: undefined },
  ]);
  t.strictSame(
    compareCounters([counting(1, 0, 5)], []).differences.length,
    1,
    'bytes alone are counted, too',
  );
  t.strictSame(count, { expected: 3, made: 3, skipped: 0 });
  t.end();
});

void t.test('the field that a flow writes otherwise', (t) => {
  const written = (expected: string, actual: string) => {
    const program = (actions: string) => [
      {
        node: 'n1',
        bridge: 'br-int',
        flows: [`table=0,priority=200,ip actions=${actions}`],
        groups: [],
        meters: [],
      },
    ];
    return compareProgram(program(expected), program(actual)).differences.map(({ field }) => field);
  };
  t.strictSame(
    written(
      'set_field:1->reg0,set_field:1/0xff->reg1',
      'set_field:1->reg0,set_field:1/0xfff->reg1',
    ),
    ['reg1'],
    'in its mask alone',
  );
  t.strictSame(
    written('set_field:1->reg0,set_field:2->reg1', 'set_field:1->reg0,set_field:3->reg2'),
    [undefined],
    'another field is no other value',
  );
  t.strictSame(
    written('set_field:1->reg0,dec_ttl', 'dec_ttl,set_field:1->reg0'),
    [undefined],
    'in another place',
  );
  t.strictSame(
    written('set_field:1->reg0,set_field:2->reg1', 'set_field:1->reg0'),
    [undefined],
    'not at all',
  );
  t.strictSame(
    written(
      'ct(commit,zone=1,exec(set_field:1->ct_mark)),set_field:1->reg0',
      'ct(commit,zone=1,exec(set_field:2->ct_mark)),set_field:1->reg0',
    ),
    ['ct_mark'],
    'in the connection tracker',
  );
  t.end();
});

const event = (timeUs: number, port: string, byte = 1, node = 'n1'): FrameEvent => ({
  timeUs,
  node,
  port,
  direction: 'out',
  frame: new Uint8Array(20).fill(byte),
});
const into = (given: FrameEvent): FrameEvent => ({ ...given, direction: 'in' });
const ports = new Set(['n1 a', 'n1 b', 'n2 a']);

void t.test('the order in which different frames are reported', (t) => {
  const differencesOf = (expected: readonly FrameEvent[], actual: readonly FrameEvent[]) =>
    compareFrames(expected, actual, ports).differences.map(
      ({ kind, timeUs, port }) => `${kind} ${timeUs} ${port}`,
    );
  t.strictSame(
    differencesOf([], [event(20, 'b'), event(15, 'c')]),
    ['unexpected 15 c', 'unexpected 20 b'],
    'by time',
  );
  t.strictSame(
    differencesOf(
      [event(10, 'a'), event(10, 'a'), event(10, 'b')],
      [event(10, 'a'), event(10, 'b', 2), event(10, 'c')],
    ),
    ['different 10 b', 'missing 10 a', 'unexpected 10 c'],
    'what says most comes first',
  );
  t.end();
});

const connection: TrackedConnection = {
  node: 'n1',
  zone: 1,
  protocol: 'udp',
  original: 'o',
  reply: 'r',
  mark: 0,
  progress: '',
  timeoutS: 30,
};
const state: SwitchState = { connections: [connection], macs: [] };
const nothing: SwitchState = { connections: [], macs: [] };

void t.test('an entry of one side alone is reported with its node', (t) => {
  t.match(compareState(state, nothing, 1).differences, [
    {
      kind: 'missing',
      node: 'n1',
      expected: 'reply r, mark 0x0, protoinfo none, timeout 30 s',
      actual: 'nothing',
    },
  ]);
  t.match(compareState(nothing, state, 1).differences, [
    { kind: 'unexpected', node: 'n1', expected: 'nothing' },
  ]);
  t.end();
});

void t.test('a connection with a helper, and one that it led to', (t) => {
  const differencesOf = (changes: Partial<TrackedConnection>) =>
    compareState(
      { ...state, connections: [{ ...connection, ...changes }] },
      state,
      1,
    ).differences.map(({ expected }) => expected);
  t.strictSame(differencesOf({ helper: 'ftp' }), [
    'reply r, mark 0x0, protoinfo none, helper ftp, timeout 30 s',
  ]);
  t.strictSame(differencesOf({ parent: 'p' }), [
    'reply r, mark 0x0, protoinfo none, parent p, timeout 30 s',
  ]);
  t.end();
});

void t.test('a vector parts for one difference, of whatever kind', (t) => {
  const observation: Observation = { frames: [into(event(10, 'a'))], notes: [] };
  const pass = (changes: Partial<ComparedPass> = {}): ComparedPass => ({
    pass: { name: 'cold', stimulus: { kind: 'ping', from: 'a', to: 'b' } },
    intent: { kind: 'denied', why: 'so' },
    model: observation,
    real: observation,
    lookups: { hit: 0, missed: 0 },
    traces: [],
    packetIns: [],
    ...changes,
  });
  const counts = [counting(0, 1)];
  const bridge: BridgePlan = { name: 'br-int', mac: '', ports: [], flows: [] };
  const listening = { ...bridge, controllers: [{ id: 0, paused: 'kept' as const }] };
  const packetIn: PacketIn = {
    bridge: 'br-int',
    controller: 0,
    reason: 'action',
    table: 3,
    cookie: 0x7n,
    length: 4,
    frame: Uint8Array.of(1, 2, 3, 4),
    metadata: 'in_port=1',
    userdata: [],
    paused: false,
  };
  const withPacketIns = (expected: readonly PacketIn[], actual: readonly PacketIn[]) => ({
    passes: [pass({ packetIns: [{ node: 'n1', expected, actual }] })],
  });
  const same: VectorCase = {
    passes: [pass()],
    model: { counts, state },
    real: { counts, state },
    divergence: { traces: [], earlier: [], modelCounts: counts, realCounts: counts },
    ports,
    nodes: [{ node: 'n1', bridges: [listening] }],
  };
  const findingOf = (changes: Partial<VectorCase>) => {
    const comparison = compareVector({ ...same, ...changes });
    return [
      comparison.diverges,
      ...comparison
        .differences([])
        .map(({ summary, expected, actual }) => `${summary} | ${expected} | ${actual}`),
    ];
  };
  t.strictSame(findingOf({}), [false]);
  t.strictSame(findingOf(withPacketIns([packetIn], [packetIn])), [false]);
  t.match(findingOf(withPacketIns([packetIn], [])), [true, /^a packet-in of br-int .* is missing/]);
  t.match(findingOf(withPacketIns([], [packetIn])), [true, /^an unexpected packet-in of br-int /]);
  t.match(findingOf(withPacketIns([packetIn], [{ ...packetIn, cookie: 8n }])), [
    true,
    /^a packet-in of br-int for controllers with id 0 differs in cookie /,
  ]);
  t.strictSame(
    findingOf({ ...withPacketIns([packetIn], []), nodes: [{ node: 'n1', bridges: [bridge] }] }),
    [false],
    'where no controller listens, none is expected',
  );
  t.match(compareVector({ ...same, ...withPacketIns([packetIn], [packetIn]) }).counts, {
    'packet-ins': { expected: 1, made: 1, skipped: 0 },
  });
  t.match(
    findingOf({ passes: [pass({ real: { frames: [into(event(10, 'a', 2))], notes: [] } })] }),
    [true, /^a frame into a on n1 at 10 µs differs in /],
  );
  t.match(findingOf({ real: { counts: [counting(0, 2, 10)], state } }), [
    true,
    'n_packets differs on n1 br-int, table=0, priority=0: expected 1, got 2 | n_packets=1, ' +
      'n_bytes=10 | n_packets=2, n_bytes=10',
  ]);
  t.match(findingOf({ real: { counts: [counting(0, 1, 9)], state } }), [
    true,
    /^n_bytes differs on n1 br-int, table=0, priority=0: expected 10, got 9 \| /,
  ]);
  t.match(findingOf({ real: { counts: [counting(0, -2)], state } }), [
    true,
    /got -2 \| .* \| .*: the flow was replaced$/,
  ]);
  t.match(findingOf({ real: { counts: [], state } }), [
    true,
    'n_packets differs on n1 br-int, table=0, priority=0: expected 1, got no such flow | ' +
      'n_packets=1, n_bytes=10 | no such flow',
  ]);
  const extra = [...counts, counting(5, 0)];
  t.strictSame(findingOf({ real: { counts: extra, state } }), [
    true,
    'br-int on n1 holds a flow that it should not: table=5, priority=0 | no such flow | ' +
      'table=5, priority=0',
  ]);
  t.strictSame(findingOf({ model: { counts: extra, state } }), [
    true,
    'br-int on n1 does not hold a flow that it should: table=5, priority=0 | table=5, ' +
      'priority=0 | no such flow',
  ]);
  t.strictSame(
    findingOf({ initial: { model: counts, real: extra }, real: { counts: extra, state } }),
    [false],
    'where it was there before, the whole program reports it',
  );
  t.match(
    findingOf({ initial: { model: counts, real: counts }, real: { counts: extra, state } }),
    [true, /holds a flow/],
    'where it came during the vector, the vector does',
  );
  t.match(
    findingOf({ initial: { model: extra, real: extra }, model: { counts: extra, state } }),
    [true, /does not hold/],
    'or went',
  );
  t.match(findingOf({ real: { counts, state: nothing } }), [
    true,
    /^missing connection: udp connection o in zone 1 on n1/,
  ]);
  t.notOk(
    'at' in
      (compareVector({ ...same, real: { counts, state: nothing } }).differences([])[0] ?? {
        at: '',
      }),
    'no place, none reported',
  );
  t.strictSame(
    compareVector(same).counts.connections,
    { expected: 3, made: 3, skipped: 0 },
    'two nodes and one entry',
  );
  t.strictSame(
    compareVector({
      ...same,
      passes: [pass({ pass: { ...pass().pass, name: 'cached' }, lookups: { hit: 1, missed: 0 } })],
    }).counts.cache.made,
    1,
    'one hit is proof',
  );

  const leak = {
    kind: 'received',
    host: 'c',
    what: 'udp',
    src: '10.0.0.1',
    dst: '',
    ttl: 1,
    timeUs: 0,
  } as const;
  const leaking: Observation = { ...observation, notes: [leak] };
  t.match(
    findingOf({ passes: [pass({ real: leaking })] }),
    [false, /^on the switch: c got a UDP datagram/],
    'not as the model predicts',
  );
  const trace: Trace = {
    node: 'n1',
    port: 'a',
    steps: [{ kind: 'drop', flow: flow(7), why: 'so' }],
  };
  const second = compareVector({
    ...same,
    passes: [
      pass({ traces: [{ ...trace, steps: [{ kind: 'drop', flow: flow(6), why: 'so' }] }] }),
      pass({ model: leaking, real: leaking, traces: [trace] }),
    ],
  });
  t.match(
    second.differences([]),
    [{ at: { flow: { table: 7 } } }, {}],
    'located in the pass that broke the promise',
  );
  t.end();
});

void t.test('what is not compared is named, with how many vectors it concerns', (t) => {
  const [batched, cold, inTimeline, unread, uncounted] = [0, 0, 0, 0, 0];
  const none = { batched, cold, inTimeline, unread, uncounted, hasControllers: false };
  const named = (more: Partial<VectorCounts>) =>
    notCompared({ ...none, ...more }).map(({ what }) => what);
  const alone = named({});
  t.ok(alone.includes('packet-ins'));
  t.notOk(named({ hasControllers: true }).includes('packet-ins'));
  t.notOk(named({}).some((what) => what.includes('ovn-trace')));
  t.ok(named({ hasOvn: true }).some((what) => what.includes('of cached passes')));
  t.ok(alone.length > 0 && alone.every((what) => !/\d/.test(what)), 'of all runs alike');
  t.strictSame(named({ batched: 7, cold: 5, uncounted: 4 }).slice(alone.length), [
    'the order of frames among 7 vectors of batches',
    'counters and state of each of 7 vectors of batches',
    'the cached path of 5 vectors',
    'the work of 4 vectors on the switches',
  ]);
  t.strictSame(named({ inTimeline: 3, unread: 3 }).slice(alone.length), [
    'the cached path of 3 vectors of a timeline',
    'the work of 3 vectors',
  ]);
  t.end();
});
