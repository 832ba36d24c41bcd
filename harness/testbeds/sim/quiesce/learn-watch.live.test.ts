/**
 * Goal: what packets make of flows is there before the next packet, whether it was translated or
 * came out of the cache, and also where what is cached comes to learn by itself. Method: a real
 * switch in which one port's packets teach the way of another's; the way is asked for before,
 * between and behind them.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { ClusterPlan } from '../../../domain/plan/cluster-plan.js';
import type { PortPlan } from '../../../domain/plan/port-plan.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { openSim } from '../sim.js';
import { type OvsSwitches } from '../../ovs-switches.js';
import { slowDown } from '../testkit/slow-thread.js';

const image = await openImage('trixie', (line) => t.comment(line));

const endpoint = (name: string, ofport: number): PortPlan => ({ kind: 'endpoint', name, ofport });
const bridge = (
  name: string,
  number: number,
  ports: readonly PortPlan[],
  flows: readonly string[],
): BridgePlan => ({ name, mac: `02:00:00:00:00:0${number}`, ports, flows });
/** Of ports teacher, asks, lost and other. */
const oneBridge = (flows: readonly string[]): ClusterPlan => {
  const ports = ['teacher', 'asks', 'lost', 'other'].map((name, at) => endpoint(name, at + 1));
  return { nodes: [{ node: 'n1', hosts: [], bridges: [bridge('br0', 1, ports, flows)] }] };
};
const mac = (number: number) => `0a:00:00:00:00:0${number}`;

/**
 * Who is taught goes where a packet to port 7 came from, for two seconds; before and after that, to
 * `lost`.
 */
const teaching =
  'udp,tp_dst=7 actions=learn(table=1,hard_timeout=2,eth_type=0x800,nw_proto=17,' +
  'NXM_OF_UDP_SRC[],output:NXM_OF_IN_PORT[])';
const taught = ['udp,tp_dst=8 actions=goto_table:1', 'table=1,priority=0 actions=output:lost'];

/** A datagram from one host to another; the ports that it comes out of. */
async function send(
  sim: OvsSwitches,
  port: string,
  [src, dst]: readonly [number, number],
  dstPort: number,
  srcPort = 1234,
): Promise<string> {
  const addresses = { src: `10.0.0.${src}`, dst: `10.0.0.${dst}` };
  const packet = encodeIpv4(
    { ...addresses, protocol: ipProtocols.udp, ttl: 64 },
    encodeUdp({ srcPort, dstPort }, new Uint8Array(8), addresses),
  );
  const [step] = await sim.call([
    {
      kind: 'receive',
      node: 'n1',
      port,
      frames: [
        encodeEthernet({ src: mac(src), dst: mac(dst), etherType: etherTypes.ipv4 }, packet),
      ],
    },
  ]);
  return (step?.outputs ?? []).map((output) => output.port).join();
}

void t.test('a packet is met by what the one before it has taught', async (t) => {
  const sim = await openSim(oneBridge([`${teaching},output:other`, ...taught]), image);
  t.teardown(() => sim.close());
  const teach = () => send(sim, 'teacher', [1, 9], 7);
  const ask = () => send(sim, 'asks', [2, 9], 8);
  const later = () => sim.call([{ kind: 'advance', node: 'n1', ms: 3000 }]);
  // The flow in its place counts as many as it did.
  await teach();
  await later();
  await sim.reset();
  t.equal(await ask(), 'lost', 'what was taught is over');
  await sim.call([
    { kind: 'change', node: 'n1', bridge: 'br0', lines: [`flow add ${teaching},output:2`] },
  ]);
  await teach();
  await later();
  t.strictSame(
    [await ask(), await teach(), await ask()],
    ['lost', 'asks', 'teacher'],
    'a flow that is new teaches as well',
  );
  await sim.reset();
  for (const time of ['first', 'second']) {
    t.strictSame(
      [await ask(), await ask(), await teach(), await ask()],
      ['lost', 'lost', 'other', 'teacher'],
      `${time}: what is cached follows`,
    );
    await later();
    t.strictSame(
      [await ask(), await teach(), await ask()],
      ['lost', 'other', 'teacher'],
      `${time}: out of the cache it is taught again`,
    );
    await later();
    t.equal(await ask(), 'lost', `${time}: and forgotten again`);
    await sim.reset();
  }
});

void t.test('also when the revalidators are slow', async (t) => {
  const sim = await openSim(oneBridge([`${teaching},output:other`, ...taught]), image);
  t.teardown(() => sim.close());
  const speedUp = await slowDown(sim.daemons.get('n1')?.vswitchd ?? 0, 'revalidator');
  if (speedUp === undefined) {
    t.pass('a slow thread', { skip: 'this machine does not let one process trace another' });
    return;
  }
  t.teardown(speedUp);
  const ask = () => send(sim, 'asks', [2, 9], 8);
  t.equal(await ask(), 'lost', 'what is cached now');
  t.equal(await send(sim, 'teacher', [1, 9], 7), 'other', 'a packet that is translated teaches');
  t.equal(await ask(), 'teacher', 'the way that it has taught');
});

