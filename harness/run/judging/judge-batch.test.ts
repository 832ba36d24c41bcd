/**
 * Goal: vectors that are played in a batch are judged as they are alone, and whatever switches do
 * differently shows, with a verdict for each vector. Method: the cells of a small cluster under
 * policies, with a second model in place of real switches: truthful, reporting frames in another
 * order, and with one lie at a time.
 */
import t from 'tap';
import { generatedCluster } from '../../../topologies/generated/generated-policies.js';
import { Unavailable } from '../../base/errors/errors.js';
import { antrea } from '../../control/antrea/index.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import { servicesOf } from '../../kube/services/policy-ports.js';
import type { Cluster } from '../../kube/objects.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import { defineScenario, type Scenario } from '../../domain/scenario.js';
import type { FlowCount, SwitchStep } from '../../domain/switching.js';
import type { TestVector } from '../../domain/test-vector.js';
import { noCounts } from '../../domain/verdict.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { Switches } from '../../testbeds/testbed.js';
import { hostMatrix, podMatrix } from '../../vectors/policies.js';
import { coldPassOnly, batched, batchedIfMany } from '../../vectors/batched.js';
import { judgeBatch } from './judge-batch.js';
import type { Depth } from '../passes.js';
import type { ScenarioReport } from '../records/run-report.js';
import { runScenario, type ScenarioRun } from '../run-scenario.js';
import { maxBatchSize, batchesOf } from '../batches.js';
import { visiblePorts } from './visible-ports.js';
import { type RunContext } from '../run-context.js';

const cluster = generatedCluster(4, {
  nodes: 2,
  pods: 4,
  networkPolicies: 4,
  clusterNetworkPolicies: 2,
});
const services = servicesOf(cluster).filter(
  (service) => !('port' in service) || [53, 80, 9000].includes(service.port),
);
/** Enough for what switches do differently: each then has to run one by one. */
const few = batched(podMatrix(cluster, [{ protocol: 'TCP', port: 80 }]));
const cells = coldPassOnly([...podMatrix(cluster, services), ...hostMatrix(cluster, services)]);

function scenarioOf(vectors: readonly TestVector[], given: Cluster = cluster): Scenario {
  return defineScenario({
    name: 'x/cells',
    title: '',
    axes: {},
    topology: () => cluster,
    controlPlane: antrea('0.8'),
    vectors: () => vectors,
    intent: (topology, stimulus) => antreaIntent(topology === cluster ? cluster : given, stimulus),
  });
}

/**
 * Stands in for real switches: what it does not say otherwise is the model's, with the last of what
 * is ambiguous.
 */
async function run(
  vectors: readonly TestVector[],
  stand: (model: Switches) => Partial<Switches> = () => ({}),
  given: Cluster = cluster,
  onProgress: (done: number) => void = () => undefined,
  depth: Depth = 'cold',
): Promise<ScenarioReport> {
  return (await runOf(vectors, stand, given, onProgress, depth)).report;
}

async function runOf(
  vectors: readonly TestVector[],
  stand: (model: Switches) => Partial<Switches>,
  given: Cluster,
  onProgress: (done: number) => void,
  depth: Depth,
): Promise<ScenarioRun> {
  const scenario = scenarioOf(vectors, given);
  return await runScenario(
    {
      ...scenario,
      controlPlane: { ...scenario.controlPlane, plan: () => scenario.controlPlane.plan(given) },
    },
    {},
    {
      seed: 1,
      nowMs: () => 0,
      depth,
      onProgress,
      openReal: (plan) => {
        const model = openModel(plan);
        const lastWins = {
          ...firstCandidateOracle,
          flowCounts: (candidates: readonly FlowCount[]) =>
            Promise.resolve(
              candidates.map(
                ({ packets }, index) => packets + (index === candidates.length - 1 ? 1 : 0),
              ),
            ),
        };
        const switches: Switches = {
          ...model,
          call: (calls) => model.call(calls, lastWins),
          lookups: () => ({ hit: 0, missed: 0 }),
          assertUndisturbed: () => Promise.resolve(),
        };
        return Promise.resolve({ ...switches, ...stand(switches) });
      },
    },
  );
}

const verdicts = ({ vectors }: ScenarioReport) =>
  vectors.map(({ id, intent, verdict }) => `${id} ${intent.kind} ${verdict}`);

