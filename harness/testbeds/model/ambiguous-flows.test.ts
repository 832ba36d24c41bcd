// Goal: of flows of equal priority the one is taken that the switch took, also where packets come
// to the others in another way. Method: the model gets what a switch would have counted, and
// sends packets accordingly.
import t from 'tap';
import { keyOf } from '../../model/ambiguity.js';
import type { FlowCount } from '../../domain/switching.js';
import { openModel, type ModelTestbed } from './model-testbed.js';

const ports = [1, 2, 3, 4].map((ofport) => ({
  kind: 'endpoint' as const,
  name: `p${ofport}`,
  ofport,
}));

/**
 * Where frames come out that go into port 2, one call each, when switches have counted so many
 * packets for flows in the end, and what the model counts then.
 */
async function play(
  flows: readonly string[],
  seen: Readonly<Record<string, number>>,
  calls = 1,
): Promise<{
  readonly ports: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly asked: number;
}> {
  const model: ModelTestbed = openModel({
    nodes: [
      {
        node: 'n1',
        bridges: [{ name: 'br0', mac: '02:00:00:00:00:fe', ports, flows, groups: [] }],
        hosts: [],
      },
    ],
  });
  let asked = 0;
  const steps = [];
  const nameOf = (match: string, table: number): string =>
    `${table}${match === '' ? '' : `,${match}`}`;
  for (let nth = 0; nth < calls; nth++) {
    const [step] = await model.call(
      [{ kind: 'receive', node: 'n1', port: 'p2', frames: [new Uint8Array(60)] }],
      {
        flowCounts: (candidates) => {
          asked++;
          return Promise.resolve(
            candidates.map(({ flow }) => seen[nameOf(flow.match, flow.table)] ?? 0),
          );
        },
        connections: () => Promise.resolve([]),
      },
    );
    steps.push(step);
  }
  const counts = Object.fromEntries(
    (await model.counts()).map(({ flow, packets }) => [nameOf(flow.match, flow.table), packets]),
  );
  return {
    ports: steps.map((step) => step?.outputs.map(({ port }) => port).join(' ') ?? ''),
    counts,
    asked,
  };
}

const overlap = ['priority=5,actions=drop', 'priority=5,in_port=2,actions=output:3,resubmit(4,0)'];

void t.test('the one that counted more', async (t) => {
  t.strictSame(await play(overlap, { 0: 1 }), {
    ports: [''],
    counts: { 0: 1, '0,in_port=2': 0 },
    asked: 1,
  });
  t.strictSame((await play(overlap, {})).ports, [''], 'where none did, the first');
  t.strictSame(
    (await play(['priority=5,in_port=2,actions=output:3', 'priority=5,actions=drop'], { 0: 1 }))
      .ports,
    [''],
    'wherever it stands',
  );
});

void t.test('where both did, the one whose counters come out', async (t) => {
  t.strictSame(await play(overlap, { 0: 1, '0,in_port=2': 1 }), {
    ports: ['p3'],
    counts: { 0: 1, '0,in_port=2': 1 },
    asked: 1,
  });
  t.strictSame(
    (await play(overlap, { 0: 2, '0,in_port=2': 1 })).ports,
    [''],
    'none does: the first',
  );
});

void t.test('conjunctions that tie by other parts are another question', async (t) => {
  const flows = [
    'priority=5,actions=resubmit(2,1),resubmit(4,1)',
    'table=1,priority=5,in_port=2,actions=conjunction(1,1/2)',
    'table=1,priority=5,in_port=4,actions=conjunction(2,1/2)',
    'table=1,priority=5,dl_dst=00:00:00:00:00:00,actions=conjunction(1,1/2),conjunction(2,1/2)',
    'table=1,priority=5,dl_src=00:00:00:00:00:00,actions=conjunction(1,2/2),conjunction(2,2/2)',
    'table=1,priority=5,conj_id=1,actions=output:3',
    'table=1,priority=5,conj_id=2,actions=output:4',
  ];
  const each = { '1,conj_id=1': 1, '1,conj_id=2': 1 };
  t.match(await play(flows, each), { ports: ['p3 p4'], counts: each, asked: 2 });
  t.match(await play(flows, { '1,conj_id=1': 2 }), { ports: ['p3 p3'], asked: 2 });
  t.match(await play(flows, { '1,conj_id=2': 4 }, 2), { ports: ['p4 p4', 'p4 p4'], asked: 2 });
});

