/**
 * Goal: the flows of a bridge are those of a real switch after any sequence of changes, packets and
 * time, in all three versions: added, modified, deleted, learned, expired; with what each counted,
 * since when it is there, and how long ago it was used. Method: seeded sequences; after each step
 * what came out, and the whole dump but for cookies that ovs-ofctl hides. SEED=n for others,
 * SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import { InputError, Unsupported } from '../../../base/errors/errors.js';
import { randomFor, type Random } from '../../../base/random.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { SwitchCall, SwitchStep } from '../../../domain/switching.js';
import { printDumpedFlow, type DumpedFlow } from '../../../openflow/flows/flow.js';
import { canonical } from '../../../openflow/syntax/form.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import { pick } from '../../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../../behaviour.js';
import type { ModelNode } from '../../model-node.js';
import { resetNode } from '../../reset-node.js';
import { buildNode } from '../../build-node.js';
import { applyCall } from '../../apply-call.js';
import { receiveFrame } from '../../receive-frame.js';
import { dumpFlows } from './dump-flows.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = Number(process.env['ROUNDS'] ?? 150);
const node = 'n1';

const flows = [
  'priority=9,udp,tp_dst=1 actions=learn(table=1,idle_timeout=4,hard_timeout=9,priority=7,' +
    'cookie=0x11,eth_type=0x800,NXM_OF_IP_SRC[],load:NXM_OF_IN_PORT[]->NXM_NX_REG0[0..15],' +
    'output:NXM_OF_IN_PORT[]),resubmit(,1)',
  'priority=9,udp,tp_dst=2 actions=learn(table=1,hard_timeout=5,cookie=0x12,delete_learned,' +
    'limit=2,result_dst=NXM_NX_REG1[0],eth_type=0x800,NXM_OF_IP_DST[]=NXM_OF_IP_SRC[],' +
    'load:0x5->NXM_NX_REG2[]),resubmit(,2)',
  'priority=9,tcp actions=learn(table=1,idle_timeout=9,fin_idle_timeout=2,fin_hard_timeout=4,' +
    'cookie=0x13,priority=8,eth_type=0x800,nw_proto=6,NXM_OF_TCP_SRC[],output:NXM_OF_IN_PORT[]),' +
    'resubmit(,1)',
  'priority=9,udp,tp_dst=3,idle_timeout=6 actions=clone(learn(table=3,send_flow_rem,' +
    'cookie=0x14,delete_learned,NXM_OF_ETH_SRC[],NXM_OF_VLAN_TCI[0..11],' +
    'load:NXM_OF_ETH_SRC[16..47]->NXM_OF_ETH_DST[0..31])),resubmit(,3),output:2',
  'priority=3,idle_timeout=5,hard_timeout=20,udp,tp_dst=4 actions=output:2',
  'priority=1 actions=resubmit(,1)',
  'table=1,priority=0 actions=output:4',
  'table=2,reg1=1 actions=output:2,resubmit(,1)',
  'table=2,reg1=0 actions=output:3',
  'table=3,priority=0,cookie=0x14 actions=output:3',
];
const plan: NodePlan = {
  node,
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
      flows,
      groups: ['group_id=1,type=all,bucket=output:2,bucket=output:3'],
    },
  ],
};

const someMatch = (random: Random) =>
  pick(random, [
    '',
    'udp',
    'udp,tp_dst=1',
    'udp,tp_dst=2',
    'tcp',
    'ip',
    'ip,nw_src=10.0.0.1',
    'ip,nw_src=10.0.0.0/30',
    'in_port=1',
    'udp,tp_dst=4,nw_src=10.0.0.2',
    'dl_vlan=5',
    'vlan_tci=0/0xfff',
  ]);
const someAttributes = (random: Random) => [
  `table=${random.integer(0, 3)}`,
  ...pick(random, [[], [`cookie=0x1${random.integer(1, 5)}`]]),
  ...pick(random, [
    [],
    [],
    ['idle_timeout=3'],
    ['hard_timeout=7'],
    ['idle_timeout=2', 'hard_timeout=3'],
  ]),
  ...pick(random, [
    [],
    [],
    ['check_overlap'],
    ['reset_counts'],
    ['send_flow_rem', 'reset_counts'],
    ['importance=3'],
  ]),
];
const someActions = (random: Random) =>
  pick(random, [
    'drop',
    'output:2',
    'output:3,output:2',
    'group:1',
    'group:2',
    'resubmit(,1)',
    'learn(table=1,cookie=0x11,delete_learned,priority=3,eth_type=0x800,NXM_OF_IP_SRC[],' +
      'output:NXM_OF_IN_PORT[]),output:3',
    'learn(table=2,cookie=0x12,delete_learned,in_port=3,limit=1,hard_timeout=6)',
    'enqueue:3:1',
    'controller',
  ]);
const asked = (random: Random) => [
  ...pick(random, [[], [], [`table=${random.integer(0, 3)}`]]),
  ...pick(random, [[], [], ['cookie=0x11/-1'], ['cookie=0x10/0xf5']]),
];

/**
 * What `flow add`, `flow modify` and so on ask for; many ask for nothing that is there, or for what
 * is refused.
 */