void t.test('in a batch and one by one every cell has the same verdict', async (t) => {
  const alone = await run(cells);
  const all = await run(batched(cells));
  t.equal(all.verdict, 'conforms');
  t.strictSame([...verdicts(all)].sort(), [...verdicts(alone)].sort());
  t.ok(
    verdicts(all).some((line) => line.includes('denied')) &&
      verdicts(all).some((line) => line.includes('round-trip')),
    'some pass and some do not',
  );
  t.equal(all.counts.intent.made, 2 * cells.length);
  t.equal(
    all.counts.connections.made - 2 * batchesOf(batched(cells)).length,
    alone.counts.connections.made - 2 * cells.length,
    'every connection was compared: one is expected of each, and that there are no others on ' +
      'each node',
  );
  t.ok(all.counts.counters.made < alone.counts.counters.made / 10, 'counters once for all of them');
  t.equal((await run(batched(cells))).traceHash, all.traceHash);
});

void t.test('what is reported of each', async (t) => {
  const plan = antrea('0.8').plan(cluster);
  const ports = visiblePorts(plan);
  const judged = async (
    intent: Scenario['intent'] = (topology, stimulus) => antreaIntent(topology, stimulus),
  ) => {
    const real = openModel(plan);
    const stage: RunContext = {
      scenario: { ...scenarioOf(few), intent },
      topology: cluster,
      plan,
      model: openModel(plan),
      seed: 1,
      depth: 'cold',
      onJudged: () => undefined,
    };
    const outcome = await judgeBatch(
      stage,
      {
        ...real,
        call: (calls) => real.call(calls, firstCandidateOracle),
        lookups: () => ({ hit: 0, missed: 0 }),
        assertUndisturbed: () => Promise.resolve(),
      },
      few,
      ports,
    );
    return {
      outcome,
      connections: (await real.state()).connections.length,
      macs: (await real.state()).macs.length,
      flows: (await real.counts()).length,
      put: stage.model.ambiguousSets().map((flows) => flows.length),
    };
  };
  const { outcome, connections, macs, flows, put } = await judged();
  if (outcome.kind !== 'conforms') return t.fail(outcome.kind);
  const [first, ...others] = outcome.judged.map(({ report }) => report);
  const all = (comparisons: number) => ({ expected: comparisons, made: comparisons, skipped: 0 });
  const counts = (frames: number, speaking: number) => ({
    ...noCounts,
    intent: all(2),
    frames: all(frames),
    silence: all(ports.size - speaking),
  });
  t.same(put, [2, 2], 'of two flows the sum, twice');
  t.ok(
    outcome.judged.every(
      ({ observed, record }) =>
        /^[0-9a-f]{64}$/.test(observed) && record.together?.observed === observed,
    ),
    'a digest of what was observed',
  );
  t.same(
    first?.counts,
    {
      ...counts(1, 0),
      counters: all(flows - 2),
      connections: all(connections + 2),
      macs: all(macs + 2),
    },
    'with the first, what was compared once for all of them',
  );
  const known: readonly (readonly [line: string, frames: number, speaking: number])[] = [
    ['p1.lab/p2.lab denied', 1, 0],
    ['p1.lab/p4.shop denied', 1, 0],
    ['p3/p1.lab refused', 4, 2],
    ['p3/p2.lab denied', 1, 0],
    ['p3/p4.shop denied', 1, 0],
    ['p2.lab/p1.lab refused', 8, 4],
    ['p2.lab/p3 denied', 3, 1],
    ['p2.lab/p4.shop denied', 1, 0],
    ['p4.shop/p1.lab refused', 8, 4],
    ['p4.shop/p3 denied', 3, 1],
    ['p4.shop/p2.lab denied', 1, 0],
  ];
  t.same(
    others.map((report) => [`${report.id} ${report.intent.kind} ${report.verdict}`, report.counts]),
    known.map(([line, frames, speaking]) => [`tcp-80/${line} conforms`, counts(frames, speaking)]),
  );
  const { outcome: broken } = await judged((topology, stimulus) =>
    stimulus === few[3]?.stimulus
      ? { kind: 'blocked', why: 'nothing passes' }
      : antreaIntent(topology, stimulus),
  );
  t.same(broken, {
    kind: 'diverged',
    where: 'what was promised of tcp-80/p3/p1.lab: a frame came out of p1lab-13a04c on n1',
  });
  return undefined;
});

void t.test('switches may take frames of one call in any order', async (t) => {
  const reversed = (model: Switches) => ({
    call: async (calls: Parameters<Switches['call']>[0]) =>
      (await model.call(calls)).map((step): SwitchStep => ({ outputs: step.outputs.toReversed() })),
  });
  t.equal((await run(batched(cells), reversed)).verdict, 'conforms');
});

