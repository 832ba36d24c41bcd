/**
 * Goal: all that the dumps of a bridge say of its ports decides where packets go: VLANs of LOCAL,
 * flags of ports, links, MTUs, priority tags, customers' VLANs, fragments, BPDUs. Method: dumps of
 * real bridges of Open vSwitch 3.1.0, each with a packet and the ports and tags that the switch
 * gave it then; the model, and real switches of three versions with what was read.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { type DumpedSwitch } from '../dumps/dumped-switch.js';
import { defaultBackend } from '../testbeds/registry.js';
import { checkPackets, injectionOf, withControllers } from './check-packets.js';
import { readFlow } from './packet-stimulus.js';
import { preparedNode } from './script/prepared-node.js';
import { prepareSwitch } from './script/prepare-switch.js';
import { readInitialState } from './script/read-script.js';
import type { InitialState } from './script/script.js';
import { tracePacket, tracePackets } from './trace-packets.js';
import { packet, fragment, sourceIn, readBridge } from './testkit/read-bridge.js';

const noState: InitialState = { connections: [], macs: [] };
/** UDP from 10.0.0.1 to 10.0.0.2, and what fills the frame. */
const ipv4 = '4500001c00000000401166cf0a0000010a000002' + '0000000000080000' + '00'.repeat(18);

interface Case {
  readonly folder: string;
  readonly flow: string;
  readonly bytes?: number;
  /** What stands in the IP headers that come out. */
  readonly tos?: number;
  /** Each output as `PORT`, or `PORT TPID:VLAN:PRIORITY`. */
  readonly expected: readonly string[];
}

const cases: readonly Case[] = [
  { folder: 'd', flow: packet('1'), expected: ['p2 8100:10:0', 'p3 8100:10:0'] },
  { folder: 'd', flow: packet('LOCAL'), expected: ['p2 8100:20:0', 'p3 8100:20:0'] },
  { folder: 'g', flow: packet('1'), expected: ['p3'] },
  { folder: 'e-down', flow: packet('1'), expected: ['br0', 'p3'] },
  { folder: 'e-no-forward', flow: packet('1'), expected: ['br0', 'p3'] },
  { folder: 'e-no-receive', flow: packet('2'), expected: [] },
  { folder: 'i', flow: packet('1'), bytes: 4000, expected: ['p2'] },
  {
    folder: 'a',
    flow: packet('1', ',dl_vlan=10,dl_vlan_pcp=3'),
    expected: ['br0 8100:10:3', 'p2 8100:0:3', 'p3 8100:10:3'],
  },
  { folder: 'b', flow: packet('1', ',dl_vlan=10'), expected: ['br0 8100:10:0', 'p3 8100:10:0'] },
  { folder: 'b', flow: packet('2'), expected: [] },
  {
    folder: 'c',
    flow: packet('2'),
    expected: ['br0 8100:10:0', 'p1 8100:10:0', 'p3 8100:10:0'],
  },
  { folder: 'f-drop', flow: fragment, expected: [] },
  { folder: 'f-nx-match', flow: fragment, expected: ['p2'] },
  {
    folder: 'j',
    flow: packet('1', '', 'udp', '01:80:c2:00:00:00'),
    expected: ['br0', 'p2', 'p3'],
  },
  { folder: 'k', flow: packet('CONTROLLER'), expected: ['br0', 'p1', 'p2', 'p3'] },
  { folder: 'k', flow: packet(''), expected: ['br0', 'p1', 'p2', 'p3'] },
  { folder: 'm', flow: packet('1'), expected: ['br0', 'p2', 'p3'] },
  { folder: 'n', flow: packet('1'), expected: ['g1'] },
  { folder: 'v', flow: packet('1'), expected: ['p2'], tos: 40 },
  { folder: 'w', flow: packet('1'), expected: ['br0', 'p2', 'p3'], tos: 0 },
  { folder: 'o', flow: packet('1', ',dl_vlan=5'), expected: ['p2 8100:5:0'] },
  { folder: 'o', flow: packet('1', ',dl_vlan=6'), expected: ['p2 8100:6:0'] },
  { folder: 'q', flow: packet('1'), expected: ['p2'] },
];

/** What the switch remembered: addresses that it had learned, or was given. */
function stateOf(folder: string, target: DumpedSwitch): InitialState {
  const macs = sourceIn(folder, 'br0.fdb');
  return readInitialState(
    { macs: macs === undefined ? [] : [{ bridge: 'br0', source: macs }] },
    target,
  );
}

const noPayload = { payload: undefined };

const stimulusOf = (target: DumpedSwitch, { flow, bytes }: Case) =>
  readFlow(flow, target, undefined, {
    payload: bytes === undefined ? undefined : new Uint8Array(bytes),
  });

/** `p2 8100:10:0` */
function describe({ port, frame }: { readonly port: string; readonly frame: Uint8Array }): string {
  const bytes = Buffer.from(frame);
  const type = bytes.readUInt16BE(12);
  if (type !== 0x8100 && type !== 0x88a8) return port;
  const control = bytes.readUInt16BE(14);
  return `${port} ${type.toString(16)}:${control & 0xfff}:${control >> 13}`;
}

void t.test('the model says what the switch did', async (t) => {
  for (const one of cases) {
    const target = readBridge(one.folder);
    const node = preparedNode(target, stateOf(one.folder, target));
    const result = tracePacket(node, stimulusOf(target, one));
    t.strictSame(result.outputs.map(describe).sort(), one.expected, `${one.folder} ${one.flow}`);
    if (one.tos !== undefined) t.equal(result.outputs[0]?.frame[15], one.tos);
  }
});