function someLine(random: Random): string {
  const text = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(',');
  const priority = `priority=${pick(random, [0, 1, 3, 7, 9, 32768])}`;
  switch (random.integer(0, 9)) {
    case 0:
      return (
        'group ' +
        pick(random, [
          'add group_id=2,type=indirect,bucket=output:4',
          'delete group_id=2',
          'modify group_id=1,type=select,bucket=output:3',
          'insert_bucket group_id=1,command_bucket_id=first,bucket=output:4',
          'remove_bucket group_id=1,command_bucket_id=first',
          'delete',
        ])
      );
    case 1:
    case 2:
      return (
        'flow modify ' +
        text(
          ...asked(random),
          someMatch(random),
          pick(random, ['', 'reset_counts']),
          `actions=${someActions(random)}`,
        )
      );
    case 3:
      return (
        'flow modify_strict ' +
        text(
          ...asked(random),
          priority,
          someMatch(random),
          pick(random, ['', 'reset_counts']),
          `actions=${someActions(random)}`,
        )
      );
    case 4:
      return (
        'flow delete ' +
        text(
          ...asked(random),
          someMatch(random),
          pick(random, ['', '', 'out_port=2', 'out_group=1']),
        )
      );
    case 5:
      return `flow delete_strict ${text(...asked(random), priority, someMatch(random))}`;
    default:
      return (
        'flow add ' +
        text(
          ...someAttributes(random),
          priority,
          someMatch(random),
          `actions=${someActions(random)}`,
        )
      );
  }
}

function someFrame(random: Random): Uint8Array {
  const addresses = { src: `10.0.0.${random.integer(1, 4)}`, dst: '10.0.0.9' };
  const srcPort = random.integer(4000, 4002);
  const payload = new Uint8Array(random.integer(0, 9));
  const flags = pick(random, [
    tcpFlags.SYN,
    tcpFlags.ACK,
    tcpFlags.ACK,
    tcpFlags.FIN | tcpFlags.ACK,
    tcpFlags.RST,
  ]);
  const [protocol, segment] =
    random.integer(0, 2) === 0
      ? [
          ipProtocols.tcp,
          encodeTcp(
            {
              srcPort,
              dstPort: 80,
              sequence: 1,
              acknowledgement: 0,
              flags,
              window: 1000,
              urgentPointer: 0,
              options: new Uint8Array(),
            },
            payload,
            addresses,
          ),
        ]
      : [
          ipProtocols.udp,
          encodeUdp({ srcPort, dstPort: random.integer(1, 5) }, payload, addresses),
        ];
  return encodeEthernet(
    {
      src: `0a:00:00:00:00:0${random.integer(1, 3)}`,
      dst: '0a:00:00:00:00:09',
      etherType: etherTypes.ipv4,
    },
    encodeIpv4({ ...addresses, protocol, ttl: 64 }, segment),
  );
}