void t.test('each lie shows', async (t) => {
  const changing =
    (nth: number, change: (frame: Uint8Array) => readonly Uint8Array[]) =>
    (model: Switches): Partial<Switches> => {
      let seen = 0;
      const lie = (step: SwitchStep): SwitchStep => ({
        outputs: step.outputs.flatMap((output) =>
          ++seen === nth ? change(output.frame).map((frame) => ({ ...output, frame })) : [output],
        ),
      });
      return { call: async (calls) => (await model.call(calls)).map(lie) };
    };
  // A lie that is reported once is reported to all of them together: alone, each conforms.
  for (const [what, stand, where] of [
    [
      'a frame is dropped',
      changing(20, () => []),
      /^what came out of n\d when \d+ frames went into /,
    ],
    ['a byte is altered', changing(20, (frame) => [frame.with(20, 7)]), /^what came out of /],
    ['a frame is doubled', changing(20, (frame) => [frame, frame]), /^what came out of /],
  ] as const) {
    const { verdict, vectors } = await run(few, stand);
    t.equal(verdict, 'diverges', what);
    t.same(
      vectors.filter(({ verdict }) => verdict !== 'conforms').map(({ id }) => id),
      [few[0]?.id],
    );
    t.match(
      vectors[0]?.differences,
      [{ aspect: 'frames', between: 'model and switch', actual: where }],
      what,
    );
  }
  let calls = 0;
  const reporting = (model: Switches): Partial<Switches> => ({
    call: async (asked) =>
      (await model.call(asked)).map(
        (step): SwitchStep =>
          ++calls === 3
            ? {
                ...step,
                packetIns: [
                  {
                    bridge: 'br-int',
                    controller: 0,
                    reason: 'action',
                    table: 0,
                    cookie: 0n,
                    length: 0,
                    frame: new Uint8Array(),
                    metadata: '',
                    userdata: [],
                    paused: false,
                  },
                ],
              }
            : step,
      ),
  });
  t.match(
    (await run(few, reporting)).vectors[0]?.differences,
    [{ actual: 'packet-ins' }],
    'a controller gets a packet',
  );
  const forgetful = (change: (model: Switches) => Partial<Switches>) => run(few, change);
  const first = async (report: Promise<ScenarioReport>) =>
    (await report).vectors.flatMap(({ differences }) => differences.map(({ aspect }) => aspect))[0];
  t.equal(
    await first(
      forgetful((model) => ({
        state: async () => ({ ...(await model.state()), connections: [] }),
      })),
    ),
    'connections',
  );
  t.equal(
    await first(
      forgetful((model) => ({
        counts: async () =>
          (await model.counts()).map((count, index) =>
            index === 3 ? { ...count, packets: count.packets + 1 } : count,
          ),
      })),
    ),
    'counters',
  );
  t.equal(
    await first(
      forgetful(() => ({
        lateFrames: () =>
          Promise.resolve([{ node: 'n2', port: 'br-phys', frame: new Uint8Array(60) }]),
      })),
    ),
    'silence',
  );
});

void t.test(
  'where switches fail nothing is reported of any of them, and nothing is asked for again',
  async (t) => {
    const alone = few.slice(0, 1).map(({ stimulus }): TestVector => ({ id: 'alone', stimulus }));
    const ending = async (last: number) => {
      let calls = 0;
      const progress: number[] = [];
      const report = await run(
        [...alone, ...few, ...alone.map((vector) => ({ ...vector, id: 'last' }))],
        (model) => ({
          call: (asked) =>
            ++calls > last
              ? Promise.reject(new Unavailable('gone', ['look'], ['why']))
              : model.call(asked),
        }),
        cluster,
        (done) => progress.push(done),
      );
      return {
        calls,
        progress: progress.at(-1),
        conforming: report.vectors.filter(({ verdict }) => verdict === 'conforms').length,
        causes: report.vectors.flatMap(({ inconclusive }) => inconclusive?.cause ?? []),
        report,
      };
    };
    const whole = await ending(Infinity);
    t.same(
      [whole.conforming, whole.progress, whole.report.verdict],
      [few.length + 2, few.length + 2, 'conforms'],
    );
    let first = 0;
    await run(alone, (model) => ({
      call: (asked) => {
        first++;
        return model.call(asked);
      },
    }));
    for (const [last, conforming] of [
      [first - 1, 0],
      [first, 1],
      [first + 1, 1],
      [whole.calls - first - 1, 1],
      [whole.calls - first, few.length + 1],
    ] as const) {
      const { calls, progress, causes, report, ...ended } = await ending(last);
      t.same(
        { calls, progress, ...ended, open: causes.length, verdict: report.verdict },
        {
          calls: last + 1,
          progress: conforming,
          conforming,
          open: few.length + 2 - conforming,
          verdict: 'inconclusive',
        },
        `behind call ${last}`,
      );
      t.same(new Set(causes), new Set(['gone']));
    }
  },
);

