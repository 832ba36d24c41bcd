/**
 * Goal: connections that FTP and TFTP report are expected as a real Open vSwitch expects them, and
 * it remembers the same of them, in three versions. Method: datagrams and segments of both families
 * drawn from a seed between two hosts and few ports, some with FTP's words in them, and the same
 * where FTP's client is translated; flows write what the tracker said into the Ethernet addresses
 * of copies, which are compared byte by byte; after each packet the tables of connections are
 * compared. SUITE=trixie for one version, SEED=n for others.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import { randomFor, type Random } from '../../../base/random.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { SwitchState } from '../../../domain/switch-state.js';
import { ctStateBits } from '../../../openflow/match/fields.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../../packet/protocols/ip/ipv6.js';
import { encodeTcp } from '../../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import { pick } from '../../testkit/arbitrary-frame.js';
import { newest, parseVersion } from '../../behaviour.js';
import { resetNode } from '../../reset-node.js';
import { buildNode } from '../../build-node.js';
import { stateOf } from '../../state-of-node.js';
import { receiveFrame } from '../../receive-frame.js';

const seed = Number(process.env['SEED'] ?? 5);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const games = 16,
  packetsAGame = 40;

const families = ['ipv4', 'ipv6'] as const;
type Family = (typeof families)[number];
const words = {
  ipv4: { ip: 'ip', tcp: 'tcp', client: '10.0.0.1', server: '10.0.0.2', other: '10.0.0.9' },
  ipv6: { ip: 'ipv6', tcp: 'tcp6', client: 'fd00::1', server: 'fd00::2', other: 'fd00::9' },
} as const;

const showState =
  'clone(move:NXM_NX_CT_STATE[0..15]->NXM_OF_ETH_DST[0..15],' +
  'move:NXM_NX_CT_MARK[]->NXM_OF_ETH_DST[16..47],' +
  'move:NXM_NX_CT_LABEL[0..31]->NXM_OF_ETH_SRC[0..31],output:2)';
const reportedPorts =
  'clone(move:NXM_NX_CT_TP_SRC[]->NXM_OF_ETH_SRC[0..15],' +
  'move:NXM_NX_CT_TP_DST[]->NXM_OF_ETH_DST[0..15],' +
  'move:NXM_NX_CT_NW_SRC[]->NXM_OF_ETH_SRC[16..47],output:3)';
/** Either family; where FTP's connections are translated, all are asked for it. */
const planOf = (translation: (family: Family) => string): NodePlan => ({
  node: 'n',
  hosts: [],
  bridges: [
    {
      name: 'br',
      mac: '02:00:00:00:00:fe',
      ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
      flows: [
        ...families.map(
          (family) =>
            `table=0,${words[family].ip} ` +
            `actions=ct(table=1,zone=3${translation(family) === '' ? '' : ',nat'})`,
        ),
        ...[6, 17].map(
          (protocol) =>
            `table=1,priority=20,ip,ct_state=+trk-inv,ct_nw_proto=${protocol} ` +
            `actions=${showState},${reportedPorts},goto_table:2`,
        ),
        `table=1,priority=10 actions=${showState},goto_table:2`,
        ...families.flatMap((family) => [
          `table=2,priority=30,${words[family].ip},ct_state=+new+rel actions=ct(commit,` +
            `zone=3${translation(family) === '' ? '' : ',nat(src),table=3'},` +
            'exec(set_field:9->ct_mark))',
          `table=2,priority=20,${words[family].tcp},tp_dst=21,ct_state=+new actions=ct(commit,` +
            'zone=3,alg=ftp,exec(set_field:5->ct_mark,' +
            `set_field:0x77->ct_label)${translation(family)})`,
          `table=2,priority=20,${words[family].tcp},tp_dst=2121,ct_state=+new ` +
            `actions=ct(commit,zone=3,alg=ftp${translation(family)})`,
        ]),
        `table=3 actions=${showState},output:2`,
        'table=2,priority=20,udp,tp_dst=69,ct_state=+new actions=ct(commit,zone=3,alg=tftp,' +
          'exec(move:NXM_OF_UDP_SRC[]->NXM_NX_CT_MARK[0..15]))',
        'table=2,priority=20,udp,tp_dst=70,ct_state=+new actions=ct(commit,zone=3,alg=tftp)',
        'table=2,priority=15,udp,tp_dst=71,ct_state=+new actions=ct(commit,zone=3)',
      ],
    },
  ],
});

