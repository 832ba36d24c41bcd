// Goal: where model and switch diverge is named by the step that did it, whatever stands beside it
// in the evidence. Method: for each question that `locate` asks, evidence with the right answer
// among wrong ones that differ from it in one thing.
import t from 'tap';
import type { Trace, TraceStep } from '../model/trace/trace.js';
import type { FlowId } from '../domain/switching.js';
import type { CounterDifference } from './compare-counters.js';
import type { FrameDifference } from './compare-frames.js';
import { locate, locateDecision, type Evidence } from './locate.js';
import type { GroupId } from './compare-program.js';
import type { StateDifference } from './compare-state.js';

const times = (packets: number) => ({ packets, bytes: 60 * packets });
const flow = (table: number, changes: Partial<FlowId> = {}): FlowId => ({
  node: 'n1',
  bridge: 'br-int',
  table,
  priority: 7,
  match: 'ip',
  ...changes,
});
const lookup = (id: FlowId): TraceStep => ({
  kind: 'lookup',
  bridge: id.bridge,
  table: id.table,
  depth: 0,
  flow: id,
});
const miss: TraceStep = { kind: 'lookup', bridge: 'br-int', table: 99, depth: 0 };
const write = (id: FlowId, field: string): TraceStep => ({ kind: 'write', flow: id, field });
const output = (id: FlowId, port: string, by?: string): TraceStep => ({
  kind: 'output',
  flow: id,
  port,
  ...(by === undefined ? {} : { by }),
});
const drop = (id?: FlowId): TraceStep => ({
  kind: 'drop',
  why: 'so',
  ...(id === undefined ? {} : { flow: id }),
});
const on = (node: string, ...steps: readonly TraceStep[]): Trace => ({ node, port: 'in', steps });
const evidence = (given: Partial<Evidence>): Evidence => ({
  traces: [],
  earlier: [],
  frame: undefined,
  counters: [],
  program: [],
  ...given,
});
const difference: FrameDifference = {
  kind: 'different',
  timeUs: 10,
  node: 'n1',
  port: 'b',
  direction: 'out',
  fields: ['ip.ttl'],
  expected: '',
  actual: '',
  tunnelled: false,
  onSilentPort: false,
};
const tableOf = (given: Partial<Evidence>): number | undefined =>
  locate(evidence(given))?.flow.table;

void t.test('a flow that differs', (t) => {
  const program = [{ of: flow(10), expected: 'x', actual: 'y', field: undefined }];
  const because = 'the switch holds it as: y';
  t.strictSame(
    locate(evidence({ traces: [on('n1', miss, lookup(flow(0)), lookup(flow(10)))], program })),
    { flow: flow(10), because },
    'behind a lookup without an answer; no field is named',
  );
  t.strictSame(
    locate(
      evidence({
        earlier: [on('n1', lookup(flow(0)), lookup(flow(10)))],
        traces: [on('n1', lookup(flow(20)))],
        program,
        counters: [{ flow: flow(20), expected: times(1), actual: times(0) }],
      }),
    ),
    { flow: flow(10), because },
    'in a frame before',
  );
  t.end();
});

void t.test('a group that differs', (t) => {
  const group = (of: Partial<GroupId>, actual?: string) => [
    {
      of: { node: 'n1', bridge: 'br-int', group: 1, ...of },
      expected: 'x',
      actual,
      field: undefined,
    },
  ];
  const traces = [
    on(
      'n1',
      lookup(flow(41)),
      { kind: 'group', flow: flow(41), group: 1, bucket: 0 },
      lookup(flow(42)),
    ),
  ];
  const counters = [{ flow: flow(42), expected: times(1), actual: times(0) }];
  t.strictSame(
    locate(evidence({ traces, counters, program: group({}, 'y') })),
    { flow: flow(41), because: 'it leads to a group that the switch holds as: y' },
    'before what follows from it',
  );
  t.strictSame(locate(evidence({ traces, counters, program: group({}) })), {
    flow: flow(41),
    because: 'the switch does not hold group 1, which it leads to',
  });
  t.strictSame(
    locate(evidence({ earlier: traces, program: group({}, 'y') }))?.flow,
    flow(41),
    'in a frame before',
  );
  for (const other of [{ node: 'n2' }, { bridge: 'br-phys' }, { group: 2 }])
    t.strictSame(
      locate(evidence({ traces, counters, program: group(other, 'y') }))?.flow,
      flow(42),
      'another group',
    );
  t.strictSame(
    locate(
      evidence({
        traces,
        program: [
          ...group({}, 'y'),
          { of: flow(41), expected: 'x', actual: 'z', field: undefined },
        ],
      }),
    )?.because,
    'the switch holds it as: z',
    'a flow before its group',
  );
  t.end();
});

void t.test('the flow that the switch took instead', (t) => {
  const lost: CounterDifference = { flow: flow(10), expected: times(1), actual: times(0) };
  const others: readonly CounterDifference[] = [
    { flow: flow(10, { node: 'n2', match: 'wrong' }), expected: times(0), actual: times(1) },
    { flow: flow(10, { bridge: 'br-phys', match: 'wrong' }), expected: times(0), actual: times(1) },
    { flow: flow(11, { match: 'wrong' }), expected: times(0), actual: times(1) },
    { flow: flow(10, { match: 'wrong' }), expected: times(5), actual: times(2) },
    { flow: flow(10, { match: 'wrong' }), expected: times(0), actual: undefined },
    { flow: flow(10, { match: 'wrong' }), expected: undefined, actual: times(0) },
    { flow: flow(10, { match: 'right' }), expected: undefined, actual: times(1) },
  ];
  t.match(
    locate(evidence({ traces: [on('n1', lookup(flow(10)))], counters: [lost, ...others] }))
      ?.because,
    /^the model's packets matched it 1 times, the switch's 0 times; there it took table=10, priority=7,right$/,
  );
  t.match(
    locate(
      evidence({
        traces: [on('n1', lookup(flow(10)))],
        counters: [{ ...lost, expected: undefined, actual: undefined }],
      }),
    )?.because,
    /^packets matched it 0 times on both sides, with 0 bytes in the model and 0 on the switch$/,
  );
  t.end();
});