void t.test('flows that OpenFlow 1.0 has added are read', (t) => {
  const { plan } = readBridge('l3');
  t.strictSame(plan.bridges[0]?.openflow10Flows, [
    'in_port=1 actions=mod_nw_tos:32,mod_tp_dst:80,mod_nw_src:1.2.3.4,output:2',
  ]);
  t.end();
});

void t.test('options of tunnels are printed', (t) => {
  const target = readBridge('n');
  const [result] = tracePackets(target.plan, [readFlow(packet('1'), target, undefined, noPayload)]);
  t.match(result?.finalFlow, /,tun_metadata0=0xa,/);
  t.match(result?.outputs[0]?.flow, /,tun_metadata0=0xa,/);
  t.match(
    tracePackets(target.plan, [
      readFlow(packet('9', ',tun_metadata0=0x7'), target, undefined, noPayload),
    ])[0]?.translations[0]?.startFlow,
    /,tun_metadata0=0x7,/,
  );
  t.end();
});

/** 88a8 of VLAN 5, 8100 of VLAN 6, IPv4. */
const twoTags = '0a0000000002' + '0a0000000001' + '88a80005' + '81000006' + '0800' + ipv4;

void t.test('two tags are read where vlan-limit says so', async (t) => {
  const target = readBridge('h');
  const node = preparedNode(target, noState);
  const [stimulus] = [readFlow('in_port=1', target, undefined, noPayload)];
  const result = tracePacket(node, {
    ...stimulus,
    frame: Uint8Array.from(Buffer.from(twoTags, 'hex')),
  });
  t.strictSame(
    result.outputs.map(({ port }) => port),
    ['p2'],
  );
  for (const name of ['bookworm', 'trixie', 'sid']) {
    const image = await openImage(name, (line) => t.comment(line));
    const plan = withControllers(target.plan);
    const sim = await defaultBackend.open({ nodes: [plan] }, image);
    try {
      const frames = [twoTags, twoTags.replace('81000006', '88a80006')];
      const packets = frames.map((hex) => ({
        port: 'p1',
        frame: Uint8Array.from(Buffer.from(hex, 'hex')),
      }));
      t.strictSame((await checkPackets(plan, sim, packets)).findings, [], name);
    } finally {
      await sim.close();
    }
  }
});

for (const name of ['bookworm', 'trixie', 'sid'])
  void t.test(`real switches of ${name} agree`, async (t) => {
    const image = await openImage(name, (line) => t.comment(line));
    for (const one of cases.filter(({ flow }) => /in_port=(\d|LOCAL)/.test(flow))) {
      const target = readBridge(one.folder);
      const initialState = stateOf(one.folder, target);
      const { plan, calls, realCalls } = prepareSwitch(
        { ...target, plan: withControllers(target.plan) },
        initialState,
      );
      const sim = await defaultBackend.open({ nodes: [plan] }, image);
      try {
        const { findings, counts } = await checkPackets(
          plan,
          sim,
          [injectionOf(plan, stimulusOf(target, one))],
          { calls, realCalls, initialState },
        );
        t.strictSame(findings, [], `${one.folder} ${one.flow}`);
        t.equal(counts.frames.made, one.expected.length);
      } finally {
        await sim.close();
      }
    }
  });

/** Programs of a bridge whose port p2 marks what goes into its queue 1. */
const queues: readonly (readonly string[])[] = [
  ['actions=set_queue:1,output:2,pop_queue,output:2,output:3'],
  ['actions=enqueue:2:1,output:2,output:3'],
  ['actions=set_queue:1,push_vlan:0x8100,set_field:4099->vlan_vid,output:2,pop_vlan,output:3'],
  [
    'ip actions=set_queue:1,ct(table=1)',
    'table=1,actions=output:2,clone(pop_queue,output:2),set_queue:0,output:2',
  ],
  [
    'ip,ip_frag=no actions=set_queue:1,dec_ttl,output:2,ct(table=1)',
    'table=1,actions=pop_queue,output:2',
  ],
  ['actions=set_queue:1,NORMAL'],
];

for (const name of ['bookworm', 'trixie', 'sid'])
  void t.test(`queues that mark, on ${name}`, async (t) => {
    const image = await openImage(name, (line) => t.comment(line));
    for (const flows of queues) {
      const target = readBridge('v');
      const { asDumped: _, ...asRead } = target.plan;
      const plan = withControllers({
        ...asRead,
        bridges: target.plan.bridges.map((bridge) => ({ ...bridge, flows })),
      });
      const sim = await defaultBackend.open({ nodes: [plan] }, image);
      try {
        const packets = ['udp', 'udp6', 'arp', 'udp'].map((protocol) => {
          const flow = `in_port=1,${protocol},dl_src=0a:00:00:00:00:01`;
          const more = protocol === 'arp' ? '' : ',nw_ttl=9,nw_tos=16';
          return injectionOf(plan, readFlow(`${flow}${more}`, target, undefined, noPayload));
        });
        const { findings, counts } = await checkPackets(plan, sim, packets);
        t.strictSame(findings, [], flows.join(' '));
        t.ok(counts.frames.made > 3, 'frames came out');
      } finally {
        await sim.close();
      }
    }
  });
