/**
 * Goal: the sim reports all that controllers get, in its order, and what Open vSwitch's own
 * programs read in it; packets that wait go on where the plan says so; a packet-in that got lost is
 * not kept quiet. Method: flows of each kind; thousands of packets at once; an oracle, ovs-ofctl's
 * printer, on the same messages; a switch made to lose some, and a step that is changed on its way.
 */
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import { Unavailable } from '../../../base/errors/errors.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { PacketIn, SwitchStep } from '../../../domain/switching.js';
import { printMatch } from '../../../openflow/match/print-match.js';
import { connectOpenflow } from '../../../ovs/openflow/openflow-connection.js';
import {
  encodeExtension,
  encodeListening,
  readPacketIn,
  subtypes,
} from '../../../ovs/openflow/openflow-messages.js';
import { runProgram } from '../../../ovs/process/run-program.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { openSim } from '../sim.js';
import { type OpenOptions, type OvsSwitches } from '../../ovs-switches.js';

const image = await openImage('trixie', (line) => t.comment(line));

const bridge: BridgePlan = {
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
  controllers: [
    { id: 0, paused: 'resumed' },
    { id: 7, paused: 'kept' },
  ],
  groups: ['group_id=1,type=all,bucket=controller,bucket=output:2'],
  flows: [
    'table=0,priority=0 actions=controller',
    'table=0,priority=9,udp,tp_dst=1 actions=set_field:0x1234->reg0,set_field:5->reg7,' +
      'set_field:0xabc->metadata,set_field:9->tun_id,set_field:3->pkt_mark,' +
      'controller(userdata=01.02.03,id=7),output:2',
    'table=0,priority=9,udp,tp_dst=2 ' +
      'actions=controller(pause,userdata=ff),dec_ttl,controller(pause),output:3',
    'table=0,priority=9,udp,tp_dst=3 actions=output:2,controller(pause,id=7),output:3',
    'table=0,priority=9,udp,tp_dst=4 actions=dec_ttl(0,7,8),output:2',
    'table=0,priority=9,udp,tp_dst=5 actions=group:1,write_actions(output:CONTROLLER),goto_table:5',
    'table=0,priority=9,udp,tp_dst=6 actions=ct(table=6,zone=4)',
    `table=0,priority=9,udp,tp_dst=7 actions=${'controller,'.repeat(1100)}output:2`,
    'table=5,cookie=0x99 actions=set_field:1->reg1,controller(max_len=20)',
    'table=6,ip actions=controller(id=7),ct(commit,zone=4,exec(set_field:7->ct_mark))',
  ],
};

function udp(dstPort: number, ttl = 64): Uint8Array {
  const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
  return encodeEthernet(
    { dst: '02:00:00:00:00:0b', src: '02:00:00:00:00:0a', etherType: etherTypes.ipv4 },
    encodeIpv4(
      { ...addresses, protocol: ipProtocols.udp, ttl },
      encodeUdp({ srcPort: 5, dstPort }, new Uint8Array(20), addresses),
    ),
  );
}

async function send(sim: OvsSwitches, frame: Uint8Array, times = 1): Promise<SwitchStep> {
  const [step] = await sim.call([
    { kind: 'receive', node: 'n1', port: 'p1', frames: Array.from({ length: times }, () => frame) },
  ]);
  return step ?? { outputs: [] };
}

async function withSim(
  work: (sim: OvsSwitches) => Promise<void>,
  plan: BridgePlan = bridge,
  options: OpenOptions = {},
): Promise<void> {
  const sim = await openSim(
    { nodes: [{ node: 'n1', hosts: [], bridges: [plan] }] },
    image,
    options,
  );
  try {
    await work(sim);
  } finally {
    await sim.close();
  }
}

const inWords = ({ controller, reason, table, cookie, userdata, metadata, paused }: PacketIn) =>
  `${controller} ${reason} ${table} ${cookie.toString(16)} [${userdata.join()}] ` +
  `${metadata}${paused ? ' waits' : ''}`;

