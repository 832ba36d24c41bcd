/**
 * Goal: of packets of every protocol over IPv4 and IPv6, and of errors about them, the model's tracker says what a real Open vSwitch
 * says, and remembers the same. Method: packets drawn from a seed between few addresses and ports, in two zones; flows write what
 * the tracker said (ct_state, mark, zone, and the fields of the original direction) into the Ethernet addresses of copies, which are
 * compared byte by byte; after each batch the tables of connections are compared, and some time passes. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor } from '../../base/random.js';
import type { NodePlan } from '../../nouns/plan.js';
import type { SwitchState } from '../../nouns/state.js';
import { ctStateBits } from '../../openflow/fields.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { newest, parseVersion } from '../behaviour.js';
import { buildNode } from '../node.js';
import { stateOf } from '../state.js';
import { receiveFrame } from '../switch.js';
import { anySent, framed, type Sent } from './arbitrary-traffic.js';

const seed = 31;
const batches = 60;
const packetsABatch = 40;
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

const valid = 'ct_state=+trk-inv';
const told = {
  state: 'clone(move:NXM_NX_CT_STATE[0..15]->NXM_OF_ETH_DST[0..15],move:NXM_NX_CT_MARK[]->NXM_OF_ETH_DST[16..47],move:NXM_NX_CT_ZONE[]->NXM_OF_ETH_SRC[0..15],move:NXM_NX_CT_LABEL[96..127]->NXM_OF_ETH_SRC[16..47],output:2)',
  ipv4: 'clone(move:NXM_NX_CT_NW_SRC[]->NXM_OF_ETH_SRC[0..31],move:NXM_NX_CT_NW_DST[]->NXM_OF_ETH_DST[0..31],move:NXM_NX_CT_NW_PROTO[]->NXM_OF_ETH_DST[32..39],output:2)',
  ipv6: 'clone(move:NXM_NX_CT_IPV6_SRC[0..47]->NXM_OF_ETH_SRC[],move:NXM_NX_CT_IPV6_DST[0..47]->NXM_OF_ETH_DST[],output:2),clone(move:NXM_NX_CT_IPV6_SRC[80..127]->NXM_OF_ETH_SRC[],move:NXM_NX_CT_IPV6_DST[80..127]->NXM_OF_ETH_DST[],output:2)',
  ports: 'clone(move:NXM_NX_CT_TP_SRC[]->NXM_OF_ETH_SRC[0..15],move:NXM_NX_CT_TP_DST[]->NXM_OF_ETH_DST[0..15],output:2)',
};
const flows = [
  ...['ip', 'ipv6'].flatMap((family) => [
    `table=0,priority=10,${family},dl_src=02:00:00:00:00:01 actions=ct(table=1,zone=5)`,
    `table=0,priority=9,${family} actions=ct(table=1,zone=0)`,
    ...[1, 6, 17, 58, 132].map((protocol) => `table=1,priority=20,${family},${valid},ct_nw_proto=${protocol} actions=${told.state},${family === 'ip' ? told.ipv4 : told.ipv6},${told.ports},goto_table:2`),
    `table=1,priority=10,${family},${valid} actions=${told.state},${family === 'ip' ? told.ipv4 : told.ipv6},goto_table:2`,
    `table=1,priority=5,${family} actions=${told.state}`,
    `table=2,priority=20,${family},ct_state=+new,dl_src=02:00:00:00:00:81 actions=ct(commit,zone=0,exec(set_field:0x123456789abcdef00000000000000007->ct_label))`,
    `table=2,priority=10,${family},ct_state=+new,ct_zone=5 actions=ct(commit,zone=5,exec(move:NXM_OF_ETH_SRC[0..15]->NXM_NX_CT_MARK[0..15]))`,
    `table=2,priority=10,${family},ct_state=+new,ct_zone=0 actions=ct(commit)`,
  ]),
];
const plan: NodePlan = { node: 'n', hosts: [], bridges: [{ name: 'br', mac: '02:00:00:00:00:fe', ports: [1, 2].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })), flows }] };

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const inOrder = ({ connections }: SwitchState) => connections.map((connection) => JSON.stringify(connection)).sort();

for (const suite of suites) {
  void t.test(`${batches * packetsABatch} packets, ${suite}`, async (t) => {
    t.comment(`seed ${seed}`);
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
    const random = randomFor(seed, 'tracker');
    const met = new Map<number, number>();
    const protocols = new Set<string>();
    let earlier: readonly Sent[] = [];
    for (let batch = 0; batch < batches; batch++) {
      const sent: Sent[] = [];
      for (let index = 0; index < packetsABatch; index++) sent.push(anySent(random, [...earlier, ...sent]));
      earlier = sent;
      for (const frame of sent.map((packet) => framed(random, packet))) {
        const expected = receiveFrame(model, 'p1', frame).step.outputs.map((output) => hex(output.frame));
        const [step] = await sim.call([{ kind: 'receive', node: 'n', port: 'p1', frames: [frame] }]);
        const found = step?.outputs.map((output) => hex(output.frame)) ?? [];
        const state = Number.parseInt(expected[0]?.slice(8, 12) ?? '0', 16);
        met.set(state, (met.get(state) ?? 0) + 1);
        if (found.join() === expected.join()) continue;
        t.strictSame(found, expected, `batch ${batch}: ${hex(frame)}`);
        t.comment([...inOrder(await sim.state()), 'the model remembers', ...inOrder(stateOf(model))].join('\n'));
        return;
      }
      const held = await sim.state();
      for (const { protocol } of held.connections) protocols.add(protocol);
      t.strictSame(inOrder(held), inOrder(stateOf(model)), `connections after batch ${batch}`);
      if (!t.passing()) return;
      const ms = random.integer(0, 3) === 0 ? random.integer(1, 70_000) : 1;
      model.nowMs += ms;
      await sim.call([{ kind: 'advance', node: 'n', ms }]);
    }
    const { trk, inv, est, rel, rpl, new: fresh } = ctStateBits;
    for (const [name, state] of Object.entries({ invalid: inv, new: fresh, established: est, reply: est | rpl, related: rel, 'related to a reply': rel | rpl })) {
      const times = met.get(state | trk) ?? 0;
      t.ok(times > 50, `${name}: ${times} times`);
    }
    for (const protocol of ['47', '89', 'dccp', 'icmp', 'icmpv6', 'igmp', 'sctp', 'tcp', 'udp', 'udplite']) t.ok(protocols.has(protocol), `connections of ${protocol}`);
  });
}