/** Whose caches answer whatever comes behind the cold pass. */
const caching = (model: Switches): Partial<Switches> => ({
  lookups: () => ({ hit: ++asked, missed: 0 }),
  assertUndisturbed: () => Promise.resolve(),
  reset: () => model.reset(),
});
let asked = 0;
const inAllPasses = (
  vectors: readonly TestVector[],
  stand: (model: Switches) => Partial<Switches> = () => ({}),
) =>
  runOf(
    vectors,
    (model) => ({ ...caching(model), ...stand(model) }),
    cluster,
    () => undefined,
    'all',
  );

void t.test('all passes are played in a batch, and judged', async (t) => {
  const [all, alone] = [
    await inAllPasses(few),
    await inAllPasses(few.map(({ id, stimulus }) => ({ id, stimulus }))),
  ];
  t.strictSame(verdicts(all.report), verdicts(alone.report));
  t.equal(all.report.verdict, 'conforms');
  for (const aspect of ['intent', 'cache'] as const)
    t.strictSame(all.report.counts[aspect], alone.report.counts[aspect], aspect);
  t.strictSame(
    all.report.vectors.map(({ sibling }) => sibling),
    alone.report.vectors.map(({ sibling }) => sibling),
  );
  t.ok(
    all.record.vectors.every(
      ({ real, together: kept }) =>
        real === undefined &&
        kept?.passes?.map(({ pass }) => pass.name).join() === 'cold,again,sibling',
    ),
    'the cache alone answered the second',
  );
  t.same(
    all.record.vectors.map(({ together: kept }) => kept?.left !== undefined),
    few.map((_, index) => index === 0),
    'with the first, the final state of all of them',
  );
  const left = all.record.vectors[0]?.together?.left;
  t.ok(
    (left?.counts.length ?? 0) > 20 &&
      left?.counts.every(({ packets }) => packets > 0) === true &&
      left.state.connections.length > 0,
  );
  t.ok(
    alone.record.vectors.every(
      ({ real, together: kept }) => kept === undefined && real !== undefined,
    ),
  );
  const cold = await inAllPasses(coldPassOnly(few));
  t.ok(
    cold.record.vectors.every(
      ({ together: kept }) => kept !== undefined && kept.passes === undefined,
    ),
    'of very many nothing is kept',
  );
  t.equal(cold.report.counts.intent.made, 2 * few.length);
});

void t.test('a lie in any pass shows, and a promise that is broken in one', async (t) => {
  const { record } = await inAllPasses(few);
  const frames = record.vectors
    .flatMap(
      ({ together: kept }) =>
        kept?.passes?.map(
          ({ frames }) => frames.filter(({ direction }) => direction === 'out').length,
        ) ?? [],
    )
    .reduce((sum, count) => sum + count, 0);
  const verdictOf = async (nth: number) => {
    let seen = 0;
    const { report } = await inAllPasses(few, (model) => ({
      call: async (calls) =>
        (await model.call(calls)).map(
          (step): SwitchStep => ({ outputs: step.outputs.filter(() => ++seen !== nth) }),
        ),
    }));
    return report.verdict;
  };
  for (const share of [0.1, 0.5, 0.9])
    t.equal(await verdictOf(Math.ceil(frames * share)), 'diverges', `${share}`);
  const plan = antrea('0.8').plan(cluster);
  const stage: RunContext = {
    scenario: {
      ...scenarioOf(few),
      intent: (topology, stimulus) =>
        few.some((vector) => vector.stimulus === stimulus)
          ? antreaIntent(topology, stimulus)
          : { kind: 'blocked', why: 'no sibling passes' },
    },
    topology: cluster,
    plan,
    model: openModel(plan),
    seed: 1,
    depth: 'all',
    onJudged: () => undefined,
  };
  const real = openModel(plan);
  t.match(
    await judgeBatch(
      stage,
      {
        ...real,
        call: (calls) => real.call(calls, firstCandidateOracle),
        lookups: () => ({ hit: ++asked, missed: 0 }),
        assertUndisturbed: () => Promise.resolve(),
      },
      few,
      visiblePorts(plan),
    ),
    { kind: 'diverged', where: /^what was promised of .*, sibling pass: / },
  );
});

