/**
 * Goal: Geneve options go through pipelines and tunnels as on real switches, in all three versions:
 * written, matched, moved, deleted, sent, and read again by a switch with another map. Method: two
 * nodes; what comes out of the first's uplink goes into the second's. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { formatFlowId, type FlowCount, type SwitchStep } from '../../domain/switching.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { frames } from '../testkit/case-frames.js';
import { newest, parseVersion } from '../behaviour.js';
import { buildNode } from '../build-node.js';
import { flowCounts, receiveFrame } from '../receive-frame.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');

const macs = ['02:00:00:00:01:01', '02:00:00:00:02:01'];
const node = (
  number: 1 | 2,
  integration: Pick<BridgePlan, 'flows' | 'tunnelOptions'>,
): NodePlan => ({
  node: `n${number}`,
  hosts: [],
  bridges: [
    {
      name: 'br-int',
      mac: `02:00:00:00:0${number}:00`,
      ...integration,
      ports: [
        { kind: 'tunnel', name: 'tun0', ofport: 1, tunnel: 'geneve' },
        ...[2, 3, 4, 5].map((ofport) => ({
          kind: 'endpoint' as const,
          name: `p${ofport}`,
          ofport,
        })),
      ],
    },
    {
      name: 'br-phys',
      mac: macs[number - 1]!,
      flows: ['actions=NORMAL'],
      ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: macs[number - 1]! }],
      underlay: {
        ip: `172.30.0.${number}`,
        prefixLength: 24,
        neighbours: [{ ip: `172.30.0.${3 - number}`, mac: macs[2 - number]! }],
      },
    },
  ],
});

const toTunnel = 'set_field:172.30.0.2->tun_dst,set_field:9->tun_id,output:1';
const plans: readonly NodePlan[] = [
  node(1, {
    tunnelOptions: [
      '{class=0x102,type=0x80,len=4}->tun_metadata0,{class=0xffff,type=1,len=8}->tun_metadata2',
      '{class=0xffff,type=0x99,len=4}->tun_metadata40,{class=0xffff,type=3,' +
        'len=124}->tun_metadata63',
    ],
    flows: [
      `priority=1,in_port=2 actions=${toTunnel}`,
      'priority=2,in_port=2,udp actions=set_field:0x12345678->tun_metadata0,' +
        `set_field:0xabcdef0123456789->tun_metadata2,set_field:oam->tun_flags,${toTunnel}`,
      'in_port=3,actions=set_field:5->tun_metadata63,' +
        'move:NXM_NX_TUN_METADATA63[0..7]->NXM_NX_REG0[0..7],set_field:0x77/0xff->tun_metadata0,' +
        'goto_table:1',
      `in_port=4,actions=set_field:7->tun_metadata40,${toTunnel}`,
      `in_port=5,actions=set_field:7->tun_metadata0,delete_field:tun_metadata0,goto_table:2`,
      'table=1,reg0=5,tun_metadata63=5,tun_metadata0=0x7/0xf ' +
        `actions=set_field:6->tun_metadata63,${toTunnel}`,
      `table=2,tun_metadata0 actions=output:2`,
      `table=2,priority=1 actions=move:NXM_NX_TUN_METADATA0[0..31]->NXM_NX_REG0[],goto_table:3`,
      'table=3,reg0=7,actions=output:3',
    ],
  }),
  node(2, {
    tunnelOptions: [
      '{class=0xffff,type=1,len=8}->tun_metadata1,{class=0x102,type=0x80,len=4}->tun_metadata5',
      '{class=0xffff,type=3,len=124}->tun_metadata6',
    ],
    flows: [
      'in_port=1,tun_id=9,tun_metadata5=0x12345678,tun_metadata1=0xabcdef0123456789,' +
        'tun_flags=+oam actions=output:2',
      'in_port=1,tun_metadata6=6,tun_metadata5=0x77 actions=output:3',
      'priority=1,in_port=1 actions=output:4',
    ],
  }),
];

const hex = ({ outputs }: SwitchStep) =>
  outputs.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`);
const inWords = (counts: readonly FlowCount[]) =>
  counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${flow.node} ${flow.bridge} ${formatFlowId(flow)}: ${packets}`)
    .sort();

for (const suite of suites) {
  void t.test(`options of tunnels on ${suite}`, async (t) => {
    const sim = await openSim({ nodes: plans }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const nodes = plans.map((plan) =>
      buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest),
    );
    const send = async (number: 1 | 2, port: string, frame: Uint8Array): Promise<SwitchStep> => {
      const expected = receiveFrame(nodes[number - 1]!, port, frame).step;
      const [step = { outputs: [] }] = await sim.call([
        { kind: 'receive', node: `n${number}`, port, frames: [frame] },
      ]);
      t.strictSame(hex(step), hex(expected), `into ${port} of n${number}`);
      return step;
    };
    const ways: string[] = [];
    for (const [port, frame] of [
      ['p2', frames.udp],
      ['p2', frames.label],
      ['p3', frames.udp],
      ['p4', frames.udp],
      ['p5', frames.udp],
    ] as const) {
      const first = await send(1, port, frame);
      for (const output of first.outputs)
        ways.push(
          `${port} ` +
            (output.port === 'up'
              ? (await send(2, 'up', output.frame)).outputs.map((arrived) => arrived.port).join(' ')
              : output.port),
        );
    }
    t.strictSame(ways, ['p2 p2', 'p2 p4', 'p3 p3', 'p4 ', 'p5 p3']);
    t.strictSame(inWords(await sim.counts()), inWords(nodes.flatMap(flowCounts)));
  });
}
