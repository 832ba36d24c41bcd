// Goal: what a run cannot play is refused before anything is brought up. Method: a cluster whose
// ports are plugged by programs, in a timeline with an event and in one of vectors alone.
import t from 'tap';
import { ovnCni } from '../control/ovn-cni/index.js';
import { defineTimeline } from '../intent/over-time/define-timeline.js';
import type { SequenceStep } from '../domain/timeline.js';
import { shop } from '../../topologies/ovn-cni/shop.js';
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

void t.test('ports that programs plug do not change yet', (t) => {
  t.throws(() => workloadFrom([vector, { kind: 'cluster', what: 'nothing', cluster }]), {
    name: 'InputError',
    message: /^scenario ovn-cni\/planted: a cluster whose ports are plugged by programs does not/,
  });
  t.equal(workloadFrom([vector]).vectors.length, 1);
  t.end();
});
