/**
 * Goal: a run conforms only when everything was compared and agreed; each kind of lie is named by
 * its aspect, and what the environment denies is inconclusive and never a pass. Method:
 * antrea/encap with a second model in place of real switches, which reports the truth, then one lie
 * at a time, then fails at one call or another.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import connections from '../../scenarios/antrea/connections.js';
import encap from '../../scenarios/antrea/encap.js';
import { Unavailable } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import { aspects, noCounts, verdictOn, whatIsMissing } from '../domain/verdict.js';
import { worstVerdict, type Counts } from '../domain/verdict.js';
import { firstCandidateOracle } from '../model/ambiguity.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Switches } from '../testbeds/testbed.js';
import type { VectorReport } from './judging/vector-report.js';
import type { ScenarioReport } from './records/run-report.js';
import { reportFormat, runReport, runReportSchema } from './records/run-report.js';
import { runScenario, type ScenarioRunOptions } from './run-scenario.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';

const axes = { nodes: '2', tunnel: 'geneve' };
/** Stands in for real switches: what it does not say otherwise is the model's. */
type Stand = (model: Switches) => Partial<Switches>;
const truthful: Stand = () => ({});
const openStand =
  (stand: Stand) =>
  (plan: ClusterPlan): Promise<Switches> => {
    const firstWins = openModelSwitches(plan);
    return Promise.resolve({ ...firstWins, ...stand(firstWins) });
  };

/** The scenario with `stand` as its switches, on vectors whose id is among `ids`, or all. */
async function run(
  stand: Stand,
  ids?: readonly string[],
  options: Partial<ScenarioRunOptions> = {},
  scenario: Scenario = encap,
): Promise<ScenarioReport> {
  const only =
    ids === undefined ? {} : { only: ({ id }: { readonly id: string }) => ids.includes(id) };
  const { report } = await runScenario(scenario, axes, {
    seed: 1,
    nowMs: () => 0,
    openReal: openStand(stand),
    ...only,
    ...options,
  });
  return report;
}

const across = 'ping/p1/p4';
const three = ['ping/p1/p2', across, 'spoof-ip/p1'];
const verdicts = (vectors: readonly VectorReport[]) =>
  vectors.map(({ id, verdict }) => `${id} ${verdict}`);
const shares = (counts: Counts) =>
  aspects.map((aspect) => `${aspect} ${counts[aspect].made}/${counts[aspect].expected}`);

