/**
 * Goal: links that go down and connections that are forgotten have the same consequences in the
 * model as on real switches, and a reset takes back what calls have changed. Method: random links,
 * flushes and packets over groups, bundles, floods and connections, in all three versions; frames,
 * counters and what is remembered compared after each. SEED=n for others, SUITE=trixie for one
 * version.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { randomFor, type Random } from '../base/random.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import { formatFlowId, type SwitchCall, type SwitchStep } from '../domain/switching.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import { openSim } from '../testbeds/sim/sim.js';
import type { Testbed } from '../testbeds/testbed.js';
import { pick } from './testkit/arbitrary-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = 120;
const node = 'n1';

const flows = [
  'udp,tp_dst=1,actions=group:1',
  'udp,tp_dst=2,actions=group:2',
  'udp,tp_dst=3,actions=group:3',
  'udp,tp_dst=4,actions=bundle(symmetric_l3l4+udp,0,hrw,ofport,members:2,3,4,LOCAL)',
  'udp,tp_dst=5,actions=FLOOD',
  'udp,tp_dst=6,actions=ALL,output:2',
  'udp,tp_dst=7,actions=NORMAL',
  'udp,tp_dst=8,actions=ct(commit,zone=1,table=8)',
  'udp,tp_dst=9,actions=ct(commit,zone=2),ct(commit,zone=3),output:3',
  'table=8,ct_state=+new,actions=output:3',
  'table=8,ct_state=+est,actions=output:4',
];
const groups = [
  'group_id=1,type=ff,bucket=watch_port:2,actions=output:2,bucket=watch_port:3,' +
    'actions=output:3,output:LOCAL,bucket=watch_group:3,actions=IN_PORT',
  'group_id=2,type=select,selection_method=hash,fields(nw_src,tp_src),bucket=watch_port:2,' +
    'output:2,bucket=watch_port:3,output:3,bucket=watch_port:1,output:4',
  'group_id=3,type=select,bucket=watch_port:4,output:4,bucket=watch_group:1,output:3',
];
const plan: NodePlan = {
  node,
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      ports: [
        ...[1, 2, 3].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport })),
        { kind: 'internal', name: 'p4', ofport: 4, mac: '02:00:00:00:00:04' },
      ],
      flows,
      groups,
    },
  ],
};
const ports = ['p1', 'p2', 'p3', 'p4', 'br0'];

function frame(host: number, srcPort: number, dstPort: number): Uint8Array {
  const addresses = { src: `10.0.0.${host}`, dst: '10.0.0.9' };
  const datagram = encodeIpv4(
    { ...addresses, protocol: ipProtocols.udp, ttl: 64 },
    encodeUdp({ srcPort, dstPort }, new Uint8Array(4), addresses),
  );
  return encodeEthernet(
    {
      src: `0a:00:00:00:00:0${host}`,
      dst: `0a:00:00:00:00:0${(host % 5) + 1}`,
      etherType: etherTypes.ipv4,
    },
    datagram,
  );
}

function nextCall(random: Random): SwitchCall {
  const kind = random.integer(0, 9);
  if (kind === 0) return { kind: 'link', node, port: pick(random, ports), state: 'down' };
  if (kind === 1) return { kind: 'link', node, port: pick(random, ports), state: 'up' };
  if (kind <= 3)
    return {
      kind: 'flush',
      node,
      ...pick(random, [
        {},
        { zone: 2 },
        {
          zone: 1,
          tuple: 'ct_nw_src=10.0.0.9,ct_nw_dst=10.0.0.3,ct_nw_proto=17,ct_tp_src=8,ct_tp_dst=4002',
        },
        {
          zone: 1,
          tuple: 'ct_nw_src=10.0.0.1,ct_nw_dst=10.0.0.9,ct_nw_proto=17,ct_tp_src=4000,ct_tp_dst=8',
        },
        { zone: 1, tuple: 'ct_nw_src=10.0.0.1,ct_nw_dst=10.0.0.9' },
        { tuple: 'ct_nw_proto=17,ct_tp_src=4001' },
        { zone: 3, tuple: 'ct_nw_proto=17,ct_tp_dst=9' },
        {
          tuple: 'ct_nw_src=10.0.0.2,ct_nw_dst=10.0.0.9,ct_nw_proto=17,ct_tp_src=4000,ct_tp_dst=9',
        },
      ]),
    };
  return {
    kind: 'receive',
    node,
    port: pick(random, ports),
    frames: Array.from({ length: random.integer(1, 3) }, () =>
      frame(random.integer(1, 5), random.integer(4000, 4003), random.integer(1, 9)),
    ),
  };
}

const inWords = (steps: readonly SwitchStep[]) =>
  steps
    .flatMap(({ outputs }) => outputs)
    .map(({ port, frame: bytes }) => `${port} ${Buffer.from(bytes).toString('hex')}`)
    .sort();
const counted = async (testbed: Testbed) =>
  (await testbed.counts()).map(({ flow, packets }) => `${formatFlowId(flow)}: ${packets}`).sort();
const remembered = async (testbed: Testbed) =>
  Object.values(await testbed.state())
    .flat()
    .map((entry) => JSON.stringify(entry, Object.keys(entry as object).sort()))
    .sort();
const describe = (call: SwitchCall) => JSON.stringify({ ...call, frames: undefined });

for (const suite of suites) {
  void t.test(`links and connections on ${suite}`, async (t) => {
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = openModel({ nodes: [plan] }, sim.versions);
    const random = randomFor(seed, `operations ${suite}`);
    const met = new Map<string, number>();
    const lost = { down: 0, up: 0 };
    for (let round = 0; round < rounds; round++) {
      if (round === rounds / 2) for (const testbed of [model, sim]) await testbed.reset();
      const call = nextCall(random);
      met.set(call.kind, (met.get(call.kind) ?? 0) + 1);
      const [predicted, seen] = [
        inWords(await model.call([call])),
        inWords(await sim.call([call])),
      ];
      if (call.kind === 'receive') lost[seen.length === 0 ? 'down' : 'up']++;
      t.strictSame(seen, predicted, `seed ${seed}, round ${round}: ${describe(call)}`);
      t.strictSame(await remembered(sim), await remembered(model), 'what is remembered');
      t.strictSame(await counted(sim), await counted(model), 'counters');
      if (!t.passing()) return;
    }
    t.match([...met.keys()].sort(), ['flush', 'link', 'receive']);
    t.ok(
      lost.down > 10 && lost.up > 20,
      `some frames are lost, others arrive: ${JSON.stringify(lost)}`,
    );
    for (const testbed of [model, sim])
      await t.rejects(testbed.call([{ kind: 'link', node, port: 'p7', state: 'down' }]), {
        name: 'InputError',
        message:
          'port "p7" of node n1 has no link that goes up and down: br0, p1, p2, p3, p4 have one',
      });
  });

  void t.test(`changes on ${suite}, and what a reset takes back`, async (t) => {
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const before = await sim.program();
    const arrives = async (dstPort: number) =>
      (
        await sim.call([{ kind: 'receive', node, port: 'p1', frames: [frame(1, 4000, dstPort)] }])
      )[0]?.outputs
        .map(({ port }) => port)
        .join(' ');
    const change = (...lines: readonly string[]) =>
      sim.call([{ kind: 'change', node, bridge: 'br0', lines }]);
    t.equal(await arrives(1), 'p2');
    t.equal(await arrives(1), 'p2', 'cached');
    await change('group modify group_id=1,type=ff,bucket=watch_port:3,actions=output:3');
    t.equal(await arrives(1), 'p3');
    await change(
      'flow modify udp,tp_dst=1,actions=output:4',
      'flow add udp,tp_dst=5,actions=output:2',
      'flow delete table=8',
    );
    t.equal(await arrives(1), 'p4');
    t.equal(await arrives(5), 'p2');
    const counts = async () => (await counted(sim)).filter((line) => / [1-9]\d*$/.test(line));
    t.strictSame(await counts(), [
      'table=0, priority=32768,udp,tp_dst=1: 4',
      'table=0, priority=32768,udp,tp_dst=5: 1',
    ]);
    await change('flow add udp,tp_dst=1,actions=output:3');
    t.equal(await arrives(1), 'p3');
    t.strictSame(
      await counts(),
      ['table=0, priority=32768,udp,tp_dst=1: 5', 'table=0, priority=32768,udp,tp_dst=5: 1'],
      'a flow that takes the place of another continues counting',
    );
    await change(
      'flow delete udp,tp_dst=1',
      'flow add udp,tp_dst=1,actions=output:3',
      'flow modify reset_counts,udp,tp_dst=5,actions=output:3',
    );
    t.equal(await arrives(1), 'p3');
    t.strictSame(
      await counts(),
      ['table=0, priority=32768,udp,tp_dst=1: 1'],
      'or counts from zero',
    );
    await t.rejects(change('flow add udp,tp_dst=1,actions=group:99'), { name: 'InputError' });
    await sim.call([{ kind: 'link', node, port: 'p2', state: 'down' }]);
    await sim.reset();
    t.strictSame(await sim.program(), before);
    t.strictSame(await counts(), []);
    t.equal(await arrives(1), 'p2');
    t.equal(await arrives(5), 'br0 p2 p3 p4');
  });
}
