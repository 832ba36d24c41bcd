// Goal: a timeline is played whole, with its events. Method: a cluster whose ports are plugged by
// programs, in a timeline with an event and in one of vectors alone.
import t from 'tap';
import { ovnCni } from '../../control/ovn-cni/index.js';
import { defineTimeline } from '../../intent/over-time/define-timeline.js';
import type { SequenceStep } from '../../domain/timeline.js';
import { shop } from '../../../topologies/ovn-cni/shop.js';
import { workloadOf } from './workload.js';

const cluster = shop();
type Step = SequenceStep<typeof cluster>;
const vector: Step = {
  kind: 'vector',
  vector: { id: 'v', stimulus: { kind: 'ping', from: 'front1', to: 'back1' } },
};

function workloadFrom(steps: readonly Step[]) {
  const scenario = defineTimeline({
    name: 'ovn-cni/planted',
    title: 'A cluster that changes',
    axes: {},
    controlPlane: ovnCni(),
    timeline: () => ({ cluster, steps }),
  });
  return workloadOf(scenario, {}, { seed: 1 });
}

void t.test('a cluster whose ports programs plug may change', (t) => {
  const steps = [vector, { kind: 'cluster', what: 'nothing', cluster }] as const;
  t.same(workloadFrom(steps).sequence?.steps, steps);
  t.equal(workloadFrom([vector]).vectors.length, 1);
  t.end();
});
