/**
 * What ADD of the CNI plugin costs on a node that has ports already, in turn with `node -e 0`: both
 * are processes, and their seconds are those of the processor, with all that they start. Prints
 * Markdown. `node dist/bench/ovn-cni.js [PORTS] [ROUNDS]`, 200 and 20 by default. Interfaces in
 * containers are made where there is root.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ovnCni } from '../harness/control/ovn-cni/index.js';
import { openDatabase } from '../harness/programs/ovn-cni/databases.js';
import { plug } from '../harness/programs/ovn-cni/bridge-port.js';
import { makePort } from '../harness/programs/ovn-cni/logical-port.js';
import { makeContainerNamespace } from '../harness/programs/ovn-cni/testkit/container-namespace.js';
import { hostInterfaceOf } from '../harness/control/ovn-cni/names.js';
import { whatNamespacesLack } from '../harness/testbeds/kernel/namespace.js';
import { netnsUserspace } from '../harness/testbeds/netns/netns-backend.js';
import { nodeFolder } from '../harness/testbeds/sim/configure/folders.js';
import { openSim } from '../harness/testbeds/sim/sim.js';
import { openImage } from '../images/images.js';
import { equalOvnCniCluster } from '../topologies/ovn-cni/ovn-cni-cluster.js';
import { ofChildren } from './cost.js';
import { describeMachine, table } from './describe-machine.js';

const program = fileURLToPath(new URL('../programs/ovn_cni', import.meta.url));
const [ports, rounds] = [Number(process.argv[2] ?? 200), Number(process.argv[3] ?? 20)];
const plan = ovnCni().plan(equalOvnCniCluster(1, 0, 'has not run'));
const image = await openImage('trixie', console.error);
const lacks = whatNamespacesLack();
const switches = await (lacks === undefined
  ? netnsUserspace.open(plan, image)
  : openSim(plan, image));

interface Place {
  readonly northbound: string;
  readonly openvswitch: string;
  /** The program and arguments that a program is started by on the node. */
  readonly onNode: readonly string[];
}

const place: Place = {
  northbound: `unix:${switches.dir}/global~nb/db.sock`,
  openvswitch: `unix:${nodeFolder(switches.dir, 'n1')}/db.sock`,
  onNode:
    lacks === undefined
      ? ['nsenter', `--net=/proc/${switches.daemons.get('n1')?.vswitchd ?? 0}/ns/net`, '--']
      : [],
};

/** Ports that others have, made as the plugin makes them. */
async function occupy(count: number): Promise<void> {
  const northbound = await openDatabase('OVN_Northbound', place.northbound);
  const openvswitch = await openDatabase('Open_vSwitch', place.openvswitch);
  try {
    for (let index = 0; index < count; index++) {
      const attachment = { containerId: `there-${index}`, ifname: 'eth0' };
      const request = { attachment, network: 'flowbed', pod: { name: `p${index}` } };
      const { port } = await makePort(northbound, 'n1', request);
      await plug(openvswitch, {
        bridge: 'br-int',
        name: hostInterfaceOf(attachment),
        attachment,
        network: 'flowbed',

        mac: port.mac,
        mtu: undefined,
        plug: { kind: 'given', type: 'dummy', options: {} },
      });
    }
  } finally {
    northbound.close();
    openvswitch.close();
  }
}

async function call(command: 'ADD' | 'DEL', netns: string, plugged: unknown): Promise<number> {
  const [file = '', ...args] = [...place.onNode, process.execPath, program];
  const before = await ofChildren();
  const { status, stdout } = spawnSync(file, args, {
    encoding: 'utf8',
    input: JSON.stringify({
      cniVersion: '1.1.0',
      name: 'flowbed',
      type: 'ovn_cni',
      node: 'n1',
      mtu: 1400,

      northbound: place.northbound,
      openvswitch: place.openvswitch,
      interface: plugged,
    }),
    env: {
      PATH: process.env['PATH'],
      CNI_COMMAND: command,
      CNI_CONTAINERID: 'measured',

      CNI_IFNAME: 'eth0',
      CNI_NETNS: netns,
    },
  });
  if (status !== 0) throw new Error(stdout);
  return (await ofChildren()) - before;
}

async function nothing(): Promise<number> {
  const before = await ofChildren();
  spawnSync(process.execPath, ['-e', '0']);
  return (await ofChildren()) - before;
}

/** Milliseconds of the processor: of node alone, and of ADD, the mean of rounds in turn. */
async function measure(plugged: unknown): Promise<readonly [number, number]> {
  let [alone, adds] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const container = plugged === 'veth' || plugged === 'internal';
    const namespace = container ? await makeContainerNamespace() : undefined;
    const netns = namespace?.path ?? '/var/run/netns/x';
    alone += await nothing();
    adds += await call('ADD', netns, plugged);
    await call('DEL', netns, plugged);
    namespace?.close();
  }
  return [(alone / rounds) * 1000, (adds / rounds) * 1000];
}

try {
  await occupy(ports);
  const rows: (readonly string[])[] = [];
  for (const [name, plugged] of [
    ['dummy', { type: 'dummy' }],
    ...(lacks === undefined ? [['veth', 'veth'] as const, ['internal', 'internal'] as const] : []),
  ] as const) {
    const [alone, added] = await measure(plugged);
    rows.push([name, ...[alone, added, added - alone].map((ms) => ms.toFixed(0))]);
  }
  console.log(`${describeMachine()}; ${ports} ports are there, ${rounds} rounds\n`);
  console.log(table(['interface', 'node -e 0, ms', 'ADD, ms', 'added, ms'], rows));
} finally {
  await switches.close();
}
