/**
 * A node whose containers are network namespaces of this kernel: OVN and a switch that forwards in
 * ovs-vswitchd, in a namespace that is the host's.
 */
import { assert, Unavailable } from '../../../base/errors/errors.js';
import { ovnCni } from '../../../control/ovn-cni/index.js';
import { runCall } from '../../../ovn/program-calls.js';
import { connectOvsdb } from '../../../ovs/ovsdb/ovsdb.js';
import type { Image } from '../../../ovs/process/image.js';
import { netnsUserspace } from '../../../testbeds/netns/netns-backend.js';
import { nodeFolder } from '../../../testbeds/sim/configure/folders.js';
import { equalOvnCniCluster } from '../../../../topologies/ovn-cni/ovn-cni-cluster.js';
import { linksIn } from './container-namespace.js';
import { runPlugin, type Said } from './run-plugin.js';
import { whatIsHeld, type Held } from './what-is-held.js';

export interface KernelNode {
  /** Runs the plugin on the host for a container that is a pod of namespace `default`. */
  call(command: string, asked: Asked): Promise<Said>;
  /** What is there of containers: in the databases, and links of the host. */
  everything(): Promise<Held & { readonly links: readonly string[] }>;
  /** Runs the watcher once: pods of these names are there, and nothing is isolated. */
  watch(pods: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface Asked {
  readonly id: string;
  readonly netns: string;
  /** Beside the usual network configuration. */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openKernelNode(image: Image): Promise<KernelNode> {
  const plan = ovnCni().plan(equalOvnCniCluster(1, 0, 'has not run'));
  const switches = await netnsUserspace.open(plan, image);
  const dir = nodeFolder(switches.dir, 'n1');
  const northbound = `${switches.dir}/global~nb/db.sock`;
  const peer = { name: 'a database', whyEnded: async () => new Unavailable('it has gone') };
  const nb = await connectOvsdb(northbound, 'OVN_Northbound', peer);
  const ovs = await connectOvsdb(`${dir}/db.sock`, 'Open_vSwitch', peer);
  const daemons = switches.daemons.get('n1');
  assert(daemons !== undefined, 'the plan has a node n1');
  const host = `/proc/${daemons.vswitchd}/ns/net`;
  const usual = {
    ...{ cniVersion: '1.1.0', name: 'flowbed', type: 'ovn_cni', node: 'n1', mtu: 1400 },
    ...{ northbound: `unix:${northbound}`, openvswitch: `unix:${dir}/db.sock` },
  };
  return {
    call: (command, { id, netns, config = {}, env = {} }) =>
      runPlugin(
        {
          ...{ CNI_COMMAND: command, CNI_CONTAINERID: id, CNI_IFNAME: 'eth0', CNI_NETNS: netns },
          CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=${id}`,
          ...env,
        },
        JSON.stringify({ ...usual, ...config }),
        ['nsenter', `--net=${host}`, '--'],
      ),
    everything: async () => ({ ...(await whatIsHeld(nb, ovs, 'n1')), links: linksIn(host) }),
    watch: async (pods) => void (await runCall(watcherOf(pods), { northbound, dir })),
    close: async () => {
      for (const one of [nb, ovs]) one.close();
      await switches.close();
    },
  };
}

function watcherOf(pods: readonly string[]): Parameters<typeof runCall>[0] {
  const items = [
    { kind: 'Namespace', metadata: { name: 'default' } },
    ...pods.map((name) => ({ kind: 'Pod', metadata: { name, namespace: 'default' }, spec: {} })),
  ];
  return {
    ...{ what: 'ovn_watcher sync', node: 'n1', program: 'ovn-watcher', env: {} },
    args: ['sync', '--northbound', '{northbound}'],
    stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  };
}