const extended = [
  'EPRT |1|10.0.0.1|4098|\r\n',
  'eprt |1|10.0.0.1|4099|',
  'EPRT |2|fd00::1|4097|\r\n',
  'EPRT |2|fd00::1|4098\r\n',
  'EPRT |2|fd00::9|4098|\r\n',
  '229 Entering Extended Passive Mode (|||4097|)\r\n',
  '229 extended passive (!!4098!)\r\n',
  '229 (|||70000|)\r\n',
  '229\r\n',
  'EPRT\r\n',
  'EPRT x\r\n',
];
const plain = [
  'PORT 10,0,0,1,16,2\r\n',
  'port 10,0,0,1,16,3\r\n',
  '227 Entering Passive Mode (10,0,0,2,16,1)\r\n',
  '227 =10,0,0,2,16,2\r\n',
  'PORT 10,0,0,9,16,1\r\n',
  '227 (10,0,0,1,16,3)\r\n',
  'PORT 10,0,0,2,16,1\r\n',
  'PORT 10,0,0,1,16\r\n',
  'PORT 10,00,0,1,16,1\r\n',
  '227 10.0.0.2 16,1\r\n',
  'PORT 10,0,0,1 16 2\r\n',
  'PORT 10,0,0,1,1600,2\r\n',
  'USER anonymous\r\n',
  '226 Done.\r\n',
  '',
  'P',
];
/**
 * Where the client has another address outside, some of what FTP says needs other words, and
 * gets none, for want of room; some does not.
 */
const ofTranslated = [
  'PORT 10,0,0,1,16,2\r\n',
  'PORT 10,0,0,1,16,3\r\n',
  'RETR file\r\n',
  '226 Transfer complete.\r\n',
  'EPRT |2|fd00::1|4098|\r\n',
  `EPRT |2|fd00::1|4099|${' '.repeat(45)}\r\n`,
  'PORT 10,0,0,9,16,2\r\n',
  '227 Entering Passive Mode (10,0,0,2,16,1)\r\n',
  '229 Entering Extended Passive Mode (|||4097|)\r\n',
  '229 extended passive (!!4098!)\r\n',
  'EPRT |2|fd00::9|4097|\r\n',
  'USER anonymous\r\n',
  '',
  '',
];

/**
 * A packet of either host to few ports of the other, or to the address that it is translated to.
 */
function anyPacket(random: Random, messages: Play['messages'], outside: number): Uint8Array {
  const family = pick(random, families);
  const isForth = random.integer(0, 2) > 0;
  const [near, far] = [
    4096 + random.integer(0, 3),
    pick(random, [21, 2121, 20, 69, 70, 71, 4097, 4098, 4099]),
  ];
  const { client, server, other } = words[family];
  const [src, dst] = isForth
    ? [client, server]
    : [server, random.integer(1, 100) <= outside ? other : client];
  const ports = isForth ? { srcPort: near, dstPort: far } : { srcPort: far, dstPort: near };
  const isTcp =
    far === 21 || far === 2121 || far === 20 || (far > 4096 && random.integer(0, 1) === 0);
  const segment = () =>
    encodeTcp(
      {
        ...ports,
        sequence: 1000,
        acknowledgement: 1000,
        flags: 0x10,
        window: 60_000,
        urgentPointer: 0,
        options: new Uint8Array(),
      },
      Buffer.from(pick(random, messages[family])),
      { src, dst },
    );
  const transport = isTcp ? segment() : encodeUdp(ports, Buffer.from('\0\u0001file'), { src, dst });
  const protocol = isTcp ? ipProtocols.tcp : ipProtocols.udp;
  const ip =
    family === 'ipv4'
      ? encodeIpv4({ src, dst, protocol, ttl: 64 }, transport)
      : encodeIpv6({ src, dst, nextHeader: protocol, hopLimit: 64 }, transport);
  return encodeEthernet(
    { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes[family] },
    ip,
  );
}

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const inOrder = ({ connections }: SwitchState) =>
  connections.map((connection) => JSON.stringify(connection)).sort();

