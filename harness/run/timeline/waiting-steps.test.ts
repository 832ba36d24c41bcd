// Goal: each vector of those that wait gets what ovn-trace says of its own packets; where ovn-trace
// is gone, the first says so, and the others nothing; nothing waits beyond an event, a difference,
// or what changes what ovn-trace reads. Method: vectors of a packet each, of a plan in memory, and
// answers in the place of ovn-trace's.
import t from 'tap';
import { Unavailable } from '../../base/errors/errors.js';
import type { LogicalTrace } from '../../domain/logical-trace.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { SequenceStep } from '../../domain/timeline.js';
import { noCounts, type VerdictKind } from '../../domain/verdict.js';
import type { Switches } from '../../testbeds/testbed.js';
import type { TimelineRun } from './timeline-run.js';
import { checked, mayWait, unchecked, type WaitingStep } from './waiting-steps.js';

const vector = { kind: 'vector' } as SequenceStep;
const event = { kind: 'switch restarts', node: 'n1' } as SequenceStep;

const waiting = (id: string, step = vector, verdict: VerdictKind = 'conforms'): WaitingStep => ({
  judged: { id, step, verdict, counts: noCounts, differences: [] },
  passages: [
    { node: 'n1', logicalPort: id, frame: new Uint8Array(60), flows: [], tracked: [], outputs: [] },
  ],
});

const silent: LogicalTrace = {
  ...{ command: 'ovn-trace', flows: [], effects: new Map(), outputs: [], supposed: [] },
};

function runWith(traceLogically: Switches['traceLogically']): TimelineRun {
  const real = { traceLogically } as unknown as Switches;
  return { real, agentState: { plan: { nodes: [] } } } as unknown as TimelineRun;
}

void t.test('each has what is said of its own', async (t) => {
  const asked: number[] = [];
  const run = runWith((packets) => {
    asked.push(packets.length);
    return Promise.resolve(
      packets.map(({ logicalPort }) =>
        logicalPort === 'b'
          ? { ...silent, flows: ['n1 ingress 4 ls_in_arp_rsp priority=50 1'] }
          : silent,
      ),
    );
  });
  const judged = await checked(run, [waiting('a'), waiting('b'), waiting('c')]);
  t.strictSame(
    judged.map(({ id, verdict, counts }) => [id, verdict, counts['ovn-trace'].made]),
    [
      ['a', 'conforms', 1],
      ['b', 'diverges', 1],
      ['c', 'conforms', 1],
    ],
  );
  t.match(judged[1]?.differences, [{ aspect: 'ovn-trace' }]);
  t.strictSame(asked, [3], 'in one go');
});

void t.test('ovn-trace is gone', async (t) => {
  const run = runWith(() => Promise.reject(new Unavailable('the database has ended')));
  const judged = await checked(run, [waiting('a'), waiting('b')]);
  t.match(judged, [
    {
      id: 'a',
      verdict: 'inconclusive',
      counts: { 'ovn-trace': { expected: 1, made: 0, skipped: 1 } },
      inconclusive: { cause: /the database has ended/ },
    },
  ]);
  t.equal(judged.length, 1);
  const broken = runWith(() => Promise.reject(new Error('a bug')));
  await t.rejects(checked(broken, [waiting('a')]), { message: 'a bug' });
});

void t.test('nobody has asked', (t) => {
  t.match(unchecked([waiting('a')]), [{ counts: { 'ovn-trace': { made: 0, skipped: 1 } } }]);
  t.end();
});

void t.test('what may wait', (t) => {
  const plan = (type: string): ClusterPlan => ({
    nodes: [],
    northbound: {
      zones: [
        {
          name: 'z',
          chassis: [],
          rows: [{ table: 'Logical_Switch_Port', id: 'p', columns: { type } }],
        },
      ],
    },
  });
  t.ok(mayWait(plan(''), waiting('a'), vector));
  t.notOk(mayWait(plan('localnet'), waiting('a'), vector), 'routers may learn');
  t.notOk(mayWait(plan(''), waiting('a'), event), 'an event is next');
  t.notOk(mayWait(plan(''), waiting('a'), undefined), 'nothing is next');
  t.notOk(mayWait(plan(''), waiting('a', event), vector), 'it is an event');
  t.notOk(mayWait(plan(''), waiting('a', vector, 'diverges'), vector), 'it diverges');
  t.notOk(mayWait({ nodes: [] }, waiting('a'), vector), 'OVN programs nothing');
  t.end();
});
