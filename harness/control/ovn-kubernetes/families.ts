/** Families of addresses: what a network has of IPv4, it has of each family that it speaks. */
import { InputError } from '../../base/errors/errors.js';
import { besideIpv4, interfaceAddress } from '../../domain/dual-stack.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export interface Family {
  /** As matches have it: `ip4.src`. */
  readonly match: 'ip4' | 'ip6';
  /** What the ids of rows of this family end with. */
  readonly suffix: '' | ' over IPv6';
  /** The block of all addresses. */
  readonly ofDefault: '0.0.0.0/0' | '::/0';
  /** Of this family, what stands beside an address or a block of IPv4. */
  of(text: string): string;
  /** `10.10.1.1/24`, or what stands beside it. */
  ofInterface(ip: string, prefixLength: number): string;
}

const ipv4: Family = {
  match: 'ip4',
  suffix: '',
  ofDefault: '0.0.0.0/0',
  of: (text) => text,
  ofInterface: (ip, prefixLength) => `${ip}/${prefixLength}`,
};

export function familiesOf({ ipv6, family = 'dual' }: OvnKubernetesTopology): readonly Family[] {
  if (ipv6 === undefined) return [ipv4];
  const beside: Family = {
    match: 'ip6',
    suffix: ' over IPv6',
    ofDefault: '::/0',
    of: (text) => besideIpv4(ipv6, text),
    ofInterface(ip, prefixLength) {
      const at = interfaceAddress(ipv6, ip, prefixLength);
      return `${at.ip}/${at.prefixLength}`;
    },
  };
  return family === 'ipv6' ? [beside] : [ipv4, beside];
}

/** An address, or a block, in all of its families. */
export function inFamilies(network: OvnKubernetesTopology, text: string): readonly string[] {
  return familiesOf(network).map(({ of }) => of(text));
}

/** @throws InputError for what is planned over IPv4 alone. */
export function refuseOverIpv6(network: OvnKubernetesTopology): void {
  if (network.ipv6 === undefined) return;
  const refused = [
    ...(network.objects === undefined ? [] : ['Services and NetworkPolicies']),
    ...(network.egressIps === undefined ? [] : ['EgressIPs']),
    ...(network.gatewayMode === 'local' ? ['gateway mode local'] : []),
  ];
  if (refused.length > 0)
    throw new InputError(
      `topology "${network.name}": ovn-kubernetes has no rows over IPv6 for ${refused.join(', ')}`,
    );
}
