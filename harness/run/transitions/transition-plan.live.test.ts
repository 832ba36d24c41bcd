// Goal: real switches that are changed from one point of a matrix to the next hold what a fresh
// install would, and do as is promised; one that is not changed is found. Method: the cells of a
// small cluster under policies behind four changes, and behind one that a node does not receive.
import t from 'tap';
import { openImage } from '../../../images/images.js';
import truthTable from '../../../scenarios/antrea/truth-table.js';
import { openSim } from '../../testbeds/sim/sim.js';
import type { Switches } from '../../testbeds/testbed.js';
import { runScenario } from '../run-scenario.js';

void t.test('changed, not built afresh', async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const run = async (change: string, stand: (sim: Switches) => Partial<Switches>) =>
    (
      await runScenario(
        truthTable,
        { pods: '10', policies: '3', change },
        {
          seed: 1,
          nowMs: () => 0,
          depth: 'cold',
          only: ({ id }) => id.startsWith('tcp-80/'),
          openReal: async (plan) => {
            const sim = await openSim(plan, image);
            return { ...sim, ...stand(sim) };
          },
        },
      )
    ).report;
  const bundles: string[] = [];
  const sound = await run('4', (sim) => ({
    bundle: (node, bridge, lines) => {
      bundles.push(node);
      return sim.bundle(node, bridge, lines);
    },
  }));
  t.equal(sound.verdict, 'conforms');
  t.ok(bundles.length >= 4, 'bundles were applied on running switches');
  const faulty = await run('1', (sim) => ({
    bundle: (node, bridge, lines) =>
      node === 'n2' ? Promise.resolve() : sim.bundle(node, bridge, lines),
  }));
  t.equal(faulty.verdict, 'diverges');
  t.ok(
    faulty.program.length > 0 &&
      faulty.program.every(({ summary }) => summary.startsWith('br-int on n2: ')),
    'the flows show it',
  );
  t.ok(
    faulty.vectors.some(
      ({ verdict, differences }) =>
        verdict === 'diverges' &&
        differences.some(({ between }) => between === 'intent and switch'),
    ),
    'and so do cells',
  );
});
