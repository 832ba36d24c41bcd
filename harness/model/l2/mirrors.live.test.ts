/**
 * Goal: mirrors copy in the model what they copy on real switches, byte by byte: as packets come
 * in, go out, change, and come back, in and out of VLANs, cut off or whole. Method: random
 * mirrors over one pipeline with everything that sends; random frames; all three versions. SEED=n
 * for others, SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { Unsupported } from '../../base/errors/errors.js';
import { randomFor, type Random } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { MirrorPlan } from '../../domain/plan/bridge-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import { formatFlowId, type SwitchStep } from '../../domain/switching.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { openSim } from '../../testbeds/sim/sim.js';
import type { Testbed } from '../../testbeds/testbed.js';
import { pick } from '../testkit/arbitrary-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const switches = Number(process.env['COUNT'] ?? 6);
const rounds = 60;

const ports: readonly PortPlan[] = [
  { kind: 'endpoint', name: 'p1', ofport: 1 },
  { kind: 'endpoint', name: 'p2', ofport: 2, vlan: { tag: 5, trunks: [] } },
  { kind: 'endpoint', name: 'p3', ofport: 3, vlan: { trunks: [5, 6] } },
  {
    kind: 'endpoint',
    name: 'p4',
    ofport: 4,
    vlan: { mode: 'native-untagged', tag: 5, trunks: [6, 7] },
  },
  { kind: 'endpoint', name: 'p5', ofport: 5 },
  { kind: 'endpoint', name: 'p6', ofport: 6, vlan: { tag: 9, trunks: [] } },
  { kind: 'patch', name: 'to1', ofport: 7, peer: { bridge: 'br1', port: 'to0' } },
];
const flows = [
  'priority=1,actions=NORMAL',
  'udp,tp_dst=1,actions=output:1,output:2,output:3',
  'udp,tp_dst=2,actions=output:1,dec_ttl,output:2,set_field:3->reg0,output:3',
  'udp,tp_dst=3,actions=push_vlan:0x8100,set_field:4102->vlan_vid,output:4,pop_vlan,output:1',
  'udp,tp_dst=4,actions=ct(table=1),output:2',
  'table=1,actions=output:3,output:1',
  'udp,tp_dst=5,actions=FLOOD',
  'udp,tp_dst=6,actions=group:1',
  'udp,tp_dst=7,actions=clone(set_field:0a:00:00:00:00:77->eth_src,output:4),IN_PORT',
  'udp,tp_dst=8,actions=drop',
  'udp,tp_dst=9,actions=resubmit(,9)',
  'udp,tp_dst=10,actions=output:7,output:1',
  'udp,tp_dst=11,actions=output:4,write_actions(set_field:5->nw_ttl,output:3)',
  'udp,tp_dst=12,actions=set_field:7->tun_id,output:1,move:NXM_NX_REG0[0..7]->NXM_NX_IP_TTL[],' +
    'output:2',
];
const groups = [
  'group_id=1,type=all,bucket=output:1,bucket=set_field:0a:00:00:00:00:66->eth_dst,output:3,' +
    'bucket=output:4',
];
const names = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'br0'];

function arbitraryMirror(random: Random, index: number, isAlone: boolean): MirrorPlan {
  const some = () => names.filter(() => random.integer(0, 2) === 0);
  const output =
    random.integer(0, 2) === 0
      ? ({ kind: 'vlan', vlan: pick(random, [6, 9]) } as const)
      : ({ kind: 'port', port: pick(random, ['p5', 'p6', 'p5', 'to1']) } as const);
  const snapLength =
    random.integer(0, 2) === 0 && (isAlone || output.kind === 'port')
      ? { snapLength: pick(random, [14, 40, 65535]) }
      : {};
  return {
    name: `m${index}`,
    select: random.integer(0, 1) === 0 ? 'all' : { sources: some(), destinations: some() },
    vlans: random.integer(0, 2) === 0 ? pick(random, [[5], [0], [6, 9]]) : [],
    output,
    ...snapLength,
  };
}

function planOf(random: Random): NodePlan {
  const count = random.integer(1, 3);
  const mirrors = Array.from({ length: count }, (_, index) =>
    arbitraryMirror(random, index, count === 1),
  );
  const below: MirrorPlan = {
    name: 'below',
    select: 'all',
    vlans: [],
    output: { kind: 'port', port: 'q2' },
  };
  return {
    node: 'n1',
    hosts: [],
    bridges: [
      { name: 'br0', mac: '02:00:00:00:00:fe', ports, flows, groups, mirrors },
      {
        name: 'br1',
        mac: '02:00:00:00:00:fd',
        flows: ['actions=NORMAL'],
        mirrors: [below],
        ports: [
          { kind: 'patch', name: 'to0', ofport: 1, peer: { bridge: 'br0', port: 'to1' } },
          { kind: 'endpoint', name: 'q1', ofport: 2 },
          { kind: 'endpoint', name: 'q2', ofport: 3 },
        ],
      },
    ],
  };
}

function arbitraryPacket(random: Random): Uint8Array {
  const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
  const packet = encodeIpv4(
    { ...addresses, protocol: ipProtocols.udp, ttl: 64 },
    encodeUdp({ srcPort: 4000, dstPort: random.integer(1, 13) }, new Uint8Array(20), addresses),
  );
  const mac = () => `0a:00:00:00:00:0${random.integer(1, 4)}`;
  const vlan = pick(random, ['none', 'none', 0, 5, 6, 9]);
  const frame = encodeEthernet(
    {
      src: mac(),
      dst: random.integer(0, 9) === 0 ? '01:80:c2:00:00:02' : mac(),
      etherType: etherTypes.ipv4,
    },
    packet,
  );
  return vlan === 'none'
    ? frame
    : concatBytes(
        frame.subarray(0, 12),
        Uint8Array.of(0x81, 0, random.integer(0, 7) << 5, Number(vlan)),
        frame.subarray(12),
      );
}

const inWords = (steps: readonly SwitchStep[]) =>
  steps
    .flatMap(({ outputs }) => outputs)
    .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
    .sort();
const counted = async (testbed: Testbed) =>
  (await testbed.counts()).map(({ flow, packets }) => `${formatFlowId(flow)}: ${packets}`).sort();

for (const suite of suites) {
  void t.test(`mirrors on ${suite}`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const copies = { more: 0, none: 0, refused: 0 };
    for (let number = 0; number < switches; number++) {
      const random = randomFor(seed, `mirrors ${suite} ${number}`);
      const plan = planOf(random);
      const sim = await openSim({ nodes: [plan] }, image);
      try {
        const model = openModel({ nodes: [plan] }, sim.versions);
        const bare = openModel(
          {
            nodes: [
              { ...plan, bridges: plan.bridges.map((bridge) => ({ ...bridge, mirrors: [] })) },
            ],
          },
          sim.versions,
        );
        for (let round = 0; round < rounds; round++) {
          const port = pick(random, names);
          const frame = arbitraryPacket(random);
          const calls = [{ kind: 'receive', node: 'n1', port, frames: [frame] }] as const;
          const predicted = await model
            .call(calls)
            .then(inWords, (error: unknown) =>
              error instanceof Unsupported ? error : Promise.reject(error as Error),
            );
          // What is cached does not ask for all that mirrors go by.
          await sim.bundle('n1', 'br0', []);
          const [seen, without] = [inWords(await sim.call(calls)), inWords(await bare.call(calls))];
          if (predicted instanceof Unsupported) {
            // What they have learned and counted may differ.
            for (const testbed of [model, sim, bare]) await testbed.reset();
            copies.refused++;
            continue;
          }
          copies[predicted.length > without.length ? 'more' : 'none']++;
          if (
            !t.strictSame(
              seen,
              predicted,
              `seed ${seed}, switch ${number}, round ${round}: into ${port} ` +
                `${Buffer.from(frame).toString('hex')}; ` +
                JSON.stringify(plan.bridges[0]?.mirrors),
            )
          )
            return;
        }
        t.strictSame(await counted(sim), await counted(model), `counters of switch ${number}`);
      } finally {
        await sim.close();
      }
    }
    t.ok(
      copies.more > copies.refused && copies.none > 50,
      `some packets are copied, others are not: ${JSON.stringify(copies)}`,
    );
  });
}