function nextCall(random: Random): SwitchCall {
  const kind = random.integer(0, 9);
  if (kind <= 2)
    return {
      kind: 'change',
      node,
      bridge: 'br0',
      lines: Array.from({ length: random.integer(1, 3) }, () => someLine(random)),
    };
  if (kind <= 4)
    return {
      kind: 'advance',
      node,
      ms: pick(random, [1, 999, 1000, 1001, 1500, 2000, 3000, 4001]),
    };
  return {
    kind: 'receive',
    node,
    port: `p${random.integer(1, 3)}`,
    frames: Array.from({ length: random.integer(1, 3) }, () => someFrame(random)),
  };
}

/** OpenFlow 1.5 does not report the age of changes. */
function printed({ flow, statistics }: DumpedFlow): string {
  const { hardAge: _, ...others } = statistics ?? { durationNs: 0n, packets: 0n, bytes: 0n };
  return printDumpedFlow({ flow, statistics: others }, canonical);
}

const inWords = (steps: readonly (SwitchStep | undefined)[]) =>
  steps
    .flatMap((step) => step?.outputs ?? [])
    .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
    .sort();
const described = (call: SwitchCall) =>
  call.kind === 'receive'
    ? `receive ${call.port} ` +
      call.frames.map((frame) => Buffer.from(frame).toString('hex')).join(' ')
    : JSON.stringify(call);

/**
 * The model's outputs, or `refused`; nothing where it does not know which of several flows a packet
 * takes, or what happens when a flow expires.
 */
function predict(model: ModelNode, call: SwitchCall): readonly string[] | undefined {
  try {
    if (call.kind === 'receive')
      return inWords(call.frames.map((frame) => receiveFrame(model, call.port, frame).step));
    applyCall(model, call);
    return [];
  } catch (error) {
    if (error instanceof InputError) return ['refused'];
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

for (const suite of suites) {
  void t.test(`flows come and go on ${suite}`, async (t) => {
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = buildNode(plan, parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest);
    const random = randomFor(seed, `flows ${suite}`);
    const dumped = async () =>
      (await sim.dumpFlows(node, 'br0'))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith('cookie='))
        .sort();
    const see = async (call: SwitchCall) => {
      try {
        return inWords(await sim.call([call]));
      } catch (error) {
        if (error instanceof InputError) return ['refused'];
        throw error;
      }
    };
    const met = { refused: 0, expired: 0, learned: 0 };
    const past: string[] = [];
    const begin = async () => {
      await sim.reset();
      resetNode(model);
      past.length = 0;
    };
    for (let round = 0; round < rounds; round++) {
      if (round % 30 === 29) await begin();
      const call = nextCall(random);
      past.push(described(call));
      const before = dumpFlows(model.bridges[0]!, model.nowMs).length;
      const predicted = predict(model, call);
      if (predicted === undefined) {
        await begin();
        continue;
      }
      const seen = await see(call);
      const expected = dumpFlows(model.bridges[0]!, model.nowMs).map(printed).sort();
      if (predicted[0] === 'refused') met.refused++;
      else if (call.kind === 'advance' && expected.length < before) met.expired++;
      else if (call.kind === 'receive' && expected.length > before) met.learned++;
      t.strictSame(seen, predicted, `what comes out in round ${round} of seed ${seed}`);
      t.strictSame(await dumped(), expected, `the flows in round ${round} of seed ${seed}`);
      if (t.passing()) continue;
      t.comment(past.join('\n'));
      return;
    }
    t.ok(met.refused > 2 && met.expired > 2 && met.learned > 2, JSON.stringify(met));
  });
}