void t.test('what is reported', (t) =>
  withSim(async (sim) => {
    const packetInsOf = async (frame: Uint8Array) => {
      const { outputs, packetIns = [] } = await send(sim, frame);
      return [...packetIns.map(inWords), ...outputs.map(({ port }) => port)];
    };
    t.strictSame(await packetInsOf(udp(1)), [
      '7 action 0 0 [1,2,3] pkt_mark=0x3,reg0=0x1234,reg7=0x5,tun_id=0x9,metadata=0xabc,in_port=1',
      'p2',
    ]);
    t.strictSame(
      await packetInsOf(udp(2)),
      ['0 action 0 0 [255] in_port=1 waits', '0 action 0 0 [] in_port=1 waits', 'p3'],
      'it continues twice',
    );
    t.strictSame(
      await packetInsOf(udp(3)),
      ['7 action 0 0 [] in_port=1 waits', 'p2'],
      'it never continues',
    );
    t.strictSame(
      await packetInsOf(udp(4, 1)),
      ['0 invalid_ttl 0 0 [] in_port=1', '7 invalid_ttl 0 0 [] in_port=1'],
      'nobody has id 8',
    );
    t.strictSame(
      await packetInsOf(udp(5)),
      [
        '0 group 0 0 [] in_port=1',
        '0 action 5 99 [] reg1=0x1,in_port=1',
        '0 action_set 0 0 [] reg1=0x1,in_port=1',
        'p2',
      ],
      'an action set is of no table and no flow',
    );
    t.strictSame(await packetInsOf(udp(6)), [
      '7 action 6 0 [] ' +
        'ct_state=new|trk,ct_zone=4,ct_nw_src=10.0.0.1,ct_nw_dst=10.0.0.2,ct_nw_proto=17,' +
        'ct_tp_src=5,ct_tp_dst=6,ip,in_port=1',
    ]);
    t.strictSame(await packetInsOf(udp(9)), ['0 no_match 0 0 [] in_port=1']);
    const { packetIns = [] } = await send(sim, udp(5));
    t.strictSame(
      packetIns.map(({ frame, length }) => [Buffer.from(frame), length]),
      Array.from({ length: 3 }, () => [Buffer.from(udp(5)), 62]),
      'max_len cuts nothing: there are no buffers to fetch the rest from',
    );
  }),
);

void t.test('thousands at once, and after a long time', (t) =>
  withSim(async (sim) => {
    for (const count of [1, 64, 5000])
      t.equal((await send(sim, udp(9), count)).packetIns?.length, count);
    const counted = new Set<number | undefined>();
    for (let round = 0; round < 500; round++)
      counted.add((await send(sim, udp(2))).packetIns?.length);
    t.strictSame([...counted], [2], 'one at a time');
    const [step] = await sim.call([{ kind: 'advance', node: 'n1', ms: 300_000 }]);
    t.strictSame(step, { outputs: [], packetIns: [] });
    t.equal(
      (await send(sim, udp(9), 10)).packetIns?.length,
      10,
      'the session has outlived the idle time after which a switch asks',
    );
  }),
);

void t.test('where nobody listens, nothing is observed', (t) =>
  withSim(
    async (sim) => {
      t.strictSame(await send(sim, udp(9)), { outputs: [] });
    },
    { ...bridge, controllers: [] },
  ),
);

void t.test('more than the switch can queue (1,024, all sent in one go) is no answer', (t) =>
  withSim(async (sim) => {
    await t.rejects(send(sim, udp(7)), {
      name: 'Unavailable',
      message: 'ovs-vswitchd of node n1 sent more packet-ins than it can queue, and lost some',
      remedies: ['send fewer packets at once'],
    });
  }),
);

void t.test('a fault on the way changes what is seen', (t) =>
  withSim(
    async (sim) => {
      t.strictSame((await send(sim, udp(9))).packetIns, []);
    },
    bridge,
    { wire: (step) => ({ ...step, packetIns: [] }) },
  ),
);

void t.test('ovs-ofctl reads the same in the same messages', (t) =>
  withSim(async (sim) => {
    const bodies: Buffer[] = [];
    const peer = { name: 'br0', whyEnded: () => Promise.resolve(new Unavailable('closed')) };
    const listener = await connectOpenflow(
      join(sim.dir, 'n1', 'br0.mgmt'),
      peer,
      'OpenFlow14',
      ({ subtype, body }) => {
        if (subtype === subtypes.packetIn2) bodies.push(body);
      },
    );
    listener.send(encodeListening(7));
    await listener.barrier();
    const frames = [udp(1), udp(3), udp(4, 1), udp(6)];
    for (const frame of frames) await send(sim, frame);
    await listener.barrier();
    listener.close();
    t.equal(bodies.length, frames.length);
    for (const body of bodies) {
      const { stdout } = await runProgram(
        image,
        'ovs-ofctl',
        ['ofp-print', encodeExtension(subtypes.packetIn2, 0, body).toString('hex')],
        '',
      );
      const { table, cookie, length, reason, metadata, userdata, resume } = readPacketIn(body);
      const data =
        userdata.length === 0
          ? ''
          : `\n userdata=${userdata.map((byte) => byte.toString(16).padStart(2, '0')).join('.')}`;
      t.equal(
        stdout.split('\n')[0],
        `NXT_PACKET_IN2 (OF1.4) (xid=0x0):${table === 0 ? '' : ` table_id=${table}`} ` +
          `cookie=0x${cookie.toString(16)} total_len=${length} ${printMatch(metadata)} (via ` +
          `${reason}) data_len=${length} (unbuffered)`,
      );
      t.equal(stdout.includes(data), true);
      t.equal(/continuation/.test(stdout), resume !== undefined);
    }
  }),
);