void t.test(
  'the model conforms to itself, and everything that was expected was compared',
  async (t) => {
    const progress: string[] = [];
    const report = await run(truthful, undefined, {
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    t.equal(report.verdict, 'conforms');
    t.equal(report.vectors.length, 182);
    t.ok(
      report.vectors.every(
        ({ verdict, differences }) => verdict === 'conforms' && differences.length === 0,
      ),
    );
    t.strictSame(shares(report.counts), [
      'program 216/216',
      'intent 1092/1092',
      'frames 9923/9923',
      'silence 3943/3943',
      'packet-ins 0/0',
      'counters 19656/19656',
      'cache 182/182',
      'connections 697/697',
      'macs 1244/1244',
      'ovn-trace 0/0',
    ]);
    t.strictSame([progress[0], progress.at(-1), progress.length], ['0/182', '182/182', 183]);
  },
);

void t.test('on several clusters at once the outcome is the same, in the same order', async (t) => {
  const depth = 'cold';
  const [alone, together] = [
    await run(truthful, undefined, { depth }),
    await run(truthful, undefined, { depth, maxShards: 3 }),
  ];
  t.strictSame(together, alone);
  let opened = 0;
  const secondFails = (plan: ClusterPlan) =>
    ++opened === 2 ? Promise.reject(new Unavailable('no room', [], [])) : openStand(truthful)(plan);
  const half = await run(truthful, undefined, { depth, maxShards: 2, openReal: secondFails });
  t.strictSame([half.verdict, half.inconclusive?.cause, opened], ['inconclusive', 'no room', 2]);
  t.strictSame(
    half.vectors.map(({ verdict }) => verdict),
    half.vectors.map((_, index) => (index % 2 === 0 ? 'conforms' : 'inconclusive')),
  );
  t.ok(half.counts.program.made < half.counts.program.expected);
});

void t.test(
  'a shard whose worker ends too soon is inconclusive, and one that reports fewer vectors ' +
    'than it has is no result',
  async (t) => {
    const depth = 'cold';
    const secondIsKilled: ScenarioRunOptions['runShard'] = (shard, here) =>
      shard.index === 1 ? Promise.reject(new Unavailable('it was killed', [], [])) : here();
    const half = await run(truthful, undefined, { depth, maxShards: 2, runShard: secondIsKilled });
    t.strictSame([half.verdict, half.inconclusive?.cause], ['inconclusive', 'it was killed']);
    t.strictSame(
      half.vectors.map(({ verdict }) => verdict),
      half.vectors.map((_, index) => (index % 2 === 0 ? 'conforms' : 'inconclusive')),
    );
    const lessThanAll: ScenarioRunOptions['runShard'] = async (shard, here) => {
      const outcome = await here();
      return shard.index === 1 ? { ...outcome, judged: outcome.judged.slice(1) } : outcome;
    };
    await t.rejects(
      run(truthful, undefined, { depth, maxShards: 2, runShard: lessThanAll }),
      /a shard reports udp\/p1\/p2/,
    );
  },
);

/** Changes the steps in which a frame comes out of the `nth` port of a vector, counted from 1. */
function changing(
  nth: number,
  change: (output: SwitchStep['outputs'][number]) => SwitchStep['outputs'],
): Stand {
  return (model) => {
    let seen = 0;
    const lie = (step: SwitchStep): SwitchStep => ({
      outputs: step.outputs.flatMap((output) => (++seen === nth ? change(output) : [output])),
    });
    return {
      reset: () => {
        seen = 0;
        return model.reset();
      },
      call: async (calls) => (await model.call(calls)).map(lie),
    };
  };
}

const withByte = (frame: Uint8Array, offset: number) =>
  frame.with(offset, (frame[offset] ?? 0) ^ 1);

void t.test('each lie is named by its aspect', async (t) => {
  const lies: readonly (readonly [what: string, stand: Stand, aspect: string, summary: RegExp])[] =
    [
      [
        'a frame is dropped',
        changing(1, () => []),
        'frames',
        /^a frame is missing out of antrea-gw0 on n1 at 10 µs$/,
      ],
      [
        'a byte is altered',
        changing(6, ({ port, frame }) => [{ port, frame: withByte(frame, 22) }]),
        'frames',
        /^a frame out of uplink on n1 at 50 µs differs in ip\.ttl, ip\.checksum$/,
      ],
      [
        'a frame is doubled',
        changing(5, (output) => [output, output]),
        'frames',
        /^an unexpected frame went out of p1-f64551 on n1 at 30 µs$/,
      ],
      [
        'a late frame comes out',
        () => ({
          lateFrames: () =>
            Promise.resolve([{ node: 'n2', port: 'br-phys', frame: new Uint8Array(60) }]),
        }),
        'silence',
        /^an unexpected frame went out of br-phys on n2 at \d+ µs$/,
      ],
      [
        'a connection is forgotten',
        (model) => ({ state: async () => ({ ...(await model.state()), connections: [] }) }),
        'connections',
        /^missing connection: icmp connection src=10\.10\.1\.2,dst=10\.10\.2\.2,id=\d+,type=8,code=0 in zone 65520 on n1$/,
      ],
      [
        'a mark is changed',
        (model) => ({
          state: async () => {
            const state = await model.state();
            return {
              ...state,
              connections: state.connections.map((connection) => ({ ...connection, mark: 0x20 })),
            };
          },
        }),
        'connections',
        /^connection differs in mark: icmp/,
      ],
      [
        'a MAC moves',
        (model) => ({
          state: async () => {
            const state = await model.state();
            return {
              ...state,
              macs: state.macs.map((learned) => ({ ...learned, port: 'elsewhere' })),
            };
          },
        }),
        'macs',
        /^learned MAC differs in port: 0a:00:0a:0a:01:01 on br-int of n1$/,
      ],
      [
        'a counter is wrong',
        (model) => ({
          counts: async () =>
            (await model.counts()).map((count, index) =>
              index === 3 ? { ...count, packets: count.packets + 1 } : count,
            ),
        }),
        'counters',
        /^n_packets differs on n1 br-int, table=0, priority=190,in_port=4: expected 0, got 1$/,
      ],
    ];
  for (const [what, stand, aspect, summary] of lies) {
    const {
      verdict,
      vectors: [vector],
    } = await run(stand, [across]);
    t.equal(verdict, 'diverges', what);
    const [first, ...others] = vector?.differences ?? [];
    t.match(first, { aspect, between: 'model and switch', summary, afterDivergence: false }, what);
    t.ok(first?.at, `${what}: located`);
    t.ok(
      others.every(({ afterDivergence }) => afterDivergence),
      `${what}: the rest follows from it`,
    );
  }
  const reported = await run(
    (model) => ({
      program: async () =>
        (await model.program()).map((bridge) => ({
          ...bridge,
          flows: bridge.flows.map((flow) =>
            flow
              .replace('set_field:172.30.0.2->tun_dst', 'set_field:172.30.0.3->tun_dst')
              .replace('0xac1e0002', '0xac1e0003'),
          ),
        })),
    }),
    [across],
  );
  t.equal(reported.verdict, 'diverges', 'a flow is another');
  t.match(reported.program, [
    {
      aspect: 'program',
      summary: /^br-int on n1: table=70, priority=200,ip,nw_dst=10\.10\.2\.0\/24, in its actions$/,
    },
  ]);
  t.strictSame(
    verdicts(reported.vectors),
    [`${across} conforms`],
    'its packets went as predicted all the same',
  );

  const promising: Scenario = {
    ...encap,
    intent: () => ({ kind: 'blocked', why: 'nothing passes today' }),
  };
  const { vectors } = await run(truthful, [across], {}, promising);
  t.match(
    vectors[0]?.differences,
    [{ aspect: 'intent', between: 'intent and switch', at: {} }, { between: 'intent and model' }],
    'model and switch agree, and intent knows better',
  );
});

void t.test(
  'the cached path: a cache that answers otherwise diverges in the pass that shows it, one ' +
    'that was not seen to answer is inconclusive',
  async (t) => {
    const calls = 8;
    for (const [pass, nth] of [
      ['cold', 1],
      ['again', calls + 1],
      ['cached', 2 * calls + 1],
      ['sibling', 3 * calls + 1],
    ] as const) {
      let made = 0;
      const {
        vectors: [vector],
      } = await run(
        (model) => ({
          call: async (asked) => {
            const steps = await model.call(asked);
            return ++made === nth ? steps.map(() => ({ outputs: [] })) : steps;
          },
          // One more than the cold pass asks for.
          lookups: () => ({
            hit: Math.max(0, made - calls - 1),
            missed: Math.min(made, calls + 1),
          }),
        }),
        [across],
      );
      t.match(vector, { verdict: 'diverges', sibling: { differs: /^(ttl|to) / } }, pass);
      t.match(vector?.differences[0], { pass, aspect: 'frames', summary: /^a frame is missing/ });
      t.match(
        vector?.differences[0]?.at?.because,
        /on the wire$/,
        'counters are those of that moment: what the model did afterwards is held against nobody',
      );
      t.equal(
        vector?.counts.intent.made,
        (2 * (nth + calls - 1)) / calls,
        `${pass}: the passes after it are not played`,
      );
    }
    const cold = await run(truthful, [across], { depth: 'cold' });
    t.match(cold.vectors[0], {
      verdict: 'conforms',
      counts: { intent: { expected: 2, made: 2 }, cache: { expected: 0 } },
    });
    t.equal(cold.vectors[0]?.sibling, undefined);
    const slow = await run(() => ({ lookups: () => ({ hit: 0, missed: 0 }) }), [across]);
    t.match(slow.vectors[0], {
      verdict: 'inconclusive',
      counts: { cache: { expected: 1, made: 0 } },
      inconclusive: {
        cause: /^of the packets of the cached pass 0 met the datapaths' caches and 0 missed them/,
      },
    });
    let asked = 0;
    const missing = await run(
      () => ({ lookups: () => ({ hit: ++asked, missed: asked }) }),
      [across],
    );
    t.match(missing.vectors[0], {
      verdict: 'inconclusive',
      inconclusive: { cause: /1 met .* and 1 missed them: the cached path was not seen$/ },
    });
    let times = 0;
    const more = await run(
      () => ({ lookups: () => ({ hit: 0, missed: times * times++ }) }),
      [across],
    );
    t.match(
      more.vectors[0],
      { inconclusive: { cause: / 0 met .* and 9 missed them/ } },
      'reported are those of the cached pass: from 16 to 25',
    );
    let made = 0;
    const late = await run(
      (model) => ({
        call: (asked) => {
          made++;
          return model.call(asked);
        },
        lookups: () => ({ hit: Math.max(0, made - calls - 1), missed: Math.min(made, calls + 1) }),
        assertUndisturbed: () => Promise.resolve(),
      }),
      [across],
    );
    t.match(
      late.vectors[0],
      { verdict: 'conforms', inconclusive: undefined, counts: { cache: { expected: 1, made: 1 } } },
      'where the second pass misses it, the third is seen to meet it',
    );
  },
);

/** Fails at the `nth` call, and says so again at each that follows. */
function failingAt(
  nth: number,
  what: 'call' | 'reset' | 'counts' | 'state' | 'lateFrames' | 'program',
  used = { calls: 0, closed: 0 },
): Stand {
  return (model) => ({
    [what]: async (calls: readonly SwitchCall[]) => {
      if (++used.calls >= nth)
        throw new Unavailable('the switch is gone', ['look for it'], ['last words']);
      return await (what === 'program' ? model.program() : model[what](calls));
    },
    close: () => Promise.resolve(void used.closed++),
  });
}

void t.test(
  'what the environment denies is inconclusive, never a pass, and is not asked for twice',
  async (t) => {
    const inconclusive = {
      cause: 'the switch is gone',
      evidence: ['last words'],
      remedies: ['look for it'],
    };
    const [first, second, third] = three;
    const needed = { calls: 0, closed: 0 };
    t.equal((await run(failingAt(Infinity, 'call', needed), three)).verdict, 'conforms');
    t.equal(needed.calls, 3 * (4 + 8 + 1));
    // In every pass, at the first call and the last, and at the borders between vectors.
    for (const nth of [1, 2, 4, 5, 8, 9, 12, 13, 20, 21, 28, 29, 36, 37, 38, 39]) {
      const used = { calls: 0, closed: 0 };
      const report = await run(failingAt(nth, 'call', used), three);
      const open = report.vectors.filter(({ verdict }) => verdict === 'inconclusive');
      const expected = nth > 36 ? [third] : nth > 12 ? [second, third] : [first, second, third];
      if (
        report.verdict !== 'inconclusive' ||
        open.map(({ id }) => id).join() !== expected.join() ||
        used.calls !== nth ||
        used.closed !== 1
      )
        t.fail(
          `call ${nth}: ${verdicts(report.vectors).join(', ')}; ${used.calls} calls, closed ` +
            `${used.closed} times`,
        );
      if (nth === 20) {
        t.match(open, [
          { inconclusive, differences: [] },
          { inconclusive, intent: { kind: 'blocked' } },
        ]);
        t.strictSame(
          shares(report.counts),
          [
            'program 108/216',
            'intent 6/22',
            'frames 33/125',
            'silence 27/91',
            'packet-ins 0/0',
            'counters 108/324',
            'cache 1/3',
            'connections 4/10',
            'macs 5/17',
            'ovn-trace 0/0',
          ],
          'what was expected is reported by the model',
        );
      }
    }
    // Counters are asked for twice a vector: before it and behind it.
    for (const [what, nth] of [
      ['reset', 2],
      ['counts', 3],
      ['state', 2],
      ['lateFrames', 2],
    ] as const)
      t.strictSame(
        verdicts((await run(failingAt(nth, what), three)).vectors),
        [`${first} conforms`, `${second} inconclusive`, `${third} inconclusive`],
        what,
      );

    const closed = { calls: 0, closed: 0 };
    for (const options of [
      {
        openReal: () =>
          Promise.reject(new Unavailable('the switch is gone', ['look for it'], ['last words'])),
      },
      { openReal: openStand(failingAt(1, 'program', closed)) },
    ]) {
      const report = await run(truthful, three, options);
      t.match(report, { verdict: 'inconclusive', inconclusive, program: [] });
      t.strictSame(shares(report.counts), [
        'program 0/216',
        'intent 0/24',
        'frames 0/136',
        'silence 0/100',
        'packet-ins 0/0',
        'counters 0/324',
        'cache 0/3',
        'connections 0/10',
        'macs 0/17',
        'ovn-trace 0/0',
      ]);
      t.strictSame(
        verdicts(report.vectors),
        three.map((id) => `${id} inconclusive`),
      );
    }
    t.equal(closed.closed, 1);

    const atTheEnd = await run(failingAt(2, 'program'), three);
    t.match(
      atTheEnd,
      {
        verdict: 'inconclusive',
        inconclusive,
        program: [],
        counts: { program: { expected: 216, made: 108 } },
      },
      'the flows at the end',
    );
    t.strictSame(
      verdicts(atTheEnd.vectors),
      three.map((id) => `${id} conforms`),
    );
  },
);

void t.test('the program is compared at the end as at the beginning', async (t) => {
  /** The switches hold it otherwise from the `nth` time on that they are asked. */
  const from =
    (nth: number, change: (flows: readonly string[]) => readonly string[]): Stand =>
    (model) => {
      let asked = 0;
      return {
        program: async () =>
          (await model.program()).map((held, index) =>
            index === 0 && asked++ >= nth ? { ...held, flows: change(held.flows) } : held,
          ),
      };
    };
  const extra = 'table=200, priority=7 actions=drop';
  const at = async (nth: number) =>
    await run(
      from(nth, (flows) => [...flows, extra]),
      three,
    );
  const [never, late, always] = [await at(2), await at(1), await at(0)];
  t.match(never, { verdict: 'conforms', program: [] });
  t.match(late, {
    verdict: 'diverges',
    program: [
      {
        aspect: 'program',
        summary: 'at the end: br-int on n1: table=200, priority=7',
        expected: 'no such flow',
        actual: extra,
      },
    ],
  });
  t.strictSame(
    verdicts(late.vectors),
    three.map((id) => `${id} conforms`),
    'no packet met it',
  );
  t.strictSame(
    always.program.map(({ summary }) => summary),
    ['br-int on n1: table=200, priority=7'],
    'what was so before is not reported again',
  );
  t.match(
    (
      await run(
        from(1, (flows) => flows.slice(1)),
        three,
      )
    ).program,
    [{ summary: /^at the end: br-int on n1: table=/, actual: 'no such flow' }],
  );
  const doubled = changing(2, (output) => [output, output]);
  const apart: Stand = (model) => ({
    ...doubled(model),
    ...from(2, (flows) => [...flows, extra])(model),
  });
  t.match(
    await run(apart, three.slice(0, 1)),
    { program: [{ summary: /^at the end: / }], vectors: [{ verdict: 'diverges' }] },
    'also where the last vector parts',
  );
});

void t.test('what model or intent do not know costs one vector', async (t) => {
  const frame = {
    src: '0a:00:0a:0a:01:02',
    dst: '0a:00:0a:0a:01:01',
    payload: { kind: 'other', etherType: 0x0800, hex: '45' },
  } as const;
  const unpromised = {
    id: 'raw',
    stimulus: { kind: 'frame', from: 'p1', what: 'raw bytes', frame },
  } as const;
  const report = await run(
    truthful,
    [...three, 'raw'],
    {},
    { ...encap, vectors: (topology) => [unpromised, ...encap.vectors(topology)] },
  );
  t.strictSame(verdicts(report.vectors), [
    'raw inconclusive',
    ...three.map((id) => `${id} conforms`),
  ]);
  t.match(report.vectors[0], {
    intent: { kind: 'unknown' },
    inconclusive: { cause: /^nothing is promised about/ },
    counts: { intent: { expected: 8, made: 0 } },
  });
  t.equal(report.verdict, 'inconclusive');
  const unknown = await run(
    truthful,
    three,
    {},
    {
      ...encap,
      controlPlane: {
        ...encap.controlPlane,
        plan: (topology) => {
          const plan = encap.controlPlane.plan(topology);
          return {
            nodes: plan.nodes.map((node) => ({
              ...node,
              bridges: node.bridges.map((bridge) =>
                bridge.name === 'br-int'
                  ? {
                      ...bridge,
                      flows: [
                        ...bridge.flows,
                        'table=70,priority=300,ip,nw_src=10.10.1.2,nw_dst=10.10.2.2 ' +
                          'actions=check_pkt_larger(100)->NXM_NX_PKT_MARK[0]',
                      ],
                    }
                  : bridge,
              ),
            })),
          };
        },
      },
    },
  );
  t.strictSame(
    verdicts(unknown.vectors),
    [`${three[0]} conforms`, `${across} inconclusive`, `${three[2]} conforms`],
    'an output that the model does not know',
  );
  t.match(unknown.vectors[1], {
    inconclusive: { cause: /does not know the value of the bit/ },
    counts: { intent: { expected: 2, made: 0, skipped: 0 }, frames: { expected: 0 } },
  });
});

void t.test('verdicts', async (t) => {
  const both = await run((model) => {
    const doubled = changing(2, (output) => [output, output])(model);
    return { ...doubled, ...failingAt(12, 'call')({ ...model, ...doubled }) };
  }, three);
  t.strictSame(verdicts(both.vectors), [
    `${three[0]} diverges`,
    `${across} inconclusive`,
    `${three[2]} inconclusive`,
  ]);
  t.equal(both.verdict, 'diverges', 'a divergence stands whatever is inconclusive beside it');
  t.match(await run(truthful, []), {
    verdict: 'inconclusive',
    vectors: [],
    inconclusive: { cause: 'there was no vector to run' },
  });
  t.equal(worstVerdict([]), 'inconclusive');
  t.equal(worstVerdict(['conforms', 'inconclusive', 'diverges']), 'diverges');

  const short = (made: number, skipped: number): Counts => ({
    ...noCounts,
    frames: { expected: 3, made, skipped },
  });
  t.strictSame(
    [
      verdictOn([], short(3, 0)),
      verdictOn([], short(2, 1)),
      verdictOn([], short(2, 0)),
      verdictOn([], short(3, 1)),
    ],
    ['conforms', 'conforms', 'inconclusive', 'inconclusive'],
  );
  t.equal(verdictOn(both.vectors[0]?.differences ?? [], short(2, 0)), 'diverges');
  t.equal(
    whatIsMissing({ ...short(2, 0), silence: { expected: 9, made: 0, skipped: 1 } }),
    'only 2 of 3 comparisons of frames and 0 of 9 comparisons of silence were made',
  );
});

void t.test('our own bugs are thrown, and the switches are closed', async (t) => {
  let closed = 0;
  const stand: Stand = () => ({
    call: () => Promise.reject(new TypeError('a bug')),
    close: () => Promise.resolve(void closed++),
  });
  await t.rejects(run(stand, three), { name: 'TypeError', message: 'a bug' });
  t.equal(closed, 1);
});

void t.test(
  'what is sent depends on the seed and the vector alone; the trace hash on what was observed',
  async (t) => {
    const sent = async (ids: readonly string[], seed: number, scenario: Scenario = encap) => {
      const frames: string[] = [];
      const report = await run(
        (model) => ({
          call: (calls) => {
            frames.push(
              ...calls.flatMap((call) =>
                call.kind === 'receive'
                  ? call.frames.map((frame) => Buffer.from(frame).toString('hex'))
                  : [],
              ),
            );
            return model.call(calls);
          },
        }),
        ids,
        { seed },
        scenario,
      );
      return { frames: frames.join(' '), traceHash: report.traceHash };
    };
    const alone = await sent([across], 1);
    t.strictSame(await sent([across], 1), alone);
    t.match((await sent(three, 1)).frames, alone.frames, 'whatever else runs');
    const other = await sent([across], 2);
    t.not(other.frames, alone.frames);
    t.not(other.traceHash, alone.traceHash);
    const renamed: Scenario = {
      ...encap,
      vectors: (topology) =>
        encap
          .vectors(topology)
          .map((vector) => (vector.id === across ? { ...vector, id: 'renamed' } : vector)),
    };
    t.not(
      (await sent(['renamed'], 1, renamed)).frames,
      alone.frames,
      'another vector sends other bytes',
    );

    const observed: readonly (readonly [string, Stand])[] = [
      [
        'a byte',
        changing(5, ({ port, frame }) => [{ port, frame: withByte(frame, frame.length - 1) }]),
      ],
      ['a frame', changing(5, (output) => [output, output])],
      [
        'a counter',
        (model) => ({
          counts: async () =>
            (await model.counts()).map((count, index) =>
              index === 3 ? { ...count, packets: 1 } : count,
            ),
        }),
      ],
    ];
    for (const [what, stand] of observed)
      t.not((await run(stand, [across])).traceHash, alone.traceHash, what);
  },
);

void t.test(
  'a report is what its schema says, and docs/run.schema.json is that schema',
  async (t) => {
    const scenarios = [
      await run(truthful, three),
      await run(
        changing(1, () => []),
        three,
      ),
      await run(failingAt(3, 'call'), three),
    ];
    const whole = {
      schema: reportFormat,
      again: './flowbed run',
      seed: 1,
      backend: 'model',
      image: 'none',
      imageDigest: '',
      versions: {},
      verdict: 'diverges',
      traceHash: scenarios[0]?.traceHash,
      counts: scenarios[0]?.counts,
      scenarios,
    };
    t.strictSame(
      runReport.parse(JSON.parse(JSON.stringify(whole))),
      whole,
      'with nothing that the schema does not name',
    );
    t.throws(() => runReport.parse({ ...whole, verdict: 'passes' }));
    t.equal(
      await readFile(new URL('../../../docs/run.schema.json', import.meta.url), 'utf8'),
      runReportSchema(),
      'if the schema was meant to change: npm run schema',
    );
  },
);

void t.test(
  'where flows tie, the one that the switches took is predicted, whichever it is, and nothing else',
  async (t) => {
    const id = 'amid/out-of-window/answerer/n1/p1';
    const standing =
      (which: number) =>
      async (plan: ClusterPlan): Promise<Switches> => {
        const model = openModel(plan);
        return await Promise.resolve({
          ...model,
          call: (calls) =>
            model.call(calls, {
              ...firstCandidateOracle,
              flowCounts: (candidates) =>
                Promise.resolve(
                  candidates.map(({ packets }, index) => packets + (index === which ? 1 : 0)),
                ),
            }),
          lookups: () => ({ hit: model.traces().length, missed: 0 }),
          assertUndisturbed: () => Promise.resolve(),
        });
      };
    const frames = [];
    for (const which of [0, 1]) {
      const report = await run(truthful, [id], { openReal: standing(which) }, connections);
      t.equal(report.verdict, 'conforms', `candidate ${which}`);
      frames.push(report.counts.frames.made);
    }
    t.not(frames[0], frames[1], 'one drops the segment, the other lets it through');
    const neither = await run(
      (model) => ({
        counts: async () =>
          (await model.counts()).map((count) =>
            count.flow.table === 31 ? { ...count, packets: 0 } : count,
          ),
      }),
      [id],
      {},
      connections,
    );
    t.equal(neither.verdict, 'diverges', 'a switch that counts none of them');
  },
);