void t.test('what was seen holds until flows change', async (t) => {
  const model = openModel({
    nodes: [
      {
        node: 'n1',
        bridges: [
          {
            name: 'br0',
            mac: '02:00:00:00:00:fe',
            ports,
            flows: ['priority=5,actions=drop', 'priority=5,in_port=2,actions=output:3'],
            groups: [],
          },
        ],
        hosts: [],
      },
    ],
  });
  /** The switch takes the second at first, and the first once flows have changed. */
  const seen = [
    [0, 2],
    [1, 2],
  ];
  let asked = 0;
  const oracle = {
    flowCounts: () => Promise.resolve(seen[asked++] ?? []),
    connections: () => Promise.resolve([]),
  };
  const sent = async () =>
    (
      await model.call(
        [{ kind: 'receive', node: 'n1', port: 'p2', frames: [new Uint8Array(60)] }],
        oracle,
      )
    )
      .flatMap(({ outputs }) => outputs.map(({ port }) => port))
      .join();
  const [once, again] = [await sent(), await sent()];
  await model.call(
    [{ kind: 'change', node: 'n1', bridge: 'br0', lines: ['flow add table=9,actions=drop'] }],
    oracle,
  );
  t.strictSame([once, again, await sent(), await sent(), asked], ['p3', 'p3', '', '', 2]);
});

void t.test('an ambiguity within an ambiguity', async (t) => {
  const flows = [
    'priority=5,actions=resubmit(,1)',
    'priority=5,in_port=2,actions=resubmit(,2),resubmit(4,0),resubmit(4,1)',
    'table=1,priority=5,actions=drop',
    'table=1,priority=5,in_port=2,actions=resubmit(4,1)',
    'table=2,priority=5,actions=resubmit(4,2)',
    'table=2,priority=5,in_port=2,actions=output:4,resubmit(4,2)',
    'table=2,priority=6,in_port=4,actions=drop',
  ];
  // in_port=2 wins in table 0: what the model decides in table 1 meanwhile is forgotten.
  const seen = { 0: 1, '0,in_port=2': 1, 1: 2, '2,in_port=2': 1, '2,in_port=4': 1 };
  t.match(await play(flows, seen), { ports: ['p4'], counts: seen });
});

void t.test('what was seen of a node that has joined holds', async (t) => {
  const nodePlan = (node: string) => ({
    node,
    bridges: [{ name: 'br0', mac: '02:00:00:00:00:fe', ports, flows: overlap, groups: [] }],
    hosts: [],
  });
  const model = openModel({ nodes: [nodePlan('n1')] });
  const asked: string[] = [];
  const counted = (node: string, winner: string) => ({
    flowCounts: (candidates: readonly FlowCount[]) => {
      asked.push(node);
      return asked.length > 9
        ? Promise.reject(new Error('asked again and again'))
        : Promise.resolve(candidates.map(({ flow }) => (flow.match === winner ? 1 : 0)));
    },
    connections: () => Promise.resolve([]),
  });
  const send = async (node: string, winner: string) =>
    (
      await model.call(
        [{ kind: 'receive', node, port: 'p2', frames: [new Uint8Array(60)] }],
        counted(node, winner),
      )
    ).map(({ outputs }) => outputs.map(({ port }) => port).join(' '));
  await model.reconfigure({ kind: 'join', node: 'n2', plan: nodePlan('n2') });
  t.strictSame(
    [await send('n2', 'in_port=2'), await send('n1', ''), await send('n2', '')],
    [['p3'], [''], ['p3']],
  );
  t.strictSame(asked, ['n2', 'n1'], 'once each, also when all is done again for another');
});

void t.test('flows are distinguished by bridge, table, priority and match', (t) => {
  const flow = { node: 'n1', bridge: 'a', table: 1, priority: 2, match: 'ip' };
  const others = [
    { ...flow, bridge: 'b' },
    { ...flow, table: 2 },
    { ...flow, priority: 1 },
    { ...flow, match: '' },
  ];
  t.equal(new Set([flow, ...others].map(keyOf)).size, 5);
  t.end();
});
