/**
 * A node whose containers are network namespaces of this kernel: OVN and a switch that forwards in
 * ovs-vswitchd, in a namespace that is the host's.
 */
import { assert, Unavailable } from '../../../base/errors/errors.js';
import { connectOvsdb } from '../../../ovs/ovsdb/ovsdb.js';
import { linksIn } from './container-namespace.js';
import { runPlugin, runSync, type Said } from './run-plugin.js';
import { whatIsHeld, type Held } from './what-is-held.js';

export interface KernelNode {
  /** Runs the plugin on the host for a container that is a pod of namespace `default`. */
  call(command: string, asked: Asked): Promise<Said>;
  /** What is there of containers: in the databases, and links of the host. */
  everything(): Promise<Held & { readonly links: readonly string[] }>;
  /** Runs the watcher once: pods of these names are there, and nothing is isolated. */
  watch(pods: readonly string[]): Promise<void>;
  close(): void;
}

export interface Asked {
  readonly id: string;
  readonly netns: string;
  /** Beside the usual network configuration. */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
}

/** Where the node's daemons are, and a process in its namespace. */
export interface KernelNodePlace {
  readonly northbound: string;
  readonly openvswitch: string;
  readonly vswitchd: number;
}

export async function openKernelNode(place: KernelNodePlace): Promise<KernelNode> {
  const { northbound, openvswitch, vswitchd } = place;
  const peer = { name: 'a database', whyEnded: async () => new Unavailable('it has gone') };
  const nb = await connectOvsdb(northbound, 'OVN_Northbound', peer);
  const ovs = await connectOvsdb(openvswitch, 'Open_vSwitch', peer);
  const host = `/proc/${vswitchd}/ns/net`;
  const usual = {
    cniVersion: '1.1.0',
    name: 'flowbed',
    type: 'ovn_cni',
    node: 'n1',
    mtu: 1400,

    northbound: `unix:${northbound}`,
    openvswitch: `unix:${openvswitch}`,
  };
  return {
    call: (command, { id, netns, config = {}, env = {} }) =>
      runPlugin(
        {
          CNI_COMMAND: command,
          CNI_CONTAINERID: id,
          CNI_IFNAME: 'eth0',
          CNI_NETNS: netns,
          CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=${id}`,
          ...env,
        },
        JSON.stringify({ ...usual, ...config }),
        ['nsenter', `--net=${host}`, '--'],
      ),
    everything: async () => ({ ...(await whatIsHeld(nb, ovs, 'n1')), links: linksIn(host) }),
    watch: async (pods) => {
      const { code } = await runSync(`unix:${northbound}`, objectsOf(pods));
      assert(code === 0, `the watcher has ended with ${code}`);
    },
    close: () => [nb, ovs].forEach((one) => one.close()),
  };
}

function objectsOf(pods: readonly string[]): object {
  return {
    kind: 'List',
    items: [
      { kind: 'Namespace', metadata: { name: 'default' } },
      ...pods.map((name) => ({ kind: 'Pod', metadata: { name, namespace: 'default' }, spec: {} })),
    ],
  };
}
