/** What HNS of a hypervisor holds once the plugin has asked it for all that is there. */
import { InputError } from '../../base/errors/errors.js';
import type { Node } from '../../domain/topology.js';
import {
  networkOf,
  subnetOf,
  type AttachedContainer,
  type ContrailCluster,
} from '../../../topologies/contrail/contrail-cluster.js';
import { createHnsNetwork, enableOvsExtension } from '../windows/hns-network.js';
import { connectEndpoint, createSubnet } from '../windows/hns-subnet.js';
import { changedHost, freshHost, type HostChange, type WindowsHost } from '../windows/host.js';
import { hnsNetworkName, rootNetwork } from './hns-names.js';

/** The physical adapter, and the port of the bridge that it is. */
export const uplinkPort = { name: 'uplink', ofport: 1 } as const;

/** @throws InputError in the words of the step that HNS refuses. */
export function contrailHost(node: Node, cluster: ContrailCluster): WindowsHost {
  const { ip, prefixLength, mac } = node.underlay;
  const here = cluster.containers.filter(({ hypervisor }) => hypervisor === node.name);
  const steps: readonly ((host: WindowsHost) => HostChange)[] = [
    (host) =>
      createHnsNetwork(host, {
        name: rootNetwork,
        internalIp: ip,
        subnet: `${ip}/${prefixLength}`,
      }),
    enableOvsExtension,
    ...networksFor(here, cluster),
    ...here
      .filter(({ adapter }) => adapter === 'connected')
      .map((container) => (host: WindowsHost) => connect(host, container, cluster)),
  ];
  const fresh = freshHost(node.name, [
    { name: uplinkPort.name, kind: 'physical', mac, address: { ip, prefixLength } },
  ]);
  const last = steps.reduce<HostChange>(
    (change, step) => (change.kind === 'done' ? step(change.host) : change),
    changedHost(fresh),
  );
  if (last.kind === 'refused') throw new InputError(`node "${node.name}": ${last.why}`);
  return last.host;
}

/** A network for each subnet that a container here is on, under its HNS name as its id as well. */
function networksFor(
  here: readonly AttachedContainer[],
  cluster: ContrailCluster,
): readonly ((host: WindowsHost) => HostChange)[] {
  const names = new Set(here.map((container) => networkNameOf(container)));
  return [...names].flatMap((name) => {
    const container = here.find((each) => networkNameOf(each) === name);
    const subnet = container === undefined ? undefined : subnetOf(cluster, container);
    return subnet === undefined
      ? []
      : [
          (host: WindowsHost) =>
            createSubnet(host, {
              id: name,
              name,
              subnet: subnet.cidr,
              gateway: subnet.gateway,
            }),
        ];
  });
}

function connect(
  host: WindowsHost,
  container: AttachedContainer,
  cluster: ContrailCluster,
): HostChange {
  const gateway = subnetOf(cluster, container)?.gateway;
  if (gateway === undefined || networkOf(cluster, container) === undefined)
    return { kind: 'refused', why: `${container.name} is on no subnet of a network` };
  return connectEndpoint(host, {
    id: container.endpoint,
    network: networkNameOf(container),
    ip: container.ip,
    mac: container.mac,
    gateway,
    sandbox: container.name,
  });
}

export function networkNameOf({ tenant, network, subnet }: AttachedContainer): string {
  return hnsNetworkName(tenant, network, subnet);
}