void t.test('the flow that sent a wrong frame out, or wrote its field', (t) => {
  const traces = [
    on('n2', output(flow(1), 'b')),
    on('n1', output(flow(2), 'b')),
    on(
      'n1',
      lookup(flow(3)),
      output(flow(3), 'c'),
      output(flow(4), 'b'),
      write(flow(3), 'eth_src'),
    ),
    on('n1', lookup(flow(5)), output(flow(5), 'c')),
    on('n2', output(flow(6), 'b')),
    on('n1', drop()),
  ];
  t.equal(
    tableOf({ traces, frame: difference }),
    4,
    'the last output of the last trace of that node that has one to that port',
  );
  t.equal(
    tableOf({ traces, frame: { ...difference, port: 'd' } }),
    5,
    'else of the last that sends anything',
  );
  t.equal(
    tableOf({ traces: traces.slice(0, 1), frame: difference }),
    undefined,
    'another node says nothing',
  );
  t.equal(
    tableOf({ traces: [on('n1', drop(flow(9)))], frame: difference }),
    undefined,
    'where nothing is sent',
  );
  const writing = [
    on(
      'n1',
      lookup(flow(1)),
      write(flow(1), 'nw_ttl'),
      write(flow(2), 'nw_ttl'),
      write(flow(3), 'eth_src'),
      output(flow(4), 'b'),
    ),
  ];
  t.match(
    locate(evidence({ traces: writing, frame: difference })),
    { flow: flow(2), field: 'nw_ttl' },
    'the last that wrote it',
  );
  t.notOk(
    'field' in
      (locate(evidence({ traces: writing, frame: { ...difference, fields: [] } })) ?? {
        field: '',
      }),
    'no field, none named',
  );
  t.end();
});

void t.test('the name of a field in flows', (t) => {
  const named = (name: string, tunnelled = false) =>
    locate(
      evidence({
        traces: [on('n1', output(flow(1), 'b'))],
        frame: { ...difference, fields: [name], tunnelled },
      }),
    )?.field;
  const packet = {
    'eth.src': 'eth_src',
    'eth.dst': 'eth_dst',
    'eth.type': 'eth_type',
    'ip.src': 'ip_src',
    'ip.dst': 'ip_dst',
    'ip.ttl': 'nw_ttl',
    'ip.tos': 'nw_tos',
    'arp.op': 'arp_op',
    'arp.sha': 'arp_sha',
    'arp.spa': 'arp_spa',
    'arp.tha': 'arp_tha',
    'arp.tpa': 'arp_tpa',
    'udp.src': 'udp_src',
    'udp.dst': 'udp_dst',
    'frame.length': undefined,
  };
  const tunnel = {
    'ip.src': 'tun_src',
    'ip.dst': 'tun_dst',
    'eth.dst': 'tun_dst',
    'geneve.vni': 'tun_id',
    'vxlan.vni': 'tun_id',
    'gre.key': 'tun_id',
    'ip.ttl': undefined,
  };
  for (const [name, field] of Object.entries(packet))
    t.strictSame([named(name), named(`inner.${name}`, true)], [field, field], name);
  for (const [name, field] of Object.entries(tunnel))
    t.equal(named(name, true), field, `${name} around a tunnelled frame`);
  t.end();
});

void t.test('the flow that left something to remember', (t) => {
  const remembered = (aspect: StateDifference['aspect']): StateDifference => ({
    aspect,
    kind: 'missing',
    node: 'n1',
    about: '',
    fields: [],
    expected: '',
    actual: '',
  });
  const traces = [
    on(
      'n1',
      lookup(flow(1)),
      write(flow(1), 'ct_state'),
      output(flow(2), 'b', 'NORMAL'),
      write(flow(3), 'ct_state'),
      output(flow(4), 'b', 'NORMAL'),
      write(flow(5), 'ct_mark'),
      output(flow(6), 'b'),
      output(flow(7), 'b', 'reg0'),
      lookup(flow(8)),
      drop(flow(8)),
    ),
    on('n2', write(flow(9), 'ct_state'), output(flow(9), 'b', 'NORMAL')),
  ];
  t.equal(tableOf({ traces, state: remembered('connections') }), 3, 'asked the tracker last');
  t.equal(tableOf({ traces, state: remembered('macs') }), 4, 'let the bridge learn last');
  t.equal(
    tableOf({ traces: traces.slice(1), state: remembered('macs') }),
    undefined,
    'another node says nothing',
  );
  t.end();
});

void t.test('the flow that decided', (t) => {
  const decided = (...steps: readonly TraceStep[]) =>
    locateDecision([on('n1', ...steps)])?.flow.table;
  t.equal(decided(output(flow(1), 'b'), lookup(flow(2)), write(flow(3), 'reg0')), 1);
  t.equal(
    decided(output(flow(1), 'b'), drop(flow(2)), drop()),
    2,
    'a drop without a flow decided nothing',
  );
  t.equal(decided(drop(flow(1)), output(flow(2), 'b')), 2);
  t.equal(decided(lookup(flow(1)), miss), undefined);
  t.end();
});
