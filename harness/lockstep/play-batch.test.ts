/**
 * Goal: before vectors are played in a batch, whoever will need a neighbour asks for it, once;
 * behind them, what switches counted, remember and send late is held to the model. Method: a
 * node, two pods and a host outside behind a switch that learns; a second model in place of real
 * switches, with one thing otherwise.
 */
import t from 'tap';
import { sha256 } from '../base/files/digest.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan, InterfacePlan } from '../domain/plan/host-plan.js';
import type { CacheLookups } from '../domain/switching.js';
import { passNames, type Stimulus, type TestVector } from '../domain/test-vector.js';
import { noCounts } from '../domain/verdict.js';
import { dissect } from '../packet/dissect/dissect.js';
import { openModel, type ModelTestbed } from '../testbeds/model/model-testbed.js';
import type { Switches } from '../testbeds/testbed.js';
import { playBatch, type BatchResult, type PlannedVector } from './play-batch.js';
import { canonicalTrace } from './canonical-trace.js';

const over = (name: string, ip: string, prefixLength: number, port?: string): InterfacePlan => ({
  name,
  ...(port === undefined ? {} : { port }),
  mac: `02:00:${ip
    .split('.')
    .map((byte) => Number(byte).toString(16).padStart(2, '0'))
    .join(':')}`,
  ip,
  prefixLength,
});
const pod = (name: string, ip: string): HostPlan => ({
  name,
  kind: 'pod',
  interfaces: [over('eth0', ip, 24, name)],
  routes: [{ destination: '0.0.0.0/0', via: '10.0.0.1', interface: 'eth0', onlink: false }],
});
const plan: ClusterPlan = {
  nodes: [
    {
      node: 'n1',
      hosts: [
        pod('p2', '10.0.0.2'),
        pod('p3', '10.0.0.3'),
        {
          name: 'n1',
          kind: 'linux-node',
          routes: [],
          interfaces: [over('gw0', '10.0.0.1', 24, 'gw0'), over('eth0', '172.30.0.1', 16, 'br-up')],
        },
      ],
      bridges: [
        {
          name: 'br-int',
          mac: '02:00:00:00:00:01',
          flows: ['actions=goto_table:1', 'table=1,actions=NORMAL'],
          ports: [
            { kind: 'internal', name: 'gw0', ofport: 2, mac: '02:00:0a:00:00:01' },
            { kind: 'endpoint', name: 'p2', ofport: 3 },
            { kind: 'endpoint', name: 'p3', ofport: 4 },
          ],
        },
        {
          name: 'br-up',
          mac: '02:00:ac:1e:00:01',
          flows: ['actions=NORMAL'],
          ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: '02:00:ac:1e:00:01' }],
        },
      ],
    },
  ],
  externalHosts: [
    { name: 'x9', kind: 'external', interfaces: [over('eth0', '172.30.0.9', 16)], routes: [] },
  ],
};
const vectors: readonly TestVector[] = [
  { id: 'between pods', stimulus: { kind: 'ping', from: 'p2', to: '10.0.0.3' } },
  { id: 'the same way', stimulus: { kind: 'udp', from: 'p2', to: '10.0.0.3', port: 7 } },
  { id: 'outwards', stimulus: { kind: 'udp', from: 'p2', to: '172.30.0.9', port: 7 } },
  { id: 'from the node', stimulus: { kind: 'ping', from: 'n1', to: '10.0.0.3' } },
  { id: 'from the node outwards', stimulus: { kind: 'ping', from: 'n1', to: '172.30.0.9' } },
  { id: 'no way', stimulus: { kind: 'ping', from: 'x9', to: '10.0.0.2' } },
  { id: 'nobody', stimulus: { kind: 'ping', from: 'p2', to: '10.0.0.77' } },
  { id: 'asks itself', stimulus: { kind: 'arp', from: 'p3', target: '10.0.0.66' } },
];

