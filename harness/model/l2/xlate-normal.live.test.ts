/**
 * Goal: NORMAL treats VLANs as a real switch does, also across a patch cable to a second bridge, in
 * all three versions: every frame at every port, every flow's counter, every learned address.
 * Method: ports of all modes, one that floods are kept from, random frames with up to two tags
 * between a few addresses. SEED=n for others, SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor, type Random } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { PortPlan, VlanPlan } from '../../domain/plan/port-plan.js';
import { formatFlowId, type FlowCount } from '../../domain/switching.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { pick } from '../testkit/arbitrary-frame.js';
import { buildNode } from '../build-node.js';
import { stateOf } from '../state-of-node.js';
import { flowCounts, receiveFrame } from '../receive-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = Number(process.env['ROUNDS'] ?? 400);

const vlans: Readonly<Record<string, VlanPlan>> = {
  access5: { tag: 5, trunks: [] },
  access6: { mode: 'access', tag: 6, trunks: [] },
  all: { trunks: [] },
  some: { mode: 'trunk', trunks: [0, 5] },
  tagged5: { mode: 'native-tagged', tag: 5, trunks: [] },
  untagged6: { mode: 'native-untagged', tag: 6, trunks: [5] },
  untagged0: { mode: 'native-untagged', trunks: [5] },
  tunnel7: { mode: 'dot1q-tunnel', tag: 7, trunks: [] },
  tunnel5: { mode: 'dot1q-tunnel', tag: 5, trunks: [6] },
};
const ends = (names: readonly string[]): readonly PortPlan[] =>
  names.map((name, index) => ({
    kind: 'endpoint',
    name,
    ofport: index + 1,
    ...(vlans[name] === undefined ? {} : { vlan: vlans[name] }),
  }));
const quiet: PortPlan = { kind: 'endpoint', name: 'quiet', ofport: 3 };
const cable = (name: string, ofport: number, bridge: string, port: string): PortPlan => ({
  kind: 'patch',
  name,
  ofport,
  peer: { bridge, port },
});
const bridges: readonly BridgePlan[] = [
  {
    name: 'br0',
    mac: '02:00:00:00:00:fe',
    flows: [
      'priority=0 actions=set_field:7->reg0,NORMAL',
      'priority=5,udp actions=write_actions(output:3),goto_table:1',
      'table=1 actions=output:20',
    ],
    ports: [...ends(Object.keys(vlans)), cable('to1', 20, 'br1', 'to0')],
  },
  {
    name: 'br1',
    mac: '02:00:00:00:00:fd',
    flows: ['priority=0,reg0=0 actions=NORMAL', 'priority=5,udp actions=FLOOD'],
    ports: [
      ...ends(['other1', 'other2']),
      { ...quiet, flood: 'never' },
      cable('to0', 20, 'br0', 'to1'),
    ],
  },
];
const plan: NodePlan = { node: 'n1', bridges, hosts: [] };
const places = bridges.flatMap(({ name, ports }) => [
  name,
  ...ports.filter(({ kind }) => kind === 'endpoint').map((port) => port.name),
]);

function someFrame(random: Random): Uint8Array {
  const macs = ['0a0000000001', '0a0000000002', '0a0000000003', '0a0000000004'];
  const tag = () =>
    `${pick(random, ['8100', '8100', '88a8'])}${pick(random, ['0005', '0006', '0007', '0000', '6000', 'a005', '0009'])}`;
  const tags = Array.from({ length: pick(random, [0, 0, 1, 1, 1, 2]) }, tag).join('');
  const payload = pick(random, [
    '88b500112233',
    '88b500112233',
    `0800450000200000000040110000010203040506070800010002000c0000${'00'.repeat(8)}`,
  ]);
  return Buffer.from(
    `${pick(random, [...macs, 'ffffffffffff', '01005e000001', '0180c2000001'])}${pick(random, macs)}${tags}${payload}`,
    'hex',
  );
}

const inWords = (counts: readonly FlowCount[]) =>
  counts.map(({ flow, packets }) => `${flow.bridge} ${formatFlowId(flow)}: ${packets}`).sort();
const learned = ({ macs }: SwitchState) =>
  macs.map(({ bridge, port, vlan, mac }) => `${bridge} ${vlan} ${mac} ${port}`).sort();

for (const suite of suites) {
  void t.test(`NORMAL on ${suite}`, async (t) => {
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = buildNode(plan);
    const random = randomFor(seed, `normal ${suite}`);
    let frames = 0;
    for (let round = 0; round < rounds; round++) {
      const [port, frame] = [pick(random, places), someFrame(random)];
      const hex = (outputs: readonly { readonly port: string; readonly frame: Uint8Array }[]) =>
        outputs.map((output) => `${output.port} ${Buffer.from(output.frame).toString('hex')}`);
      const expected = hex(receiveFrame(model, port, frame).step.outputs);
      // A learned address that moves shows in the datapath's cache some time after.
      await sim.bundle('n1', 'br0', []);
      const [step] = await sim.call([{ kind: 'receive', node: 'n1', port, frames: [frame] }]);
      frames += expected.length;
      if (
        !t.same(
          hex(step?.outputs ?? []),
          expected,
          `round ${round} of seed ${seed}: ${Buffer.from(frame).toString('hex')} into ${port}`,
        )
      )
        return;
    }
    t.same(inWords(await sim.counts()), inWords(flowCounts(model)));
    t.same(learned(await sim.state()), learned(stateOf(model)));
    t.ok(frames > rounds, `${frames} frames came out`);
  });
}
