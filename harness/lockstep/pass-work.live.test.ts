/**
 * Goal: what the model says packets need is what the switch counts, and a switch that does the same
 * with more work is caught. Method: frames through a tracker, a tunnel's ends and a flood, on model
 * and switch; then one flow of the switch takes a turn more through the tracker, and the frames
 * that come out are still the same.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { compareWork } from '../compare/compare-work.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import { openSim } from '../testbeds/sim/sim.js';
import { passWork, readWork } from './pass-work.js';

const plan: ClusterPlan = {
  nodes: [
    {
      node: 'a',
      hosts: [],
      bridges: [
        {
          name: 'br',
          mac: '02:00:00:00:00:01',
          ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
          flows: [
            'table=0,priority=9,udp,ct_state=-trk actions=ct(table=1,zone=5,nat)',
            'table=0,priority=1 actions=NORMAL',
            'table=1,in_port=1,udp ' +
              'actions=ct(commit,zone=5,nat(src=10.0.0.9)),mod_nw_ttl:9,output:2',
            'table=1,in_port=2,udp actions=output:1',
          ],
        },
      ],
    },
  ],
};

const frame = (hex: string) => Uint8Array.from(Buffer.from(hex.padEnd(128, '0'), 'hex'));
const udp = frame(
  '02000000000202000000000108004500003200000000401166b90a0000010a0000020fa00007001e0000',
);
const arp = frame('ffffffffffff0200000000030806');
const receive = (port: string, one: Uint8Array): SwitchCall => ({
  kind: 'receive',
  node: 'a',
  port,
  frames: [one, one, one],
});

/** The order of ports is the testbed's own. */
const framesOf = ({ outputs }: SwitchStep) =>
  outputs.map(({ port, frame: sent }) => `${port} ${Buffer.from(sent).toString('hex')}`).sort();

void t.test('work of the model and of the switch', async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const [model, real] = [openModel(plan), await openSim(plan, image)];
  t.teardown(() => real.close());
  const play = async () => {
    await Promise.all([model.reset(), real.reset()]);
    const before = await readWork(model, real);
    for (const call of [receive('p1', udp), receive('p3', arp), receive('p1', udp)]) {
      const [expected, actual] = [await model.call([call]), await real.call([call])];
      t.strictSame(actual.map(framesOf), expected.map(framesOf));
    }
    return passWork(before, await readWork(model, real));
  };
  const work = await play();
  t.match(work?.predicted, {
    lookups: 15,
    recirculations: 6,
    conntrack: 12,
    nat: 6,
    outputs: 15,
    copies: 6,
    encapsulations: 0,
  });
  t.match(work?.counted, { lookups: 15, recirculations: 6 });
  t.strictSame(compareWork('cold', work), []);

  await real.ofctl(
    'a',
    'br',
    'add-flow',
    'table=0,priority=9,udp,ct_state=-trk actions=ct(table=2)',
  );
  await real.ofctl('a', 'br', 'add-flow', 'table=2,udp actions=ct(table=1,zone=5,nat)');
  t.strictSame(
    compareWork('cold', await play()).map(({ summary, expected, actual }) => ({
      summary,
      expected,
      actual,
    })),
    [
      { summary: 'lookups of the datapaths', expected: '15', actual: '21' },
      { summary: 'recirculations of the datapaths', expected: '6', actual: '12' },
    ],
  );
});
