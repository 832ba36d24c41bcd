/**
 * Goal: what is played in a batch goes through the switches as it would alone, in as few calls as
 * there can be, and whatever the switches do differently from the model. Method: both sides are
 * scripts on wires between hosts; each vector is held to what it does alone, and one answer changed
 * at a time.
 */
import t from 'tap';
import { runStimulus } from '../fabric/fabric.js';
import { memoriesOf } from '../fabric/stack/host.js';
import type { Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { FabricCall, PacketIn, SwitchCall, SwitchStep } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import { openModel, type ModelTestbed } from '../testbeds/model/model-testbed.js';
import { firstCandidateOracle, type Oracle } from '../model/ambiguity.js';
import { drawsFor } from './vector-randomness.js';
import { playBatchPass, type BatchedStimulus, type BatchPassResult } from './play-batch-pass.js';

const mac = (index: number) => `02:00:00:00:00:0${index}`;
const host = (name: string, index: number): HostPlan => ({
  name,
  kind: 'pod',
  routes: [],
  interfaces: [
    {
      name: 'eth0',
      port: `port-${name}`,
      mac: mac(index),
      ip: `10.0.0.${index}`,
      prefixLength: 24,
    },
  ],
});
const uplink = (index: number) => ({
  name: 'br',
  mac: mac(index),
  flows: [],
  ports: [{ kind: 'uplink' as const, name: 'uplink', ofport: 1, mac: mac(index) }],
});
const plan: ClusterPlan = {
  nodes: [
    { node: 'n1', bridges: [uplink(7)], hosts: [host('a', 1), host('b', 2)] },
    { node: 'n2', bridges: [uplink(8)], hosts: [host('c', 3), host('d', 4)] },
  ],
  externalHosts: [
    {
      name: 'e',
      kind: 'external',
      routes: [],
      interfaces: [{ name: 'eth0', mac: mac(5), ip: '10.0.0.5', prefixLength: 24 }],
    },
  ],
};
const known = new Map(
  [
    ['a', 2],
    ['b', 1],
    ['c', 4],
    ['d', 3],
  ].map(([name, other]) => [String(name), new Map([[`10.0.0.${other}`, mac(Number(other))]])]),
);

/** What comes out of a port where the frame goes that came into another one. */
const ends: Readonly<Record<string, string>> = {
  'port-a': 'port-b',
  'port-b': 'port-a',
  'port-c': 'port-d',
  'port-d': 'port-c',
};
type Script = (call: SwitchCall) => SwitchStep;
const wires: Script = (call) => ({
  outputs:
    call.kind !== 'receive'
      ? []
      : call.frames.map((frame) => ({
          port: ends[call.port] ?? (call.node === 'n1' ? 'port-a' : 'port-c'),
          frame,
        })),
});

const sendings = (...stimuli: readonly Stimulus[]): readonly BatchedStimulus[] =>
  stimuli.map((stimulus, index) => ({ stimulus, draws: drawsFor(index, 'x') }));
const several = sendings(
  { kind: 'ping', from: 'c', to: '10.0.0.4' },
  { kind: 'udp', from: 'b', to: '10.0.0.1', port: 9 },
  { kind: 'ping', from: 'a', to: '10.0.0.2' },
  {
    kind: 'frame',
    from: 'e',
    what: 'to all nodes',
    frame: {
      src: mac(5),
      dst: 'ff:ff:ff:ff:ff:ff',
      payload: { kind: 'other', etherType: 0x88b5, hex: '00' },
    },
  },
  { kind: 'udp', from: 'a', to: '10.0.0.2', port: 7 },
);

function alone({ stimulus, draws }: BatchedStimulus): Observation {
  const fabric = runStimulus(plan, stimulus, draws, memoriesOf(known));
  let asks = fabric.next();
  while (asks.done !== true) asks = fabric.next(asks.value.map(wires));
  return asks.value;
}

/** Both sides, and what each was asked, a line a call. */
async function play(
  all: readonly BatchedStimulus[],
  onModel: Script = wires,
  onReal: Script = wires,
): Promise<{
  readonly together: BatchPassResult;
  readonly asked: Readonly<Record<'model' | 'real', readonly string[]>>;
}> {
  const asked = { model: [] as string[], real: [] as string[] };
  const text = (call: SwitchCall) =>
    call.kind === 'receive'
      ? `${call.node} ${call.port} ${call.frames.length}`
      : call.kind === 'advance'
        ? `${call.node} ${call.ms} ms`
        : call.kind;
  const side = (name: 'model' | 'real', script: Script): ModelTestbed => ({
    ...openModel({ nodes: [] }),
    call: (calls: readonly SwitchCall[]) => {
      asked[name].push(calls.map(text).join(', '));
      return Promise.resolve(calls.map(script));
    },
  });
  return {
    together: await playBatchPass(side('model', onModel), side('real', onReal), plan, all, known),
    asked,
  };
}

void t.test('each does what it does alone, in calls of one port a node', async (t) => {
  const { together, asked } = await play(several);
  t.strictSame(together, { kind: 'alike', observations: several.map(alone) });
  t.strictSame(asked.real, [
    'n2 port-c 1, n1 port-b 1',
    'n2 uplink 1, n1 port-a 2',
    'n1 uplink 1',
    'n2 port-d 1, n1 port-b 2',
  ]);
  t.strictSame(
    asked.model,
    [
      'n2 port-c 1',
      'n1 port-b 1',
      'n2 uplink 1',
      'n1 port-a 1',
      'n1 port-a 1',
      'n1 uplink 1',
      'n2 port-d 1',
      'n1 port-b 1',
      'n1 port-b 1',
    ],
    'the model takes frames one by one',
  );
  t.strictSame((await play([])).together, { kind: 'alike', observations: [] });
});

void t.test('time passes for all of them, once nobody sends', async (t) => {
  const patient = sendings(
    { kind: 'calls', protocol: 'UDP', from: 'a', to: '10.0.0.2', port: 7, count: 3, everyMs: 300 },
    { kind: 'ping', from: 'c', to: '10.0.0.9' },
    { kind: 'ping', from: 'b', to: '10.0.0.1' },
  );
  const { together, asked } = await play(patient);
  t.strictSame(together, { kind: 'alike', observations: patient.map(alone) });
  const waits = (lines: readonly string[]) => lines.filter((line) => line.endsWith('ms'));
  t.strictSame(
    waits(asked.real),
    [300, 300, 400, 1000, 1000].map((ms) => `n1 ${ms} ms, n2 ${ms} ms`),
  );
  t.strictSame(waits(asked.model), waits(asked.real));
});

/** The script's outputs at one port, changed. */
const at =
  (
    node: string,
    port: string,
    change: (outputs: SwitchStep['outputs']) => SwitchStep['outputs'],
  ): Script =>
  (call) => {
    const step = wires(call);
    return call.kind === 'receive' && call.node === node && call.port === port
      ? { ...step, outputs: change(step.outputs) }
      : step;
  };
const ending = (byte: number) => (outputs: SwitchStep['outputs']) =>
  outputs.map(({ port, frame }) => ({ port, frame: frame.with(-1, byte) }));
const twice = (outputs: SwitchStep['outputs']) => [
  ...outputs,
  ...outputs.map(({ frame }) => ({ port: 'port-x', frame })),
];

void t.test('where both sides do the same, and where they do not', async (t) => {
  const cases: readonly (readonly [what: string, model: Script, real: Script, where?: string])[] = [
    [
      'in another order',
      at('n1', 'port-a', twice),
      at('n1', 'port-a', (outputs) => twice(outputs).reverse()),
    ],
    [
      'the other way round',
      at('n1', 'port-a', (outputs) => twice(outputs).reverse()),
      at('n1', 'port-a', twice),
    ],
    [
      'nothing comes out',
      wires,
      at('n1', 'port-a', () => []),
      'what came out of n1 when 2 frames went into port-a',
    ],
    [
      'one of two does',
      wires,
      at('n1', 'port-a', (outputs) => outputs.slice(1)),
      'what came out of n1 when 2 frames went into port-a',
    ],
    [
      'more comes out',
      wires,
      at('n1', 'port-b', (outputs) => [...outputs, ...outputs]),
      'what came out of n1 when 1 frames went into port-b',
    ],
    [
      'out of another port',
      wires,
      at('n2', 'port-c', (outputs) => outputs.map(({ frame }) => ({ port: 'port-x', frame }))),
      'what came out of n2 when 1 frames went into port-c',
    ],
    [
      'another byte',
      at('n1', 'port-b', ending(0x80)),
      at('n1', 'port-b', ending(0x81)),
      'what came out of n1 when 1 frames went into port-b',
    ],
    [
      'late',
      wires,
      at('n2', 'uplink', () => []),
      'what came out of n2 when 1 frames went into uplink',
    ],
  ];
  for (const [what, model, real, where] of cases)
    t.match(
      (await play(several, model, real)).together,
      where === undefined ? { kind: 'alike' } : { kind: 'diverged', where },
      what,
    );
});

const packetIn: PacketIn = {
  bridge: 'br',
  controller: 0,
  reason: 'action',
  table: 0,
  cookie: 0n,
  length: 0,
  frame: new Uint8Array(),
  metadata: '',
  userdata: [],
  paused: false,
};

void t.test('what nobody can distinguish is refused', async (t) => {
  const reporting =
    (kind: FabricCall['kind']): Script =>
    (call) => ({
      ...wires(call),
      ...(call.kind === kind && call.node === 'n2' ? { packetIns: [packetIn] } : {}),
    });
  const speaking: Script = (call) =>
    call.kind === 'advance' && call.node === 'n2'
      ? { outputs: [{ port: 'port-c', frame: new Uint8Array(60) }] }
      : wires(call);
  const silent: Script = (call) => ({ ...wires(call), packetIns: [] });
  t.match(
    (await play(several, silent, silent)).together,
    { kind: 'alike' },
    'controllers listen, and get nothing',
  );
  await t.rejects(play(several, reporting('receive')), {
    name: 'Unsupported',
    message: /^controllers get packet-ins/,
  });
  t.strictSame((await play(several, wires, reporting('receive'))).together, {
    kind: 'diverged',
    where: 'packet-ins',
  });
  const waiting = sendings({ kind: 'ping', from: 'c', to: '10.0.0.9' });
  for (const script of [reporting('advance'), speaking])
    for (const sides of [
      [script, wires],
      [wires, script],
    ])
      await t.rejects(play(waiting, ...sides), {
        name: 'Unsupported',
        message: /^frames came out while time passed/,
      });
});

void t.test(
  'what is nondeterministic the switch is asked once it has the packet, and those before it',
  async (t) => {
    const ports = ['a', 'b', 'c'].map((name, index) => ({
      kind: 'endpoint' as const,
      name: `port-${name}`,
      ofport: index + 1,
    }));
    const flows = [
      'priority=1,ip,in_port=1 actions=2',
      'priority=9,udp,nw_src=10.0.0.1 actions=load:2->NXM_NX_REG0[],goto_table:1',
      'priority=9,udp,nw_dst=10.0.0.2 actions=load:3->NXM_NX_REG0[],goto_table:1',
      'table=1,priority=9,udp,nw_src=10.0.0.1 actions=output:NXM_NX_REG0[]',
      'table=1,priority=9,udp,nw_dst=10.0.0.2 actions=dec_ttl,output:NXM_NX_REG0[]',
    ];
    const tied: ClusterPlan = {
      nodes: [
        {
          node: 'n1',
          hosts: [host('a', 1), host('b', 2), host('c', 3)],
          bridges: [{ name: 'br', mac: mac(7), flows, ports }],
        },
      ],
    };
    const [ping, udp] = [
      { kind: 'ping', from: 'a', to: '10.0.0.2' },
      { kind: 'udp', from: 'a', to: '10.0.0.2', port: 9 },
    ] as const;
    const played = async (
      all: readonly BatchedStimulus[],
      winner: number,
      lie: (step: SwitchStep, nth: number) => SwitchStep = (step) => step,
    ) => {
      const [model, switches] = [openModel(tied), openModel(tied)];
      const took: Oracle = {
        ...firstCandidateOracle,
        flowCounts: (candidates) =>
          Promise.resolve(
            candidates.map(({ packets }, index) => packets + (index === winner ? 1 : 0)),
          ),
      };
      const sizes: number[] = [];
      const real = {
        ...switches,
        call: async (calls: readonly SwitchCall[]) => {
          sizes.push(
            ...calls.flatMap((call) =>
              call.kind === 'receive' && call.port === 'port-a' ? [call.frames.length] : [],
            ),
          );
          return (await switches.call(calls, took)).map((step) => lie(step, sizes.length));
        },
      };
      return { ...(await playBatchPass(model, real, tied, all, known)), sizes };
    };
    for (const [all, expected] of [
      [sendings(ping, udp, udp, ping), [2, 2]],
      [sendings(udp, ping), [1, 1]],
      [sendings(ping, ping, udp), [3]],
      [sendings(ping, ping), [2]],
    ] as const) {
      for (const [winner, port] of [
        [0, 'port-b'],
        [1, 'port-c'],
      ] as const) {
        const { sizes, ...outcome } = await played(all, winner);
        t.same(
          sizes.slice(0, expected.length + 1),
          expected,
          'as far as the first of them, once; then it is known, and nothing is called with nothing',
        );
        if (outcome.kind !== 'alike') return t.fail(outcome.where);
        all.forEach(({ stimulus }, index) => {
          t.same(
            outcome.observations[index]?.frames
              .filter(({ direction }) => direction === 'out')
              .map((frame) => frame.port)[0],
            stimulus.kind === 'udp' ? port : 'port-b',
          );
        });
      }
    }
    const several = sendings(ping, udp, udp, ping);
    for (const nth of [1, 2, 3, 4]) {
      let seen = 0;
      t.match(
        await played(several, 0, ({ outputs }) => ({
          outputs: outputs.filter(() => ++seen !== nth),
        })),
        { kind: 'diverged', where: 'what came out of n1 when 4 frames went into port-a' },
        `without frame ${nth}`,
      );
    }
    for (const part of [1, 2])
      t.match(
        await played(several, 0, (step, nth) =>
          nth === part ? { ...step, packetIns: [packetIn] } : step,
        ),
        { kind: 'diverged', where: 'packet-ins' },
        `behind part ${part}`,
      );
    return undefined;
  },
);