type Stand = (model: ModelTestbed) => Partial<Switches>;
const truthful: Stand = () => ({});
const cold = ({ id, stimulus }: TestVector): PlannedVector => ({
  id,
  passes: [{ name: 'cold', stimulus }],
});
const play = (
  stand: Stand,
  onModel: (model: ModelTestbed) => Partial<ModelTestbed> = () => ({}),
  planned: readonly PlannedVector[] = vectors.map(cold),
): Promise<BatchResult> => {
  const [model, real] = [openModel(plan), openModel(plan)];
  return playBatch(
    { ...model, ...onModel(model) },
    {
      ...real,
      lookups: () => ({ hit: 0, missed: 0 }),
      assertUndisturbed: () => Promise.resolve(),
      ...stand(real),
    },
    plan,
    planned,
    1,
  );
};

/** `10.0.0.2 asks for 10.0.0.3`; undefined for what is no ARP request. */
function question(frame: Uint8Array): string | undefined {
  const fields = new Map(dissect(frame).map(({ name, value }) => [name, value]));
  return fields.get('arp.op') === '1'
    ? `${fields.get('arp.spa')} asks for ${fields.get('arp.tpa')}`
    : undefined;
}

void t.test('neighbours are asked for first', async (t) => {
  const sent: (string | undefined)[] = [];
  const played = await play(({ call }) => ({
    call: (calls) => {
      sent.push(
        ...calls.flatMap((one) => (one.kind === 'receive' ? one.frames.map(question) : [])),
      );
      return call(calls);
    },
  }));
  if (played.kind !== 'alike') return t.fail(played.kind);
  t.same(
    sent.filter((text) => text !== undefined),
    [
      '10.0.0.2 asks for 10.0.0.3',
      '10.0.0.2 asks for 10.0.0.1',
      '10.0.0.2 asks for 10.0.0.77',
      '10.0.0.3 asks for 10.0.0.2',
      '10.0.0.3 asks for 10.0.0.1',
      '172.30.0.1 asks for 172.30.0.9',
      '172.30.0.9 asks for 172.30.0.1',
      '10.0.0.1 asks for 10.0.0.3',
      '10.0.0.2 asks for 10.0.0.77',
      '10.0.0.2 asks for 10.0.0.77',
      // The vectors themselves.
      '10.0.0.2 asks for 10.0.0.77',
      '10.0.0.3 asks for 10.0.0.66',
      '10.0.0.2 asks for 10.0.0.77',
      '10.0.0.3 asks for 10.0.0.66',
      '10.0.0.2 asks for 10.0.0.77',
      '10.0.0.3 asks for 10.0.0.66',
    ],
  );
  t.same(
    played.passes.map((passes) =>
      passes.flatMap(({ observation: { notes } }) =>
        notes.map(({ kind, host }) => `${host} ${kind}`),
      ),
    ),
    [
      ['p3 received', 'p2 received'],
      ['p3 received', 'p2 received'],
      ['n1 dropped'],
      ['p3 received', 'n1 received'],
      ['x9 received', 'n1 received'],
      ['x9 dropped'],
      ['p2 unresolved'],
      ['p3 unresolved'],
    ],
  );
  return undefined;
});

void t.test('what was observed, and what was compared', async (t) => {
  const order: string[] = [];
  let left: ModelTestbed | undefined;
  const noting =
    (side: string) =>
    (model: ModelTestbed): Partial<ModelTestbed> => ({
      reset: () => {
        order.push(`${side} reset`);
        return model.reset();
      },
      call: (calls, oracle) => {
        order.push(`${side} called`);
        return model.call(calls, oracle);
      },
    });
  const played = await play((model) => {
    left = model;
    return noting('real')(model);
  }, noting('model'));
  if (played.kind !== 'alike' || left === undefined) return t.fail(played.kind);
  t.same(order.slice(0, 3), ['model reset', 'real reset', 'model called']);
  t.equal(order.filter((entry) => entry.endsWith('reset')).length, 2);
  const [counts, state] = [await left.counts(), await left.state()];
  t.same(
    played.observed,
    vectors.map(({ id }, index) => {
      const observed = (played.passes[index] ?? []).map(({ pass, observation }) => ({
        pass,
        real: observation,
      }));
      return sha256(
        canonicalTrace(
          id,
          observed,
          index === 0 ? { counts, state } : { counts: [], state: { connections: [], macs: [] } },
        ),
      );
    }),
  );
  const all = (comparisons: number) => ({ expected: comparisons, made: comparisons, skipped: 0 });
  t.same(played.counts, { ...noCounts, counters: all(3), connections: all(1), macs: all(6) });
  return undefined;
});

