/** The Host Networking Service's network of a node: an external Hyper-V switch on one adapter. */
import { changedHost, type HostChange, type WindowsHost } from './host.js';

export interface HnsNetworkSpec {
  readonly name: string;
  /** Of the Node's status, "InternalIP": the adapter is the one that has it. */
  readonly internalIp: string;
  readonly subnet: string;
}

/**
 * "When creating the HNS Network, the local subnet CIDR and the uplink network adapter are
 * required": the adapter by the node's internal IP, the subnet from the Node's spec. Its settings
 * move to a virtual adapter, which Windows names after it (Hyper-V, "vEthernet (…)").
 */
export function createHnsNetwork(
  host: WindowsHost,
  { name, internalIp, subnet }: HnsNetworkSpec,
): HostChange {
  const adapter = host.adapters.find(({ address }) => address?.ip === internalIp);
  if (adapter === undefined)
    return {
      kind: 'refused',
      why:
        `no adapter of ${host.node} has the node's internal IP ${internalIp}: ` +
        (host.adapters
          .map((other) => `${other.name} has ${other.address?.ip ?? 'none'}`)
          .join(', ') || 'it has none'),
    };
  if (adapter.kind === 'virtual')
    return {
      kind: 'refused',
      why:
        `a transparent HNS network needs a physical adapter, and ${adapter.name}, which has ` +
        `${internalIp}, is virtual: detach it from the network that made it`,
    };
  const virtualAdapter = `vEthernet (${adapter.name})`;
  const { address: _, ...bare } = adapter;
  const moved = { ...adapter, name: virtualAdapter, kind: 'virtual' as const };
  const adapters = [...host.adapters.map((other) => (other === adapter ? bare : other)), moved];
  return changedHost(host, {
    adapters,
    network: {
      name,
      type: 'Transparent',
      adapter: adapter.name,
      virtualAdapter,
      subnet,
      extension: 'disabled',
    },
  });
}

/** The adapter that has the node's address, under the name that Open vSwitch finds it by. */
export function renameVirtualAdapter(host: WindowsHost, name: string): HostChange {
  const { network } = host;
  if (network === undefined) return changedHost(host);
  return changedHost(host, {
    adapters: host.adapters.map((adapter) =>
      adapter.name === network.virtualAdapter ? { ...adapter, name } : adapter,
    ),
    network: { ...network, virtualAdapter: name },
  });
}

/** The extension that hands the Hyper-V switch's packets to Open vSwitch. */
export function enableOvsExtension(host: WindowsHost): HostChange {
  return changedHost(
    host,
    host.network === undefined ? {} : { network: { ...host.network, extension: 'enabled' } },
  );
}
