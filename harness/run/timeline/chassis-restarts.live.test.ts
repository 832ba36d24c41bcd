/**
 * Goal: chassis restart whole and find themselves again, and what does not come back, or was not
 * gone, is named. Method: the timeline of ovn-kubernetes/node-restarts on the sim, with daemons
 * counted; a flow that is missing once OVN has programmed the chassis; a node that runs on; another
 * one that forgets its connections; and a cluster that changes while a chassis is down.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { nodesRestart } from '../../../topologies/ovn-kubernetes/node-restarts.js';
import { ovnKubernetes } from '../../control/ovn-kubernetes/index.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Reconfiguration } from '../../domain/switching.js';
import { describeStep, type Sequence } from '../../domain/timeline.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { playTimeline } from './play-timeline.js';
import type { JudgedStep } from './timeline-run.js';

const image = await openImage('trixie', (line) => t.comment(line));
const timeline = nodesRestart('one');

type Change = (sim: OvsSwitches, change: Reconfiguration) => Promise<void>;

async function play(sequence: Sequence, change: Change): Promise<readonly JudgedStep[]> {
  const openReal = async (plan: ClusterPlan) => {
    const sim = await openSim(plan, image);
    return { ...sim, reconfigure: (wanted: Reconfiguration) => change(sim, wanted) };
  };
  return await playTimeline({ controlPlane: ovnKubernetes(), seed: 1, openReal }, sequence);
}

const kindOfLast = (judged: readonly JudgedStep[]) => {
  const last = judged.at(-1);
  return last === undefined ? 'nothing' : `${describeStep(last.step)}: ${last.verdict}`;
};

void t.test('as it has to be', { timeout: 300_000 }, async (t) => {
  const controllers: (number | undefined)[] = [];
  const judged = await play(timeline, async (sim, change) => {
    await sim.reconfigure(change);
    if ('node' in change && change.node === 'n2')
      controllers.push(sim.ovnDaemons?.get('ovn-controller of node n2'));
  });
  t.strictSame(
    judged.filter(({ verdict }) => verdict !== 'conforms').map(({ id }) => id),
    [],
  );
  const [down, up] = controllers;
  t.equal(down, undefined, 'ovn-controller has ended with its node');
  t.type(up, 'number', 'it has started again');
});

void t.test('a flow that does not come back', { timeout: 300_000 }, async (t) => {
  const judged = await play(timeline, async (sim, change) => {
    await sim.reconfigure(change);
    if (change.kind === 'programmed' && change.node === 'n2')
      await sim.ofctl('n2', 'br-int', 'del-flows', 'table=0,in_port=3');
  });
  t.equal(kindOfLast(judged), 'the switch of n2 is programmed: diverges');
  t.match(judged.at(-1)?.differences[0]?.summary, /^br-int on n2 has not, .*in_port=3/);
});

void t.test('a node that has not restarted', { timeout: 300_000 }, async (t) => {
  const judged = await play(timeline, async (sim, change) => {
    if (change.kind !== 'restart') await sim.reconfigure(change);
  });
  t.equal(kindOfLast(judged), 'node n2 restarts: diverges');
  t.match(judged.at(-1)?.differences[0]?.summary, /^br-\w+ on n2 has not, as the model has it/);
});

void t.test("another node's connections go as well", { timeout: 300_000 }, async (t) => {
  const judged = await play(timeline, async (sim, change) => {
    await sim.reconfigure(change);
    if (change.kind === 'restart') await sim.call([{ kind: 'flush', node: 'n1' }]);
  });
  t.equal(kindOfLast(judged), '2-n2-restarts/new/web/job: diverges');
  t.ok(judged.at(-1)?.differences.some(({ aspect }) => aspect === 'connections'));
});

void t.test('a cluster that changes meanwhile is refused', { timeout: 300_000 }, async (t) => {
  const { cluster, steps } = timeline;
  const at = steps.findIndex(({ kind }) => kind === 'node restarts') + 1;
  const changes = { kind: 'cluster', what: 'something comes', cluster } as const;
  const judged = await play({ cluster, steps: [...steps.slice(at - 1, at), changes] }, (sim, one) =>
    sim.reconfigure(one),
  );
  t.equal(kindOfLast(judged), 'something comes: inconclusive');
  t.match(judged.at(-1)?.inconclusive?.cause, /while none is without ovn-controller, as n2 is/);
});
