// Goal: where a packet that has waited in ovn-controller does not come out of the switch, model and
// switch diverge there. Method: the timeline of ovn-kubernetes/waiting on switches whose frames are
// taken away where no time passes: nothing else comes out then.
import t from 'tap';
import { openImage } from '../../images/images.js';
import { waiting } from '../../topologies/ovn-kubernetes/waiting.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import { describeStep } from '../domain/timeline.js';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { openSim } from '../testbeds/sim/sim.js';
import type { Switches } from '../testbeds/testbed.js';

const image = await openImage('trixie', (line) => t.comment(line));

function losing(real: Switches): Switches {
  return {
    ...real,
    call: async (calls) => {
      const steps = await real.call(calls);
      return steps.map((step, index) => {
        const call = calls[index];
        return call?.kind === 'advance' && call.ms === 0 ? { ...step, outputs: [] } : step;
      });
    },
  };
}

void t.test('a packet that has waited and is lost', { timeout: 300_000 }, async (t) => {
  const judged = await playTimeline(
    {
      controlPlane: ovnKubernetes(),
      seed: 1,
      openReal: async (plan) => losing(await openSim(plan, image)),
    },
    waiting('ipv4', 'one'),
  );
  const last = judged.at(-1);
  t.equal(
    last === undefined ? 'nothing' : describeStep(last.step),
    'n1/2-continues/ping/p1/172.30.255.1',
  );
  t.equal(last?.verdict, 'diverges', last?.inconclusive?.cause ?? '');
  t.match(last?.differences[0], {
    aspect: 'frames',
    summary: /^a frame is missing out of uplink on n1/,
  });
});
