/**
 * Goal: what the model says a bridge holds, cookies, timeouts, importance, every flag, weights of
 * buckets and meters with it, is what each version of Open vSwitch reports of itself; and bytes are
 * counted alike, also by flows that ask for no counters. Method: one bridge with all of it; two
 * frames.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { flowFlags } from '../openflow/flows/flow-attributes.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import { openSim } from '../testbeds/sim/sim.js';
import type { Testbed } from '../testbeds/testbed.js';
import { compareCounters } from './compare-counters.js';
import { compareProgram, describeProgramDifference } from './compare-program.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

const plan: ClusterPlan = {
  nodes: [
    {
      node: 'n1',
      hosts: [],
      bridges: [
        {
          name: 'br0',
          mac: '02:00:00:00:00:01',
          ports: [
            { kind: 'endpoint', name: 'p1', ofport: 1 },
            { kind: 'endpoint', name: 'p2', ofport: 2 },
          ],
          meters: [
            'meter=1,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=10',
            'meter=2,pktps,bands=type=drop,rate=5',
          ],
          groups: [
            'group_id=1,type=select,bucket=weight:5,actions=output:1,bucket=weight:3,' +
              'actions=output:2',
          ],
          flows: [
            'table=0,in_port=1,no_packet_counts,no_byte_counts actions=output:2',
            'cookie=0x9,table=1,priority=1,importance=5,idle_timeout=7,hard_timeout=9,ip ' +
              'actions=drop',
            ...flowFlags.map((flag, index) => `table=2,priority=${index},${flag},ip actions=drop`),
          ],
        },
      ],
    },
  ],
};

for (const suite of suites) {
  void t.test(suite, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const sim = await openSim(plan, image);
    t.teardown(() => sim.close());
    const model = openModel(plan, sim.versions);
    const { differences, count } = compareProgram(await model.program(), await sim.program());
    t.strictSame(
      differences.map((difference) => describeProgramDifference(difference)),
      [],
    );
    t.equal(count.made, 2 + flowFlags.length + 1 + 2);
    const frames = [new Uint8Array(20).fill(2), new Uint8Array(90).fill(4)];
    for (const testbed of [model, sim] satisfies Testbed[])
      await testbed.call([{ kind: 'receive', node: 'n1', port: 'p1', frames }]);
    const counts = await sim.counts();
    t.strictSame(compareCounters(await model.counts(), counts).differences, []);
    t.match(
      counts.find(({ flow }) => flow.table === 0),
      { packets: 2, bytes: 110 },
    );
  });
}