void t.test('also when it only comes to teach because an address has moved', async (t) => {
  const outside = bridge(
    'outside',
    1,
    [
      endpoint('teacher', 1),
      endpoint('here', 2),
      { kind: 'patch', name: 'in', ofport: 3, peer: { bridge: 'inside', port: 'out' } },
    ],
    ['actions=NORMAL'],
  );
  const inside = bridge(
    'inside',
    2,
    [
      endpoint('there', 1),
      endpoint('asks', 2),
      endpoint('lost', 3),
      { kind: 'patch', name: 'out', ofport: 4, peer: { bridge: 'outside', port: 'in' } },
    ],
    [
      // It inspects nothing that has not been inspected outside: what is cached stays, and leads
      // on.
      `priority=65535,in_port=out,dl_dst=${mac(5)} actions=learn(table=1,eth_type=0x800,` +
        'output:NXM_OF_IN_PORT[]),output:there',
      'in_port=there actions=output:out',
      ...taught,
    ],
  );
  const sim = await openSim(
    { nodes: [{ node: 'n1', hosts: [], bridges: [outside, inside] }] },
    image,
  );
  t.teardown(() => sim.close());
  const teach = () => send(sim, 'teacher', [1, 5], 7);
  t.match(await send(sim, 'here', [5, 1], 9), /teacher/, 'its address is here');
  t.strictSame(
    [await teach(), await send(sim, 'asks', [2, 9], 8)],
    ['here', 'lost'],
    'and nobody is taught',
  );
  t.match(await send(sim, 'there', [5, 1], 9), /teacher/, 'it is there');
  t.equal(await teach(), 'there', 'and out of the cache somebody is taught');
  t.match(await send(sim, 'asks', [2, 9], 8), /here,.*teacher/, 'the way to the other bridge');
});

void t.test(
  'what is over is gone before the next packet, however long the switch takes to clear up',
  async (t) => {
    const remembers =
      'udp,tp_dst=7 actions=learn(table=1,hard_timeout=2,eth_type=0x800,NXM_OF_IP_SRC[],' +
      'output:NXM_OF_IN_PORT[]),output:other';
    const sim = await openSim(oneBridge([remembers, ...taught]), image);
    t.teardown(() => sim.close());
    const speedUp = await slowDown(sim.daemons.get('n1')?.vswitchd ?? 0, 'urcu');
    if (speedUp === undefined) {
      t.pass('a slow thread', { skip: 'this machine does not let one process trace another' });
      return;
    }
    t.teardown(speedUp);
    /**
     * Whether the cache distinguishes who sends into a port: then what was learned of one of them
     * is still inspected.
     */
    const separatesPackets = async (at: string) => {
      await send(sim, at, [2, 9], 8);
      const { missed } = sim.lookups();
      await send(sim, at, [6, 9], 8);
      return sim.lookups().missed > missed;
    };
    await send(sim, 'teacher', [1, 9], 7);
    t.equal(await separatesPackets('asks'), true, 'while something is learned of senders');
    await sim.call([{ kind: 'advance', node: 'n1', ms: 3000 }]);
    t.equal(await separatesPackets('other'), false, 'once time is over for it');
    await sim.call([
      {
        kind: 'change',
        node: 'n1',
        bridge: 'br0',
        lines: ['flow add table=1,ip,nw_src=10.0.0.4 actions=drop'],
      },
    ]);
    t.equal(await separatesPackets('asks'), true, 'a flow asks for senders');
    await sim.call([
      {
        kind: 'change',
        node: 'n1',
        bridge: 'br0',
        lines: ['flow delete table=1,ip,nw_src=10.0.0.4'],
      },
    ]);
    t.equal(await separatesPackets('asks'), false, 'it is deleted');
    await send(sim, 'teacher', [1, 9], 7);
    await sim.reset();
    t.equal(await separatesPackets('asks'), false, 'what was learned before a reset');
  },
);

void t.test(
  'Open vSwitch counts a packet elsewhere that is cached up to a recirculation, and behind it ' +
    'teaches what would have changed its way up to there',
  async (t) => {
    const flows = [
      'udp actions=resubmit(,1),ct(table=2)',
      'table=1,priority=0 actions=note:01',
      'table=2,udp,tp_src=1000 actions=output:2',
      'table=2,udp,tp_src=2000 actions=learn(table=1,priority=10,eth_type=0x800,' +
        'NXM_OF_IP_SRC[],load:1->NXM_NX_REG0[]),output:2',
    ];
    const sim = await openSim(
      {
        nodes: [
          {
            node: 'n1',
            hosts: [],
            bridges: [bridge('br0', 1, [endpoint('sends', 1), endpoint('hears', 2)], flows)],
          },
        ],
      },
      image,
    );
    t.teardown(() => sim.close());
    t.equal(await send(sim, 'sends', [2, 9], 7, 1000), 'hears', 'its way is cached');
    t.equal(
      await send(sim, 'sends', [2, 9], 7, 2000),
      'hears',
      'the first part of it is that of another, which teaches',
    );
    const counted = (await sim.counts())
      .filter(({ flow }) => flow.table === 1)
      .map(({ flow, packets }) => `${flow.match || 'any'} ${packets}`);
    t.strictSame(
      counted.toSorted(),
      ['any 1', 'ip,nw_src=10.0.0.2 1'],
      'both went by the flow for any: the other one was not there yet',
    );
  },
);