void t.test('what the switches do differently', async (t) => {
  /** By the last byte of its Ethernet type: IPv4, or ARP. */
  const losing =
    (type: 0 | 6): Stand =>
    ({ call }) => ({
      call: async (calls) =>
        (await call(calls)).map((step, index) => {
          const asked = calls[index];
          return asked?.kind === 'receive' && asked.frames.every((frame) => frame[13] === type)
            ? { outputs: [] }
            : step;
        }),
    });
  const counting =
    (...more: readonly number[]): Stand =>
    ({ counts }) => ({
      counts: async () =>
        (await counts()).map((count) => ({
          ...count,
          packets:
            count.packets + (count.flow.bridge === 'br-int' ? (more[count.flow.table] ?? 0) : 0),
        })),
    });
  const weighing: Stand = ({ counts }) => ({
    counts: async () =>
      (await counts()).map((count, index) =>
        index === 0 ? { ...count, bytes: count.bytes + 1 } : count,
      ),
  });
  const coming: Stand = ({ counts }) => {
    let asked = 0;
    const extra = {
      flow: { node: 'n1', bridge: 'br-int', table: 9, priority: 1, match: '' },
      packets: 0,
      bytes: 0,
    };
    return { counts: async () => [...(await counts()), ...(asked++ > 0 ? [extra] : [])] };
  };
  const remembering =
    (from: number): Stand =>
    ({ state }) => ({
      state: async () => {
        const { macs, ...rest } = await state();
        return { ...rest, macs: macs.slice(from) };
      },
    });
  const lateFrame = (node: string, port: string) => ({ node, port, frame: new Uint8Array(60) });
  const cases: readonly (readonly [what: string, stand: Stand, where: string | RegExp])[] = [
    ['neighbours are not found', losing(6), 'what came out of n1 when 3 frames went into p2'],
    ['packets are lost', losing(0), 'what came out of n1 when 1 frames went into gw0'],
    [
      'frames come late',
      () => ({
        lateFrames: () => Promise.resolve([lateFrame('n2', 'eth1'), lateFrame('n3', 'eth2')]),
      }),
      'a late frame out of eth1 on n2',
    ],
    [
      'both flows count otherwise',
      counting(1, 1),
      /^n_packets differs on n1 br-int, table=0, priority=32768: expected \d+, got \d+$/,
    ],
    [
      'one flow counts differently',
      counting(0, 1),
      /^n_packets differs on n1 br-int, table=1, priority=32768: expected \d+, got \d+$/,
    ],
    [
      'a flow counts other bytes',
      weighing,
      /^n_bytes differs on n1 br-int, table=0, priority=32768: expected \d+, got \d+$/,
    ],
    [
      'a flow comes that nobody meets',
      coming,
      'br-int on n1 holds a flow that it should not: table=9, priority=1',
    ],
    [
      'two addresses are forgotten',
      remembering(2),
      'unequal state: 02:00:0a:00:00:01 on br-int of n1',
    ],
  ];
  for (const [what, stand, where] of cases)
    t.match(await play(stand), { kind: 'diverged', where }, what);
  const ambiguous = () => ({
    ambiguousSets: () => [
      [0, 1].map((table) => ({ node: 'n1', bridge: 'br-int', table, priority: 32768, match: '' })),
    ],
  });
  t.match(
    await play(counting(1, -1), ambiguous),
    { kind: 'alike' },
    'of ambiguous flows the sum counts',
  );
  t.match(await play(counting(1, 1), ambiguous), { kind: 'diverged' });
});

