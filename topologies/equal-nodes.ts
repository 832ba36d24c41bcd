import { assert } from '../harness/base/errors/errors.js';
import type { ExternalHost, Node, Pod, Topology } from '../harness/domain/topology.js';
import {
  addressIn,
  defaultServiceCidr,
  externalAddress,
  macOf,
  podSubnet,
  underlayAddress,
  underlayPrefixLength,
} from './addresses.js';

export interface EqualNodes {
  readonly name: string;
  readonly nodes: number;
  readonly podsPerNode: number;
  /** None by default. */
  readonly externalHosts?: number;
}

/**
 * A cluster of equal nodes: n1, n2, … with pods p1, p2, … numbered through. Node i has the underlay
 * address 172.30.0.i, the pod subnet 10.10.i.0/24, the gateway 10.10.i.1 and pods from 10.10.i.2
 * on; external hosts x1, x2, … have 172.30.255.1, ….
 */
export function equalNodes({ name, nodes, podsPerNode, externalHosts = 0 }: EqualNodes): Topology {
  assert(nodes >= 1 && nodes <= 5000, `a cluster has 1 to 5000 nodes, not ${nodes}`);
  assert(podsPerNode >= 0 && podsPerNode <= 253, `a node has 0 to 253 pods, not ${podsPerNode}`);
  assert(
    externalHosts >= 0 && externalHosts <= 254,
    `there are 0 to 254 external hosts, not ${externalHosts}`,
  );
  return {
    name,
    serviceCidr: defaultServiceCidr,
    nodes: Array.from({ length: nodes }, (_, index) => clusterNode(index + 1, podsPerNode)),
    ...(externalHosts === 0
      ? {}
      : {
          externalHosts: Array.from({ length: externalHosts }, (_, index) =>
            externalHost(index + 1),
          ),
        }),
  };
}

function clusterNode(number: number, podsPerNode: number): Node {
  const subnet = podSubnet(number);
  const underlayIp = underlayAddress(number);
  const pods = Array.from({ length: podsPerNode }, (_, index): Pod => {
    const ip = addressIn(subnet, index + 2);
    return { name: `p${(number - 1) * podsPerNode + index + 1}`, ip, mac: macOf(ip) };
  });
  const gatewayIp = addressIn(subnet, 1);
  return {
    name: `n${number}`,
    underlay: { ip: underlayIp, prefixLength: underlayPrefixLength, mac: macOf(underlayIp) },
    podCidr: `${subnet}/24`,
    gateway: { ip: gatewayIp, mac: macOf(gatewayIp) },
    pods,
  };
}

function externalHost(number: number): ExternalHost {
  const ip = externalAddress(number);
  return { name: `x${number}`, ip, mac: macOf(ip) };
}
