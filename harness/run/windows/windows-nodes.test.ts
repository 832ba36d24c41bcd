// Goal: a Windows node has flows and routes for a node that joins, and none of one that has left.
// Method: the scenario's timeline on the model alone; what the host's routes are at each step; then
// an agent that leaves something behind, and one that does nothing.
import t from 'tap';
import { windowsNodesChange } from '../../../topologies/antrea/windows-nodes.js';
import { antrea } from '../../control/antrea/index.js';
import type { AgentStep } from '../../control/agent-steps.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { playTimeline } from '../timeline/play-timeline.js';
import { type TimelineContext } from '../timeline/timeline-run.js';

const openReal: TimelineContext['openReal'] = (plan) => {
  const model = openModel(plan);
  return Promise.resolve({
    ...model,
    call: (calls) => model.call(calls, firstCandidateOracle),
    lookups: () => ({ hit: 0, missed: 0 }),
    assertUndisturbed: () => Promise.resolve(),
  });
};
const stage: TimelineContext = { controlPlane: antrea('1.3'), seed: 1, openReal };

void t.test('a node joins, leaves and joins again', async (t) => {
  for (const [mode, route] of [
    ['encap', '10.10.3.0/24 via 10.10.3.1 antrea-gw0'],
    ['noEncap', '10.10.3.0/24 via 172.30.0.3 br-int'],
  ] as const) {
    const timeline = windowsNodesChange(mode, 'windows');
    const routes = [
      timeline.cluster,
      ...timeline.steps.flatMap((step) => (step.kind === 'cluster' ? [step.cluster] : [])),
    ].map((cluster) => {
      const host = stage.controlPlane
        .plan(cluster)
        .nodes[0]?.hosts.find(({ name }) => name === 'n1');
      return (host?.routes ?? [])
        .filter(({ destination }) => destination.startsWith('10.10.3.'))
        .map(({ destination, via, interface: name }) => `${destination} via ${via} ${name}`);
    });
    t.strictSame(routes, [[], [route], [], [route]], mode);
    const judged = await playTimeline(stage, timeline);
    t.strictSame(
      judged.map(({ verdict, intent }) => [verdict, intent?.kind]),
      [
        'denied',
        'denied',
        undefined,
        'round-trip',
        'round-trip',
        'round-trip',
        undefined,
        'denied',
        'denied',
        undefined,
        'round-trip',
        'round-trip',
      ].map((kind) => ['conforms', kind]),
      mode,
    );
  }
});

void t.test('faults are seen', async (t) => {
  const without = (lines: RegExp) => (steps: readonly AgentStep[]) =>
    steps.map((step) =>
      step.kind === 'change'
        ? { ...step, lines: step.lines.filter((line) => !lines.test(line)) }
        : step,
    );
  const faults = [
    [
      'flows of a node that has left stay',
      without(/^flow delete_strict .*10\.10\.3\.0\/24/),
      '7 it leaves',
    ],
    ['a node that joins is not known', without(/^flow add .*10\.10\.3\.0\/24/), '3 a node joins'],
  ] as const;
  for (const [what, faulty, at] of faults) {
    const last = (
      await playTimeline({ ...stage, faulty }, windowsNodesChange('noEncap', 'windows'))
    ).at(-1);
    t.strictSame(
      [last?.id, last?.verdict, last?.differences[0]?.aspect],
      [at, 'diverges', 'program'],
      what,
    );
  }
});
