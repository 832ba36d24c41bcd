// Goal: each kind of promise, with each kind of stimulus, is broken by each fault that concerns it,
// in both directions, and by no other. Method: flows of one node with one fault at a time, on a
// second model in the place of switches: both agree, so that only intent can object.
import t from 'tap';
import { runScenario } from '../run/run-scenario.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';
import {
  faultyPromises,
  promiseFaults,
  promiseScenario,
  type PromiseFault,
} from './testkit/promise-faults.js';

async function broken(fault?: PromiseFault): Promise<readonly string[]> {
  const { report } = await runScenario(
    promiseScenario(fault),
    {},
    {
      seed: 1,
      depth: 'cold',
      nowMs: () => 0,
      openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
    },
  );
  return report.vectors.flatMap(({ id, verdict, inconclusive }) =>
    verdict === 'conforms' ? [] : [verdict === 'diverges' ? id : `${id}: ${inconclusive?.cause}`],
  );
}

void t.test('without a fault all promises are kept', async (t) => {
  t.strictSame(await broken(), []);
});

for (const fault of Object.keys(promiseFaults) as PromiseFault[])
  void t.test(fault, async (t) => {
    const expected = faultyPromises
      .filter(({ brokenBy }) => brokenBy.includes(fault))
      .map(({ id }) => id);
    t.ok(expected.length > 0, 'somebody notices it');
    t.strictSame([...(await broken(fault))].sort(), [...expected].sort());
  });
