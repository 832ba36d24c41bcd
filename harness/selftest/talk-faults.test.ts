// Goal: what is said in a connection that stands is promised as what opens one, and broken by the
// same faults. Method: flows of testkit/promise-faults.ts that segments with data alone meet, on a
// second model in the place of switches.
import t from 'tap';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import { promiseNetwork } from './testkit/promise-faults.js';

const { answerer, cluster, promisePlane } = promiseNetwork(
  antreaCluster({ nodes: 1, podsPerNode: 4, tunnel: 'geneve' }),
);

const talkFaults = [
  'what is asked comes out at a stranger as well',
  'what is asked comes out at a stranger alone',
  'what is asked comes out twice',
  'what is asked is lost',
  'an answer comes out at a stranger as well',
  'an answer comes out twice',
  'an answer is lost',
] as const;
/** Segments with data have PSH. */
const ofData = (flow: string) => flow.replace(',ip,', ',tcp,tcp_flags=+psh,');
const opening = { from: 'p1', to: answerer.ip, port: 7, connection: 'c' } as const;

async function played(fault?: (typeof talkFaults)[number]): Promise<readonly string[]> {
  const judged = await playTimeline(
    {
      controlPlane: promisePlane(fault, ofData),
      seed: 1,
      openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
    },
    {
      cluster,
      steps: (['open', 'talk'] as const).map((kind) => ({
        kind: 'vector',
        vector: { id: kind, stimulus: { kind, ...opening } },
      })),
    },
  );
  return judged.map(({ verdict, differences }) => differences[0]?.aspect ?? verdict);
}

void t.test('without a fault', async (t) => {
  t.strictSame(await played(), ['conforms', 'conforms']);
});

for (const fault of talkFaults)
  void t.test(fault, async (t) => {
    t.strictSame(await played(fault), ['conforms', 'intent']);
  });
