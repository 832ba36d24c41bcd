/**
 * Goal: meters drop the packets that a real switch's drop, in virtual time, also in buckets and
 * clones, and of packet-ins, in all three versions. Method: pipelines with meters;
 * bursts of frames of two sizes between which random times pass. SEED=n for others, SUITE=trixie
 * for one version.
 */
import t, { type Test } from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchStep } from '../../domain/switching.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { pick } from '../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../behaviour.js';
import { frames } from '../testkit/case-frames.js';
import { resetNode } from '../reset-node.js';
import { buildNode } from '../build-node.js';
import { receiveFrame } from '../receive-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = 30;

const flows: readonly string[] = [
  'in_port=1,actions=meter:1,output:2',
  'in_port=2,actions=meter:2,output:3',
  'in_port=3,udp,actions=clone(resubmit(,3),ct(commit)),output:2',
  'table=3,actions=meter:3,output:1',
  'in_port=4,actions=resubmit(,1),output:3,group:1,output:1',
  'table=1,actions=output:2,clone(resubmit(,2)),output:LOCAL',
  'table=2,actions=meter:4,output:1',
  'in_port=LOCAL,udp,actions=push_vlan:0x8100,resubmit(,4)',
  'table=4,actions=meter:2,output:1',
];
const meters: readonly string[] = [
  'meter=1,pktps,band=type=drop,rate=2',
  'meter=2,kbps,burst,band=type=drop,rate=1,burst_size=2,type=drop,rate=3,burst_size=1',
  'meter=3,pktps,burst,band=type=drop,rate=1,burst_size=3',
  'meter=4,pktps,band=type=drop,rate=1',
];
const groups: readonly string[] = ['group_id=1,type=all,bucket=resubmit(,3),bucket=resubmit(,2)'];
const plan: NodePlan = {
  node: 'n1',
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
      flows,
      meters,
      groups,
    },
  ],
  hosts: [],
};

/** What controllers get is metered apart from the packet itself. */
const metered: NodePlan = {
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
      controllers: [
        { id: 0, paused: 'kept' },
        { id: 7, paused: 'resumed' },
      ],
      meters: [
        'meter=5,pktps,band=type=drop,rate=1',
        'meter=controller,kbps,burst,band=type=drop,rate=1,burst_size=2',
        'meter=1,pktps,burst,band=type=drop,rate=1,burst_size=3',
      ],
      groups: ['group_id=1,type=all,bucket=controller:100,bucket=set_field:3->ip_dscp,output:2'],
      flows: [
        'in_port=1,actions=controller(meter_id=5),output:2',
        'in_port=2,actions=controller(id=7,pause,meter_id=5),output:3',
        'in_port=3,ip,actions=meter:1,controller(meter_id=77,userdata=01.02),' +
          'controller(meter_id=5,max_len=10),output:1',
        'in_port=4,udp,actions=push_vlan:0x8100,controller,clone(controller(id=7,meter_id=1),' +
          'output:3),group:1,output:2',
        'in_port=LOCAL,ip,actions=controller(id=9,meter_id=1),set_field:1->nw_ttl,resubmit(,' +
          '1),output:2',
        'table=1,ip,actions=dec_ttl(0,7),output:1',
      ],
    },
  ],
};

for (const suite of suites) {
  void t.test(`meters on ${suite}`, async (t) => {
    await play(t, suite, plan);
  });
  void t.test(`meters of packet-ins on ${suite}`, async (t) => {
    await play(t, suite, metered);
  });
}

async function play(t: Test, suite: string, played: NodePlan): Promise<void> {
  const sim = await openSim({ nodes: [played] }, await openImage(suite, (line) => t.comment(line)));
  t.teardown(() => sim.close());
  const model = buildNode(played, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
  const random = randomFor(seed, `meters ${suite}`);
  const seen = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    if (round === 15) {
      await sim.reset();
      resetNode(model);
    }
    const port = pick(random, ['p1', 'p2', 'p3', 'p4', 'br0']);
    for (let burst = random.integer(1, 5); burst > 0; burst--) {
      const frame = frames[pick<'udp' | 'long'>(random, ['udp', 'long'])];
      const expected = inWords(receiveFrame(model, port, frame).step);
      const [step] = await sim.call([{ kind: 'receive', node: 'n1', port, frames: [frame] }]);
      seen.set(`${port} ${expected}`, 1);
      if (!t.equal(inWords(step), expected, `round ${round} of seed ${seed}: into ${port}`)) return;
    }
    const ms = pick(random, [0, 1, 137, 480, 1900]);
    if (ms > 0) await sim.call([{ kind: 'advance', node: 'n1', ms }]);
    model.nowMs += ms;
  }
  for (const port of ['p1', 'p2', 'p3', 'p4'])
    t.ok(
      [...seen.keys()].filter((way) => way.startsWith(port)).length > 1,
      `${port}: some pass and some do not`,
    );
}

/** The ports that it leaves by, and packet-ins, in any order. */
function inWords({ outputs, packetIns = [] }: SwitchStep = { outputs: [] }): string {
  const descriptions = packetIns.map(
    ({ controller, reason, table, paused, userdata, frame }) =>
      `${controller} ${reason} ${table} ${paused} ${userdata.join('.')} ` +
      Buffer.from(frame).toString('hex'),
  );
  return [...outputs.map(({ port }) => port), ...descriptions.sort()].join('\n') || 'nothing';
}
