// Goal: a scenario that is a timeline is run and replayed as a whole, and a change that is not
// applied is named by what happened. Method: antrea/changes with a second model in the place of
// switches, which reports the truth, then leaves out one thing at a time, then fails.
import t from 'tap';
import changes from '../../../scenarios/antrea/changes.js';
import { Unavailable } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Scenario } from '../../domain/scenario.js';
import type { SwitchCall } from '../../domain/switching.js';
import type { Switches } from '../../testbeds/testbed.js';
import { replay } from '../records/replay-record.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const axes = { tunnel: 'geneve' };
const whole = (calls: readonly SwitchCall[]) => calls;
/** The model as if it were real, of whose calls it applies what `heard` leaves of them. */
const open =
  (heard: (calls: readonly SwitchCall[]) => readonly SwitchCall[] = whole) =>
  (plan: ClusterPlan): Switches => {
    const switches = openModelSwitches(plan);
    return { ...switches, call: (calls) => switches.call(heard(calls)) };
  };
const run = async (
  openReal: (plan: ClusterPlan) => Switches = open(),
  scenario: Scenario = changes,
) =>
  await runScenario(scenario, axes, {
    seed: 1,
    nowMs: () => 0,
    openReal: (plan) => Promise.resolve().then(() => openReal(plan)),
  });

