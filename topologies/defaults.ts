/**
 * What a node, its pods and external hosts are given where nobody says otherwise: what
 * `equalNodes` gives its own.
 */
import { formatIpv4, parseCidr } from '../harness/base/addresses/mac-and-ipv4.js';
import type { ExternalHost, Node, Pod } from '../harness/domain/topology.js';
import {
  addressIn,
  externalAddress,
  macOf,
  podSubnet,
  underlayAddress,
  underlayPrefixLength,
} from './addresses.js';

interface SketchedAddresses {
  readonly ip?: string | undefined;
  readonly mac?: string | undefined;
}

/** A node of which a name is enough. */
export interface SketchedNode {
  readonly name: string;
  readonly os?: Node['os'] | undefined;
  readonly adapters?: Node['adapters'] | undefined;
  readonly underlay: SketchedAddresses & { readonly prefixLength?: number | undefined };
  readonly podCidr?: string | undefined;
  readonly gateway: SketchedAddresses;
  readonly pods: readonly (Omit<Pod, 'ip' | 'mac'> & SketchedAddresses)[];
  readonly listens?: Node['listens'];
}

/** The node that stands at `number` of its cluster, counted from 1. */
export function nodeWithDefaults(node: SketchedNode, number: number): Node {
  const podCidr = node.podCidr ?? `${podSubnet(number)}/24`;
  const underlay = withMac({
    ip: node.underlay.ip ?? underlayAddress(number),
    mac: node.underlay.mac,
  });
  const gateway = withMac({ ip: node.gateway.ip ?? firstAddress(podCidr), mac: node.gateway.mac });
  const taken = new Set([gateway.ip, ...node.pods.map(({ ip }) => ip)]);
  const pods = node.pods.map(({ ip, mac, ...pod }) => {
    const address = ip ?? lowestFree(podCidr, taken);
    taken.add(address);
    return { ...pod, ...withMac({ ip: address, mac }) };
  });
  const more = {
    ...(node.os === undefined ? {} : { os: node.os }),
    ...(node.adapters === undefined ? {} : { adapters: node.adapters }),
    ...(node.listens === undefined ? {} : { listens: node.listens }),
  };
  return {
    name: node.name,
    ...more,
    underlay: { ...underlay, prefixLength: node.underlay.prefixLength ?? underlayPrefixLength },
    podCidr,
    gateway,
    pods,
  };
}

/** The external host that stands at `number` of its cluster, counted from 1. */
export function externalHostWithDefaults(
  { ip, mac, ...host }: Omit<ExternalHost, 'ip' | 'mac'> & SketchedAddresses,
  number: number,
): ExternalHost {
  return { ...host, ...withMac({ ip: ip ?? externalAddress(number), mac }) };
}

function withMac({ ip, mac }: { readonly ip: string; readonly mac: string | undefined }): {
  readonly ip: string;
  readonly mac: string;
} {
  return { ip, mac: mac ?? macOf(ip) };
}

function firstAddress(cidr: string): string {
  return formatIpv4(parseCidr(cidr).number + 1);
}

function lowestFree(cidr: string, taken: ReadonlySet<string | undefined>): string {
  let candidate = firstAddress(cidr);
  while (taken.has(candidate)) candidate = addressIn(candidate, 1);
  return candidate;
}
