/**
 * Goal: of packets of every protocol over IPv4 and IPv6, and of errors about them, the model's
 * tracker says what a real Open vSwitch says, and remembers the same. Method: packets drawn from a
 * seed between few addresses and ports, in two zones; flows write what the tracker said (ct_state,
 * mark, zone, and the fields of the original direction) into the Ethernet addresses of copies,
 * which are compared byte by byte; after each batch the tables of connections are compared, and
 * some time passes. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor } from '../../base/random.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { ctStateBits } from '../../openflow/match/fields.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { newest, parseVersion } from '../behaviour.js';
import { buildNode } from '../build-node.js';
import { stateOf } from '../state-of-node.js';
import { receiveFrame } from '../receive-frame.js';
import { anySent, framed, type Sent } from '../testkit/arbitrary-traffic.js';
import { ctReportPlan as plan } from '../testkit/ct-report-plan.js';

const seed = 31;
const batches = 60;
const packetsABatch = 40;
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const inOrder = ({ connections }: SwitchState) =>
  connections.map((connection) => JSON.stringify(connection)).sort();

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
      for (let index = 0; index < packetsABatch; index++)
        sent.push(anySent(random, [...earlier, ...sent]));
      earlier = sent;
      for (const frame of sent.map((packet) => framed(random, packet))) {
        const expected = receiveFrame(model, 'p1', frame).step.outputs.map(
          (output) => `${output.port} ${hex(output.frame)}`,
        );
        const [step] = await sim.call([
          { kind: 'receive', node: 'n', port: 'p1', frames: [frame] },
        ]);
        const found = step?.outputs.map((output) => `${output.port} ${hex(output.frame)}`) ?? [];
        const state = Number.parseInt(expected[0]?.slice(11, 15) ?? '0', 16);
        met.set(state, (met.get(state) ?? 0) + 1);
        if (found.join() === expected.join()) continue;
        t.strictSame(found, expected, `batch ${batch}: ${hex(frame)}`);
        t.comment(
          [...inOrder(await sim.state()), 'the model remembers', ...inOrder(stateOf(model))].join(
            '\n',
          ),
        );
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
    for (const [name, state] of Object.entries({
      invalid: inv,
      new: fresh,
      established: est,
      reply: est | rpl,
      related: rel,
      'related to a reply': rel | rpl,
    })) {
      const times = met.get(state | trk) ?? 0;
      t.ok(times > 50, `${name}: ${times} times`);
    }
    for (const protocol of [
      '47',
      '89',
      'dccp',
      'icmp',
      'icmpv6',
      'igmp',
      'sctp',
      'tcp',
      'udp',
      'udplite',
    ])
      t.ok(protocols.has(protocol), `connections of ${protocol}`);
  });
}