void t.test(
  'every step is judged, and each vector is promised what its place in time says',
  async (t) => {
    const progress: string[] = [];
    const { report } = await runScenario(changes, axes, {
      seed: 1,
      nowMs: () => 0,
      openReal: (plan) => Promise.resolve(open()(plan)),
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    t.equal(report.verdict, 'conforms');
    t.strictSame(
      report.vectors.map(({ id, verdict, intent }) => `${id} ${intent.kind} ${verdict}`),
      [
        ['1-at-first', 'open/web/db round-trip', 'new/job/db round-trip'],
        [
          '2-policy-comes',
          'standing/web/db round-trip',
          'new/web/db denied',
          'new/job/db round-trip',
        ],
        [
          '3-pod-comes',
          'new/late/db round-trip',
          'new/web/late round-trip',
          'standing/web/db round-trip',
        ],
        [
          '4-pod-goes',
          'new/web/late denied',
          'new/job/db round-trip',
          'standing/web/db round-trip',
        ],
        [
          '5-agent-restarts',
          'standing/web/db round-trip',
          'new/web/db denied',
          'new/job/db round-trip',
        ],
        [
          '6-agent-has-swept',
          'standing/web/db round-trip',
          'new/web/db denied',
          'new/job/db round-trip',
        ],
        ['7-switch-restarts', 'new/job/db denied', 'new/web/job round-trip'],
        ['8-switch-is-programmed', 'standing/web/db denied', 'new/job/db round-trip'],
        ['9-policy-goes', 'new/web/db round-trip'],
        ['10-node-leaves', 'new/web/db denied', 'new/web/job round-trip'],
      ].flatMap(([happened, ...vectors]) =>
        vectors.map((vector) => `${happened}/${vector} conforms`),
      ),
    );
    t.strictSame([progress[0], progress.at(-1), progress.length], ['0/24', '24/24', 25]);
    t.ok(report.counts.program.made > 600, 'the flows are read behind events, too');
  },
);

void t.test('what is recorded plays again', async (t) => {
  const ran = await run();
  const record = JSON.parse(JSON.stringify(ran.record)) as typeof ran.record;
  const again = await replay(
    record,
    1,
    () => true,
    (plan) => Promise.resolve(open()(plan)),
  );
  t.strictSame(
    again.map(({ id, kind }) => [id, kind]),
    record.vectors.map(({ vector }) => [vector.id, 'same']),
  );
  const last = '10-node-leaves/new/web/job';
  t.strictSame(
    (
      await replay(
        record,
        1,
        (id) => id === last,
        (plan) => Promise.resolve(open()(plan)),
      )
    ).map(({ id, kind }) => [id, kind]),
    [[last, 'same']],
    'what was before it happens, and is not reported',
  );
  const deaf = await replay(
    record,
    1,
    () => true,
    (plan) => Promise.resolve(open(deafAtN2)(plan)),
  );
  t.match(
    deaf.find(({ kind }) => kind !== 'same'),
    { id: '2-policy-comes/new/web/db', kind: 'different' },
  );
  const idle = (record.timeline ?? []).map((event) =>
    event.what.endsWith('only-jobs-reach-db comes') ? { ...event, steps: [] } : event,
  );
  const without = await replay(
    { ...record, timeline: idle },
    1,
    () => true,
    (plan) => Promise.resolve(open()(plan)),
  );
  t.match(
    without.find(({ kind }) => kind !== 'same'),
    { id: '2-policy-comes/new/web/db', kind: 'different' },
    'what happened is part of what is played',
  );
});

/** The policy's flows do not get to n2's switch. */
function deafAtN2(calls: readonly SwitchCall[]): readonly SwitchCall[] {
  return calls.map((call) =>
    call.kind === 'change' && call.node === 'n2'
      ? { ...call, lines: call.lines.filter((line) => !/^flow add table=(90|100)\b/.test(line)) }
      : call,
  );
}

void t.test(
  'a policy that one switch does not get is named by its coming, and nothing behind it passes',
  async (t) => {
    const { report, record } = await run(open(deafAtN2));
    t.equal(report.verdict, 'diverges');
    t.match(report.program[0], {
      aspect: 'program',
      summary: /^NetworkPolicy only-jobs-reach-db comes: br-int on n2 has not/,
      actual: 'no such flow',
    });
    t.strictSame(
      report.vectors.map(({ verdict }) => verdict),
      report.vectors.map((_, index) => (index < 2 ? 'conforms' : 'inconclusive')),
    );
    t.match(
      report.vectors[2]?.inconclusive?.cause,
      /was not played: the timeline ended at NetworkPolicy only-jobs-reach-db comes/,
    );
    const again = await replay(
      record,
      1,
      () => true,
      (plan) => Promise.resolve(open()(plan)),
    );
    t.strictSame(
      again.map(({ kind }) => kind),
      report.vectors.map((_, index) => (index < 2 ? 'same' : 'inconclusive')),
    );
  },
);

void t.test('a policy that one agent does not apply breaks the promise', async (t) => {
  const right = changes.controlPlane;
  const idle: Scenario = {
    ...changes,
    controlPlane: {
      ...right,
      plan: (cluster, before) => {
        const plan = right.plan(cluster, before);
        return {
          ...plan,
          nodes: plan.nodes.map((node) =>
            node.node === 'n2' ? (before?.nodes.find((held) => held.node === 'n2') ?? node) : node,
          ),
        };
      },
    },
  };
  const { report } = await run(open(), idle);
  t.equal(report.verdict, 'diverges');
  t.match(
    report.vectors.find(({ verdict }) => verdict !== 'conforms'),
    {
      id: '2-policy-comes/new/web/db',
      verdict: 'diverges',
      differences: [{ aspect: 'intent', between: 'intent and switch' }],
    },
  );
});

void t.test('without switches nothing passes', async (t) => {
  const { report } = await run(() => {
    throw new Unavailable('no room', [], []);
  });
  t.strictSame(
    [report.verdict, report.inconclusive?.cause, report.counts.program.made],
    ['inconclusive', 'no room', 0],
  );
  t.ok(
    report.counts.program.expected > 0 &&
      report.vectors.length === 24 &&
      report.vectors.every(({ verdict }) => verdict === 'inconclusive'),
  );
  const failing = (plan: ClusterPlan): Switches => ({
    ...open()(plan),
    reconfigure: () => Promise.reject(new Unavailable('it does not come up again', [], [])),
  });
  const half = (await run(failing)).report;
  t.strictSame(
    [half.verdict, half.inconclusive?.cause],
    ['inconclusive', 'it does not come up again'],
  );
  t.strictSame(
    half.vectors.map(({ verdict }) => verdict),
    half.vectors.map((_, index) => (index < 5 ? 'conforms' : 'inconclusive')),
  );
});
