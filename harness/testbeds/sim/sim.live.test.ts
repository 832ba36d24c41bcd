/**
 * Goal: the sim carries frames through real switches, loses and invents none, counts them exactly,
 * and says so when it cannot. Method: two nodes with a few flows; frames go in, what comes out is
 * compared byte by byte; then daemons are killed and plans are wrong.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { formatFlowId, type FlowCount } from '../../domain/switching.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { Image } from '../../ovs/process/image.js';
import { openSim } from './sim.js';
import { type OvsSwitches } from '../ovs-switches.js';

const temporary = await mkdtemp('/tmp/sim-');
process.env['TMPDIR'] = temporary;
t.teardown(() => rm(temporary, { recursive: true }));
const image = await openImage('trixie', (line) => t.comment(line));

/**
 * Node 1 or 2: pods p1 (10.10.N.2) and p2 (10.10.N.3), a gateway port, a Geneve tunnel over
 * br-phys.
 */
function nodePlan(number: number, peer: number): NodePlan {
  const int: BridgePlan = {
    name: 'br-int',
    mac: `02:00:00:00:0${number}:fe`,
    ports: [
      { kind: 'tunnel', name: 'antrea-tun0', ofport: 1, tunnel: 'geneve' },
      { kind: 'internal', name: 'antrea-gw0', ofport: 2, mac: gatewayMac(number) },
      { kind: 'endpoint', name: 'p1', ofport: 3 },
      { kind: 'endpoint', name: 'p2', ofport: 4 },
    ],
    flows: [
      'table=0, priority=300,arp actions=NORMAL',
      `table=0, priority=200,ip,nw_dst=10.10.${number}.2 actions=output:p1`,
      `table=0, priority=200,ip,nw_dst=10.10.${number}.3 actions=goto_table:5`,
      `table=0, priority=200,ip,in_port=p1,nw_dst=10.10.${peer}.0/24 ` +
        `actions=set_field:172.30.0.${peer}->tun_dst,output:antrea-tun0`,
      'table=0, priority=0 actions=drop',
      'table=5, priority=0 actions=output:p2',
    ],
  };
  const physical: BridgePlan = {
    name: 'br-phys',
    mac: underlayMac(number),
    underlay: {
      ip: `172.30.0.${number}`,
      prefixLength: 24,
      neighbours: [{ ip: `172.30.0.${peer}`, mac: underlayMac(peer) }],
    },
    ports: [{ kind: 'uplink', name: 'eth0', ofport: 1, mac: underlayMac(number) }],
    flows: ['priority=0 actions=NORMAL'],
  };
  return { node: `node-${number}`, bridges: [int, physical], hosts: [] };
}

const gatewayMac = (number: number) => `0a:00:0a:0a:0${number}:01`;
const podMac = (number: number) => `0a:00:0a:0a:0${number}:02`;
const underlayMac = (number: number) => `02:00:00:00:0${number}:01`;
const twoNodes: ClusterPlan = { nodes: [nodePlan(1, 2), nodePlan(2, 1)] };

function udp(dst: string, srcPort: number): Uint8Array {
  const addresses = { src: '10.10.1.2', dst };
  const datagram = encodeUdp({ srcPort, dstPort: 7 }, Uint8Array.of(1, 2, 3), addresses);
  const packet = encodeIpv4({ ...addresses, protocol: ipProtocols.udp, ttl: 64 }, datagram);
  return encodeEthernet({ dst: gatewayMac(1), src: podMac(1), etherType: etherTypes.ipv4 }, packet);
}

const arpRequest = encodeEthernet(
  { dst: 'ff:ff:ff:ff:ff:ff', src: podMac(1), etherType: etherTypes.arp },
  encodeArp({
    op: 1,
    sha: podMac(1),
    spa: '10.10.1.2',
    tha: '00:00:00:00:00:00',
    tpa: '10.10.1.3',
  }),
);

/** What comes out of node 1's or 2's ports, as `port hex`. */
async function receive(
  sim: OvsSwitches,
  node: string,
  port: string,
  frames: readonly Uint8Array[],
): Promise<readonly string[]> {
  const [step] = await sim.call([{ kind: 'receive', node, port, frames }]);
  return step?.outputs.map((output) => `${output.port} ${hex(output.frame)}`) ?? [];
}