void t.test('where the caches alone never answer, each runs one by one', async (t) => {
  const { report, record } = await runOf(
    few,
    () => ({ lookups: () => ({ hit: 0, missed: ++asked }) }),
    cluster,
    () => undefined,
    'all',
  );
  t.equal(report.verdict, 'inconclusive');
  t.ok(
    report.vectors.every(
      ({ verdict, inconclusive }) =>
        verdict === 'inconclusive' && inconclusive?.cause.endsWith('the cached path was not seen'),
    ),
  );
  t.ok(record.vectors.every(({ together: kept }) => kept === undefined));
});

void t.test('of what is ambiguous no cached pass is expected that is not played', async (t) => {
  const opened = async (vectors: readonly TestVector[]) =>
    (await inAllPasses(vectors, () => ({ call: () => Promise.reject(new Unavailable('gone')) })))
      .report.counts.cache;
  t.match(
    await opened(few),
    { expected: 8, made: 0 },
    'where flows tie, nobody predicts what would be',
  );
  t.same(await opened(coldPassOnly(few)), noCounts.cache);
});

void t.test('what cannot be distinguished in a batch runs one by one', async (t) => {
  let spoken = false;
  const speaking = (model: Switches): Partial<Switches> => ({
    call: async (asked) => {
      const steps = await model.call(asked);
      if (spoken || asked[0]?.kind !== 'advance') return steps;
      spoken = true;
      return steps.map(() => ({ outputs: [{ port: 'antrea-gw0', frame: new Uint8Array(60) }] }));
    },
  });
  const report = await run(few, speaking);
  t.ok(spoken, 'time passed');
  t.same(verdicts(report), verdicts(await run(few.map(({ id, stimulus }) => ({ id, stimulus })))));
  t.equal(report.verdict, 'conforms');
  t.ok(
    report.vectors.every(({ counts }) => counts.counters.made > 0),
    'with counters of their own',
  );
});

void t.test(
  'a promise that is broken is reported with its vector, and with no other',
  async (t) => {
    const without = {
      ...cluster,
      objects: { ...cluster.objects, networkPolicies: [], clusterNetworkPolicies: [] },
    };
    const promised = await run(batched(cells));
    const free = await run(batched(cells), () => ({}), without);
    const denied = promised.vectors
      .filter(({ intent }) => intent.kind === 'denied')
      .map(({ id }) => id);
    t.strictSame(
      free.vectors.filter(({ verdict }) => verdict === 'diverges').map(({ id }) => id),
      denied,
    );
    t.ok(denied.some((id) => id.startsWith('sctp-')));
    t.ok(
      free.vectors.every(
        ({ verdict, differences: [difference] }) =>
          verdict === 'conforms' || difference?.aspect === 'intent',
      ),
    );
  },
);

void t.test('units', async (t) => {
  const vectors = (count: number, mark: Partial<TestVector>) =>
    Array.from(
      { length: count },
      (_, index): TestVector => ({
        id: `${index}`,
        stimulus: { kind: 'ping', from: 'a', to: 'b' },
        ...mark,
      }),
    );
  const lengths = (all: readonly TestVector[]) => batchesOf(all).map(({ length }) => length);
  t.same(
    lengths([
      ...vectors(2, {}),
      ...vectors(3, { together: 'cells' }),
      ...vectors(1, { together: 'others' }),
      ...vectors(1, {}),
      ...vectors(2, { together: 'others' }),
    ]),
    [1, 1, 3, 3, 1],
  );
  const sctp = (mark: Partial<TestVector>) =>
    ['a/b', 'b/a', 'a/c'].map(
      (id): TestVector => ({
        id: `sctp-9/${id}`,
        stimulus: { kind: 'sctp', from: 'a', to: 'b', port: 9 },
        ...mark,
      }),
    );
  t.same(
    batched(sctp({})).map((vector) => vector.together),
    [undefined, undefined, undefined],
    'a sibling would go where another one goes',
  );
  t.same(
    batched(coldPassOnly(sctp({}))).map((vector) => vector.together),
    ['sctp-9 there', 'sctp-9 back', 'sctp-9 there'],
  );
  t.same(
    [499, 500].map((count) => batchesOf(batchedIfMany(vectors(count, {}))).length),
    [499, 1],
  );
  t.same(lengths(vectors(maxBatchSize + 1, { together: 'cells' })), [500, 501]);
  t.same(lengths([]), []);
});