void t.test('pass by pass', async (t) => {
  const ping: Stimulus = { kind: 'ping', from: 'p2', to: '10.0.0.3' };
  const udp: Stimulus = { kind: 'udp', from: 'p3', to: '10.0.0.2', port: 7 };
  const planned: readonly PlannedVector[] = [
    {
      id: 'with a sibling',
      passes: passNames.map((name) => ({
        name,
        stimulus: name === 'sibling' ? { ...ping, ttl: 63 } : ping,
      })),
    },
    {
      id: 'without',
      passes: (['cold', 'again', 'cached'] as const).map((name) => ({ name, stimulus: udp })),
    },
  ];
  /**
   * What the caches were asked, two pings, two datagrams and their four ARP frames a pass, of which
   * the first so many are missed.
   */
  const missing =
    (missed: (pass: number) => number): Stand =>
    ({ call }) => {
      let [frames, lookups]: [number, CacheLookups] = [0, { hit: 0, missed: 0 }];
      return {
        call: async (calls) => {
          for (const one of calls) {
            if (one.kind !== 'receive') continue;
            const isMissed = frames % 8 < missed(Math.floor(frames / 8));
            frames += one.frames.length;
            lookups = isMissed
              ? { ...lookups, missed: lookups.missed + one.frames.length }
              : { ...lookups, hit: lookups.hit + one.frames.length };
          }
          return await call(calls);
        },
        lookups: () => lookups,
        assertUndisturbed: () => Promise.resolve(),
      };
    };
  const passesOf = async (stand: Stand) => {
    const played = await play(stand, truthful, planned);
    return played.kind === 'alike'
      ? played.passes.map((passes) =>
          passes.map(
            ({ pass: { name }, observation, lookups }) =>
              `${name} ${observation.frames.length} ${lookups.hit}/${lookups.missed}`,
          ),
        )
      : played.kind;
  };
  t.same(await passesOf(missing((pass) => (pass < 2 ? 1 : 0))), [
    ['cold 4 7/1', 'again 4 7/1', 'cached 4 8/0', 'sibling 4 6/0'],
    ['cold 4 7/1', 'again 4 7/1', 'cached 4 8/0'],
  ]);
  t.same(
    await passesOf(missing((pass) => (pass < 1 ? 1 : 0))),
    [
      ['cold 4 7/1', 'again 4 8/0', 'sibling 4 6/0'],
      ['cold 4 7/1', 'again 4 8/0'],
    ],
    'the cache alone has answered already',
  );
  t.equal(await passesOf(missing(() => 1)), 'uncached');
  t.match(
    await play(
      truthful,
      truthful,
      planned.map(({ id, passes }) => ({ id, passes: passes.slice(0, 1) })),
    ),
    { kind: 'alike' },
    'where nothing is asked for again, nothing need be cached',
  );
});

void t.test('packets that meet a flow that learns are not played in a batch', async (t) => {
  const learning = {
    ...plan,
    nodes: plan.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) =>
        bridge.name === 'br-int'
          ? {
              ...bridge,
              flows: [
                'priority=40000,udp,actions=clone(learn(table=9,NXM_OF_ETH_SRC[])),NORMAL',
                'actions=NORMAL',
              ],
            }
          : bridge,
      ),
    })),
  };
  const unanswered: TestVector = {
    id: 'unanswered',
    stimulus: { kind: 'udp', from: 'p2', to: '10.0.0.3', port: 9 },
  };
  const together = (which: readonly string[]) => {
    const [model, real] = [openModel(learning), openModel(learning)];
    return playBatch(
      model,
      {
        ...real,
        lookups: () => ({ hit: 0, missed: 0 }),
        assertUndisturbed: () => Promise.resolve(),
      },
      learning,
      [...vectors, unanswered].filter(({ id }) => which.includes(id)).map(cold),
      1,
    );
  };
  await t.rejects(together(['between pods', 'unanswered']), {
    name: 'Unsupported',
    message:
      /^packets have met a flow that learns from them, .*: table=0, priority=40000,udp actions=clone\(learn\(/,
  });
  t.match(
    await together(['between pods', 'nobody']),
    { kind: 'alike' },
    'where none is met, they are',
  );
});