const hex = (frame: Uint8Array) => Buffer.from(frame).toString('hex');
const bytes = (output = '') => Uint8Array.from(Buffer.from(output.split(' ')[1] ?? '', 'hex'));
const seen = (counts: readonly FlowCount[]) =>
  counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${flow.node} ${flow.bridge} ${formatFlowId(flow)}: ${packets}`);

void t.test('two nodes', async (t) => {
  const sim = await openSim(twoNodes, image);
  t.teardown(() => sim.close());
  t.match(sim.versions, { 'ovs-vswitchd': /^\d+\.\d+\.\d+/, 'ovsdb-server': /^\d+\.\d+\.\d+/ });

  await t.test('hold the flows of the plan', async (t) => {
    const [program] = await sim.program();
    t.match(program, { node: 'node-1', bridge: 'br-int' });
    t.strictSame(
      program?.flows.toSorted(),
      [
        'priority=0 actions=drop',
        'priority=200,ip,in_port=3,nw_dst=10.10.2.0/24 ' +
          'actions=set_field:172.30.0.2->tun_dst,output:1',
        'priority=200,ip,nw_dst=10.10.1.2 actions=output:3',
        'priority=200,ip,nw_dst=10.10.1.3 actions=goto_table:5',
        'priority=300,arp actions=NORMAL',
        'table=5, priority=0 actions=output:4',
      ],
      'as ovs-ofctl prints them',
    );
  });

  await t.test('flood ARP to every other port', async (t) => {
    t.strictSame(
      await receive(sim, 'node-1', 'p1', [arpRequest]),
      ['antrea-gw0', 'br-int', 'p2'].map((port) => `${port} ${hex(arpRequest)}`),
    );
  });

  await t.test('carry a frame through a Geneve tunnel', async (t) => {
    await sim.reset();
    const frame = udp('10.10.2.2', 1);
    const [outer, ...others] = await receive(sim, 'node-1', 'p1', [frame]);
    t.strictSame(others, []);
    t.match(
      outer,
      new RegExp(
        '^eth0 ' +
          '02:00:00:00:02:01 02:00:00:00:01:01'.replace(/[: ]/g, '') +
          `0800.*17c1.{8}0000655800000000${hex(frame)}$`,
      ),
    );
    t.strictSame(await receive(sim, 'node-2', 'eth0', [bytes(outer)]), [`p1 ${hex(frame)}`]);
    t.strictSame(seen(await sim.counts()), [
      'node-1 br-int table=0, priority=200,ip,in_port=3,nw_dst=10.10.2.0/24: 1',
      'node-1 br-phys table=0, priority=0: 1',
      'node-2 br-int table=0, priority=200,ip,nw_dst=10.10.2.2: 1',
      'node-2 br-phys table=0, priority=0: 1',
    ]);
  });

  await t.test('count exactly, the first packet and cached ones', async (t) => {
    for (const packets of [1, 2, 7]) {
      await sim.reset();
      t.strictSame(seen(await sim.counts()), []);
      for (let index = 0; index < packets; index++)
        await receive(sim, 'node-1', 'p1', [udp('10.10.1.3', 5)]);
      t.strictSame(seen(await sim.counts()), [
        `node-1 br-int table=0, priority=200,ip,nw_dst=10.10.1.3: ${packets}`,
        `node-1 br-int table=5, priority=0: ${packets}`,
      ]);
    }
  });

  await t.test('lose nothing of a burst and keep its order', async (t) => {
    const burst = Array.from({ length: 200 }, (_, index) => udp('10.10.1.3', index));
    t.strictSame(
      await receive(sim, 'node-1', 'p1', burst),
      burst.map((frame) => `p2 ${hex(frame)}`),
    );
  });

  await t.test('work at the same time', async (t) => {
    const steps = await sim.call([
      { kind: 'receive', node: 'node-2', port: 'p1', frames: [udp('10.10.2.3', 1)] },
      { kind: 'receive', node: 'node-1', port: 'p1', frames: [udp('10.10.9.9', 1)] },
    ]);
    t.strictSame(
      steps.map(({ outputs }) => outputs.map(({ port }) => port)),
      [['p2'], []],
      'in the order of the calls',
    );
  });

  await t.test('know their neighbours after 21 minutes', async (t) => {
    t.strictSame(await sim.call([{ kind: 'advance', node: 'node-1', ms: 21 * 60_000 }]), [
      { outputs: [] },
    ]);
    t.match(await receive(sim, 'node-1', 'p1', [udp('10.10.2.2', 1)]), [
      /^eth0 020000000201.*17c1/,
    ]);
  });

  await t.test('can be changed behind the back of the program', async (t) => {
    await sim.ofctl('node-1', 'br-int', 'del-flows', 'table=5');
    t.strictSame(await receive(sim, 'node-1', 'p1', [udp('10.10.1.3', 1)]), []);
    await t.rejects(sim.ofctl('node-1', 'br-int', 'add-flow', 'actions=bogus'), {
      name: 'InputError',
      message: /bogus/,
    });
    await t.rejects(sim.ofctl('node-3', 'br-int', 'dump-flows'), {
      name: 'InputError',
      message: /unknown node "node-3".*node-1, node-2/,
    });
  });

  await t.test('are inconclusive once a daemon is killed, and leave nothing behind', async (t) => {
    const begun = performance.now();
    process.kill(sim.daemons.get('node-1')?.vswitchd ?? 0, 'SIGKILL');
    const death = {
      name: 'Unavailable',
      message: 'ovs-vswitchd of node node-1 was ended by SIGKILL',
      evidence: [/^\d{4}-.*\|/],
    };
    await t.rejects(receive(sim, 'node-1', 'p1', [udp('10.10.1.3', 1)]), death);
    await t.rejects(sim.counts(), death);
    await t.rejects(sim.program(), death);
    t.ok(performance.now() - begun < 1000, 'within a second');

    const server = sim.daemons.get('node-2')?.server ?? 0;
    process.kill(server, 'SIGKILL');
    while (isRunning(server)) await new Promise((resolve) => setImmediate(resolve));
    await t.rejects(receive(sim, 'node-2', 'p1', [udp('10.10.2.3', 1)]), {
      name: 'Unavailable',
      message: 'ovsdb-server of node node-2 was ended by SIGKILL',
    });

    await sim.close();
    await sim.close();
    t.match(await sim.logs(), [
      { name: 'node-1/ovs-vswitchd.log', text: /ovs-vswitchd/ },
      { name: 'node-1/ovsdb-server.log' },
      { name: 'node-2/ovs-vswitchd.log' },
      {},
    ]);
    t.strictSame(await leftovers(), []);
  });
});

void t.test('a fault on the wire reaches whoever asked', async (t) => {
  const sim = await openSim(twoNodes, image, {
    wire: ({ outputs }, node) => ({
      outputs: node === 'node-1' ? outputs.flatMap((output) => [output, output]) : outputs,
    }),
  });
  t.teardown(() => sim.close());
  const frame = udp('10.10.1.3', 1);
  t.strictSame(await receive(sim, 'node-1', 'p1', [frame]), [
    `p2 ${hex(frame)}`,
    `p2 ${hex(frame)}`,
  ]);
});

void t.test('a reset brings back what packets, time and ports have made of flows', async (t) => {
  const one = nodePlan(1, 2);
  const held = (flows: readonly string[]): ClusterPlan => ({
    nodes: [
      {
        ...one,
        bridges: one.bridges.map((bridge) =>
          bridge.name === 'br-int' ? { ...bridge, flows } : bridge,
        ),
      },
    ],
  });
  const plans: Readonly<Record<string, readonly string[]>> = {
    'a flow that is learned': [
      'priority=9,ip ' +
        'actions=learn(table=7,priority=9,eth_type=0x800,NXM_OF_IP_DST[],' +
        'load:1->NXM_NX_REG1[]),output:p2',
      'table=7,priority=8,reg1=1 actions=drop',
    ],
    'one that is learned in the place of another': [
      'priority=9,udp ' +
        'actions=learn(table=7,priority=9,cookie=5,eth_type=0x800,nw_proto=17,' +
        'NXM_OF_UDP_DST[]=7),output:p2',
      'cookie=2,table=7,priority=9,udp,tp_dst=7 actions=drop',
    ],
    'one that expires': ['priority=9,hard_timeout=1,ip actions=output:p2'],
  };
  for (const [name, flows] of Object.entries(plans)) {
    const sim = await openSim(held(flows), image);
    t.teardown(() => sim.close());
    const dump = async () =>
      (await sim.ofctl('node-1', 'br-int', 'dump-flows', '--no-stats')).split('\n').toSorted();
    const begun = await dump();
    await sim.reset();
    for (const port of ['p2', 'antrea-gw0']) {
      t.equal((await receive(sim, 'node-1', 'p1', [udp('10.10.1.3', 1)])).length, 1, name);
      await sim.call([{ kind: 'advance', node: 'node-1', ms: 2000 }]);
      await sim.call([{ kind: 'link', node: 'node-1', port, state: 'down' }]);
      await sim.reset();
    }
    t.strictSame(await dump(), begun, name);
    await sim.close();
  }
});

void t.test('a plan that cannot be applied is named, and nothing is left over', async (t) => {
  const changed = (change: (bridge: BridgePlan) => BridgePlan): ClusterPlan => ({
    nodes: twoNodes.nodes.map((plan) =>
      plan.node === 'node-2'
        ? {
            ...plan,
            bridges: plan.bridges.map((bridge) =>
              bridge.name === 'br-int' ? change(bridge) : bridge,
            ),
          }
        : plan,
    ),
  });
  const twice = changed((bridge) => ({
    ...bridge,
    ports: bridge.ports.map((port) => (port.name === 'p2' ? { ...port, ofport: 3 } : port)),
  }));
  await t.rejects(openSim(twice, image), {
    name: 'Unavailable',
    message:
      /node-2 did not make its ports as planned: p[12]: OpenFlow port 3 was asked for, it has/,
  });
  const nonsense = changed((bridge) => ({ ...bridge, flows: ['priority=1,ip actions=output:p9'] }));
  await t.rejects(openSim(nonsense, image), {
    name: 'InputError',
    message: /^flows of br-int on node-2:1:\d+: .*p9/,
  });
  const broken: Image = {
    ...image,
    command: (program) => (program === 'ovs-vswitchd' ? ['/bin/false'] : image.command(program)),
  };
  await t.rejects(openSim(twoNodes, broken), {
    name: 'Unavailable',
    message: /^ovs-vswitchd of node node-[12] exited with code 1$/,
  });
  t.strictSame(await leftovers(), []);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Folders that are still there, and processes whose command line names one of them. */
async function leftovers(): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return [
    ...(await readdir(temporary)),
    ...commands.filter((command) => command.includes(temporary)),
  ];
}
