/** What a node's switches remember, in the words of ovs-vswitchd. */
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import type {
  LearnedMac,
  MulticastPort,
  SwitchState,
  TrackedConnection,
} from '../domain/switch-state.js';
import { liveConnections, type Connection } from './conntrack/connection.js';
import { printKernelSctp } from './conntrack/protocols/kernel-sctp.js';
import { printKernelTcp } from './conntrack/protocols/kernel-tcp.js';
import type { Progress } from './conntrack/protocols/progress.js';
import { printTcp } from './conntrack/protocols/tcp.js';
import { printProtocol, printTuple } from './conntrack/tuple.js';
import type { ModelNode } from './model-node.js';
import { portName, type ModelBridge } from './model-bridge.js';
import { dumpSnooping } from './l2/multicast-snooping.js';
import type { LearnedAddress } from './l2/mac-table.js';

export function stateOf(node: ModelNode): SwitchState {
  return {
    connections: liveConnections(node.connections, node.nowMs).map((connection) =>
      connectionState(node, connection),
    ),
    macs: node.bridges.flatMap((bridge) =>
      [...bridge.macs.values()].map((entry) => learnedMac(node, bridge, entry)),
    ),
    ...(node.bridges.every(({ snooping }) => snooping === undefined)
      ? {}
      : { multicast: node.bridges.flatMap((bridge) => multicastOf(node, bridge)) }),
  };
}

function connectionState(
  node: ModelNode,
  { original, reply, mark, label, progress, helper, parent, expiresAtMs }: Connection,
): TrackedConnection {
  return {
    node: node.name,
    zone: original.zone,
    protocol: printProtocol(original),
    original: printTuple(original),
    reply: printTuple(reply),
    mark,
    ...(label === 0n ? {} : { label: `0x${label.toString(16)}` }),
    progress: printProgress(progress),
    ...(helper === undefined ? {} : { helper }),
    ...(parent === undefined ? {} : { parent: printTuple(parent) }),
    timeoutS: Math.floor((expiresAtMs - node.nowMs) / 1000),
  };
}

function printProgress(progress: Progress): string {
  switch (progress.kind) {
    case 'tcp':
      return printTcp(progress);
    case 'kernel-tcp':
      return printKernelTcp(progress);
    case 'kernel-sctp':
      return printKernelSctp(progress);
    case 'kernel-udp':
    case 'icmp':
    case 'other':
      return '';
  }
}

function learnedMac(
  node: ModelNode,
  bridge: ModelBridge,
  { vlan, mac, port }: LearnedAddress,
): LearnedMac {
  const bytes = Uint8Array.from(
    { length: 6 },
    (_, index) => Math.floor(mac / 256 ** (5 - index)) % 256,
  );
  return {
    node: node.name,
    bridge: bridge.plan.name,
    port: portName(bridge, port),
    vlan,
    mac: formatMac(bytes),
  };
}

function multicastOf(node: ModelNode, bridge: ModelBridge): readonly MulticastPort[] {
  if (bridge.snooping === undefined) return [];
  return dumpSnooping(bridge.snooping, node.nowMs).map(({ port, ...rest }) => ({
    node: node.name,
    bridge: bridge.plan.name,
    port: portName(bridge, port),
    ...rest,
  }));
}
