/** The plugin as people and runtimes call it: `init` on each node, then ADD for each pod. */
import type { ProgramCall } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-topology.js';
import { attachmentsOn, type PodAttachment } from './attachments.js';
import { hostInterfaceOf } from './names.js';

/** @param ofportOf the number that each port of a bridge is to have, by node and its name. */
export function programCalls(
  cluster: OvnCniCluster,
  ofportOf: (node: string, port: string) => number,
): readonly ProgramCall[] {
  return [
    ...cluster.nodes.map(initCall),
    ...cluster.nodes.flatMap((node) =>
      attachmentsOn(node, cluster).map((one) =>
        addCall(node, one, ofportOf(node.name, hostInterfaceOf(one.attachment))),
      ),
    ),
    ...(cluster.unbound ?? []).flatMap(({ node: name, pod }) =>
      cluster.nodes
        .filter((node) => node.name === name)
        .flatMap((node) => attachmentsOn({ pods: [pod] }, cluster).map(dyingCall(node))),
    ),
    ...(cluster.watcher === 'has not run'
      ? []
      : cluster.nodes.slice(0, 1).map(watcherCall(cluster))),
  ];
}

function initCall({ name, podCidr }: Node): ProgramCall {
  return {
    what: 'ovn_cni init',
    node: name,
    program: 'ovn-cni',
    args: ['init', '--subnet', podCidr, '--node', name, '--northbound', '{northbound}'],
    env: {},
    stdin: '',
  };
}

/** The watcher runs once in the cluster, here beside the first node. */
function watcherCall(cluster: OvnCniCluster): (node: Node) => ProgramCall {
  const objects = cluster.watched ?? cluster.objects;
  return ({ name }) => ({
    what: 'ovn_watcher sync',
    node: name,
    program: 'ovn-watcher',
    args: [
      ...['sync', '--northbound', '{northbound}'],
      ...(cluster.enforced === 'ingress and egress' ? ['--egress'] : []),
    ],
    env: {},
    stdin: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [...objects.namespaces, ...objects.pods, ...objects.networkPolicies],
    }),
  });
}

/** ADD that dies before it plugs the port. ADD again continues there, so nothing undoes it. */
function dyingCall(node: Node): (one: PodAttachment) => ProgramCall {
  return (one) => {
    const { undo: _, ...call } = addCall(node, one, 1);
    return {
      ...call,
      what: `ADD of ${one.pod.name} that dies`,
      env: { ...call.env, OVN_CNI_DIES_AFTER: 'northd follows' },
      dies: true,
    };
  };
}

/** The environment and stdin of CNI (CNI specification, "Protocol parameters"). */
function addCall(node: Node, one: PodAttachment, ofport: number): ProgramCall {
  const { pod, attachment, name, namespace } = one;
  const call = (command: 'ADD' | 'DEL') => ({
    what: `${command} of ${pod.name}`,
    node: node.name,
    program: 'ovn-cni',
    args: [],
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: attachment.containerId,
      CNI_IFNAME: attachment.ifname,
      CNI_NETNS: `/var/run/netns/${pod.name}`,
      CNI_PATH: '/opt/cni/bin',
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name}`,
    },
    stdin: JSON.stringify(networkConfig(node, attachment, ofport)),
  });
  return { ...call('ADD'), undo: call('DEL') };
}

/** The port is one of the testbed's: no interface is made in a container. */
function networkConfig(
  { name, podCidr }: Node,
  attachment: PodAttachment['attachment'],
  ofport: number,
): object {
  return {
    cniVersion: '1.1.0',
    name: 'flowbed',
    type: 'ovn_cni',
    node: name,
    subnet: podCidr,
    northbound: '{northbound}',
    openvswitch: '{openvswitch}',
    interface: {
      [`{interface ${hostInterfaceOf(attachment)}}`]: true,
      ofport_request: ofport,
    },
  };
}