interface Play {
  readonly what: string;
  readonly translation: (family: Family) => string;
  readonly messages: Readonly<Record<Family, readonly string[]>>;
  /** Percent of the answers that go to the other address. */
  readonly outside: number;
}

const plays: readonly Play[] = [
  {
    what: 'as they are',
    translation: () => '',
    messages: {
      ipv4: [...plain, ...plain, ...extended],
      ipv6: [...plain.slice(0, 2), ...extended],
    },
    outside: 0,
  },
  {
    what: 'translated',
    translation: (family) => `,nat(src=${words[family].other})`,
    messages: { ipv4: ofTranslated, ipv6: ofTranslated },
    outside: 85,
  },
];

for (const suite of suites) {
  void t.test(`${games * packetsAGame} packets each, ${suite}`, async (t) => {
    t.comment(`seed ${seed}`);
    const image = await openImage(suite, (line) => t.comment(line));
    for (const { what, translation, messages, outside } of plays) {
      const plan = planOf(translation);
      const sim = await openSim({ nodes: [plan] }, image);
      t.teardown(() => sim.close());
      const version = parseVersion(sim.versions['ovs-vswitchd'] ?? '') ?? newest;
      const model = buildNode(plan, version);
      const random = randomFor(seed, `helpers ${what}`);
      const parents = new Set<string>();
      const states = new Set<number>();
      for (let packet = 0; packet < games * packetsAGame; packet++) {
        if (packet % packetsAGame === 0) {
          await sim.reset();
          resetNode(model);
        }
        const frame = anyPacket(random, messages, outside);
        const expected = receiveFrame(model, 'p1', frame).step.outputs.map(
          (output) => `${output.port} ${hex(output.frame)}`,
        );
        const [step] = await sim.call([
          { kind: 'receive', node: 'n', port: 'p1', frames: [frame] },
        ]);
        if (
          !t.strictSame(
            step?.outputs.map((output) => `${output.port} ${hex(output.frame)}`),
            expected,
            `${what}, packet ${packet}: ${hex(frame)}`,
          )
        )
          return;
        states.add(Number.parseInt(expected[0]?.slice(11, 15) ?? '0', 16));
        const held = await sim.state();
        if (
          !t.strictSame(
            inOrder(held),
            inOrder(stateOf(model)),
            `${what}, connections after packet ${packet}: ${hex(frame)}`,
          )
        )
          return;
        for (const { protocol, parent, mark, original } of held.connections)
          if (parent !== undefined)
            parents.add(
              `${protocol} over ${original.includes(':') ? 'IPv6' : 'IPv4'}, ` +
                `${mark === 9 ? 'own' : 'parent'} mark`,
            );
      }
      t.strictSame(
        [...parents].sort(),
        ['tcp over IPv4, parent mark', 'tcp over IPv6, parent mark', 'udp over IPv4, parent mark'],
        `${what}: connections that others expected, with their marks`,
      );
      const { trk, inv, est, rel, rpl, new: fresh } = ctStateBits;
      const all = {
        expected: fresh | rel,
        'expected and there': est | rel,
        'answers to it': est | rel | rpl,
        ...(outside === 0 ? { 'foreign addresses': est | inv } : {}),
      };
      for (const [name, state] of Object.entries(all))
        t.ok(
          [...states].some((seen) => (seen & 0x3f) === (state | trk)),
          `${what}: ${name}`,
        );
    }
  });
}
