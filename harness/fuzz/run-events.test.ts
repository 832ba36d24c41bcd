// Goal: timelines of a seed are all played, and of one that does not conform the shortest is
// reported that ends alike. Method: a second model in the place of switches; an agent that forgets
// one kind of flow when something goes, which one event alone shows, and the timeline that is left
// must be that event.
import t from 'tap';
import encap from '../../scenarios/antrea/encap.js';
import { generatedTimeline } from '../../topologies/generated/generated-timeline.js';
import { sequenceOf } from '../../topologies/cluster-events.js';
import { type ClusterEvent } from '../../topologies/cluster-event.js';
import { whatIsMissing } from '../domain/verdict.js';
import type { TimelineContext } from '../run/timeline/timeline-run.js';
import { runEvents, type DrawnTimeline } from './run-events.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';

const stage: TimelineContext = {
  controlPlane: encap.controlPlane,
  seed: 1,
  openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
};
const draw = (index: number): DrawnTimeline<ClusterEvent> => {
  const { first, events: drawnEvents } = generatedTimeline(1, index, 3);
  return { events: drawnEvents, sequenceOf: (some) => sequenceOf(first, some) };
};

void t.test('all conform', async (t) => {
  const { timelines, steps, findings, aborted, counts } = await runEvents({
    context: stage,
    draw,
    count: 2,
    onProgress: () => undefined,
  });
  t.strictSame(
    [timelines, findings.length, aborted.length, whatIsMissing(counts)],
    [2, 0, 0, undefined],
  );
  t.ok(steps > 10 && counts.frames.made > 20);
});

void t.test('one alone', async (t) => {
  const [drawn, reported] = [[] as number[], [] as number[]];
  const noting = (index: number) => {
    drawn.push(index);
    return { ...draw(index), drawnEvents: draw(index).events.slice(0, 2) };
  };
  const { steps } = await runEvents({
    context: stage,
    draw: noting,
    count: 1,
    first: 4,
    onPlayed: (judged) => reported.push(judged.length),
    onProgress: () => undefined,
  });
  t.strictSame([drawn, reported], [[4], [steps]]);
  t.ok(steps > 0);
});

void t.test('one that does not is made short', async (t) => {
  const forgetful: TimelineContext = {
    ...stage,
    faulty: (steps) =>
      steps.map((step) =>
        step.kind === 'change'
          ? {
              ...step,
              lines: step.lines.filter((line) => !/^flow delete_strict table=10,/.test(line)),
            }
          : step,
      ),
  };
  const podGoes: DrawnTimeline<ClusterEvent> = {
    ...draw(0),
    events: [
      ...draw(0).events,
      { kind: 'delete', object: { kind: 'Pod', metadata: { name: 'p2' } } },
      { kind: 'delete', object: { kind: 'Pod', metadata: { name: 'p2', namespace: 'lab' } } },
      { kind: 'delete', object: { kind: 'Pod', metadata: { name: 'p2', namespace: 'shop' } } },
    ],
  };
  const { findings } = await runEvents({
    context: forgetful,
    draw: () => podGoes,
    count: 1,
    onProgress: () => undefined,
  });
  t.equal(findings.length, 1);
  t.strictSame(
    findings[0]?.steps.map(({ id, verdict }) => [/^1 Pod .* goes$/.test(id), verdict]),
    [[true, 'diverges']],
    'one event is left',
  );
});

void t.test('what is aborted is reported and does not pass', async (t) => {
  const never = new Error('our own bug');
  await t.rejects(
    runEvents({
      context: { ...stage, openReal: () => Promise.reject(never) },
      draw,
      count: 1,
      onProgress: () => undefined,
    }),
    never,
  );
});
