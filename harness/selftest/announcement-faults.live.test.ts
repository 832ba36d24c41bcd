// Goal: gratuitous ARP that is promised and does not come, and one that comes and is not promised,
// are differences between model and switch. Method: the timeline of ovn-kubernetes/announcements,
// on switches whose frames are taken away there, and on some that are asked once more.
import t from 'tap';
import { openImage } from '../../images/images.js';
import { announcements } from '../../topologies/ovn-kubernetes/announcements.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import { describeStep } from '../domain/timeline.js';
import type { SwitchStep } from '../domain/switching.js';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { openSim } from '../testbeds/sim/sim.js';
import type { Switches } from '../testbeds/testbed.js';

const image = await openImage('trixie', (line) => t.comment(line));

const losing = (real: Switches): Switches => ({
  ...real,
  call: async (calls) =>
    (await real.call(calls)).map((step, index) =>
      calls[index]?.kind === 'announce' ? { ...step, outputs: [] } : step,
    ),
});

/** The first time it is asked, what comes the second time comes as well. */
function hasty(real: Switches): Switches {
  let isFirst = true;
  return {
    ...real,
    call: async (calls): Promise<readonly SwitchStep[]> => {
      const [call] = calls;
      const steps = await real.call(calls);
      if (call?.kind !== 'announce' || !isFirst) return steps;
      isFirst = false;
      const more = await real.call([{ ...call, copy: 2 }]);
      return steps.map(({ outputs }, index) => ({
        outputs: [...outputs, ...(more[index]?.outputs ?? [])],
      }));
    },
  };
}

for (const [name, change, summary] of [
  ['one that is lost', losing, /^a frame is missing out of uplink on n1/],
  ['one that nobody is promised', hasty, /^.*frame.* out of .* on n1/],
] as const)
  void t.test(name, { timeout: 300_000 }, async (t) => {
    const judged = await playTimeline(
      {
        controlPlane: ovnKubernetes(),
        seed: 1,
        openReal: async (plan) => change(await openSim(plan, image)),
      },
      announcements('ipv4', 'one', 'first'),
    );
    const last = judged.at(-1);
    t.equal(last === undefined ? 'nothing' : describeStep(last.step), '1-first/announces/n1/1');
    t.equal(last?.verdict, 'diverges', last?.inconclusive?.cause ?? '');
    t.match(last?.differences[0], { aspect: 'frames', summary });
  });
