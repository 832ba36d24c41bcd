/**
 * Goal: every scenario is one timeline, and one that cannot be played is refused by its step.
 * Method: scenarios with vectors alone, behind other points of their matrix and with a timeline of
 * their own; steps in orders that no switch can be brought through.
 */
import t from 'tap';
import changes from '../../../scenarios/antrea/changes.js';
import encap from '../../../scenarios/antrea/encap.js';
import truthTable from '../../../scenarios/antrea/truth-table.js';
import type { TimelineStep } from '../../domain/timeline.js';
import { runScenario } from '../run-scenario.js';
import { partsOf, timelineOf } from './scenario-timeline.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const kinds = (steps: readonly TimelineStep[]) => [...new Set(steps.map(({ kind }) => kind))];
const axes = { nodes: '2', tunnel: 'geneve' };

void t.test('what scenarios become', async (t) => {
  const { cluster, steps } = timelineOf(encap, axes);
  t.same(cluster, encap.topology({ nodes: '2', tunnel: 'geneve' }));
  t.strictSame(kinds(steps), ['reset', 'vector'], 'each vector after a reset');
  const changed = timelineOf(truthTable, { pods: '10', policies: '1', change: '2' });
  t.strictSame(
    changed.steps
      .slice(0, 3)
      .map((step) => (step.kind === 'cluster' ? step.from?.['change'] : step.kind)),
    ['0', '1', 'reset'],
    'from the first point on',
  );
  t.equal(partsOf(timelineOf(changes, { tunnel: 'geneve' }), 'x').kind, 'sequence');
});

void t.test('a scenario that writes its resets itself', async (t) => {
  const vectors = encap.vectors(encap.topology({ nodes: '2', tunnel: 'geneve' })).slice(0, 3);
  const run = async (timeline: typeof encap.timeline) =>
    (
      await runScenario({ ...encap, vectors: () => vectors, ...(timeline && { timeline }) }, axes, {
        seed: 1,
        nowMs: () => 0,
        openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
      })
    ).report;
  const own = await run(({ nodes, tunnel }) => ({
    cluster: encap.topology({ nodes, tunnel }),
    steps: vectors.flatMap((vector) => [{ kind: 'reset' }, { kind: 'vector', vector }]),
  }));
  const short = await run(undefined);
  t.equal(own.verdict, 'conforms');
  t.equal(own.traceHash, short.traceHash, 'is the same as one that names its vectors alone');
});

void t.test('steps that nothing can be brought through', async (t): Promise<void> => {
  const { cluster, steps } = timelineOf(encap, axes);
  const [reset, vector] = steps;
  if (reset === undefined || vector === undefined) return void t.fail('two steps');
  const restart = { kind: 'switch restarts', node: 'n1' } as const;
  for (const [wrong, message] of [
    [[reset, vector, restart], /step 3 of its timeline, the switch of n1 restarts: behind a reset/],
    [
      [reset, vector, vector],
      /step 3 of its timeline, \S+: behind a reset there are resets and vectors/,
    ],
    [[reset, reset], /step 2 of its timeline, a reset: behind a reset/],
    [
      [restart, reset, vector],
      /step 1 of its timeline, the switch of n1 restarts: before the first reset/,
    ],
    [[vector, reset, vector], /step 1 of its timeline, \S+: before the first reset/],
  ] as const)
    t.throws(() => partsOf({ cluster, steps: wrong }, 'x'), { message });
});
