/** The addresses that networks are given where nobody says otherwise. */
import { formatIpv4, ipv4Number } from '../harness/base/addresses/mac-and-ipv4.js';

/** kubeadm's default for ClusterIPs. */
export const defaultServiceCidr = '10.96.0.0/12';

/** The network between nodes has room for 65,534 of them. */
export const underlayPrefixLength = 16;

/** The first address of the pod subnet of node `number`, counted from 1. */
export function podSubnet(number: number): string {
  return addressIn('10.10.0.0', number * 256);
}

export function underlayAddress(number: number): string {
  return addressIn('172.30.0.0', number);
}

/** Far from those of nodes: for the external host at `number` of its cluster, counted from 1. */
export function externalAddress(number: number): string {
  return addressIn('172.30.255.0', number);
}

/** The address `offset` after `first`. */
export function addressIn(first: string, offset: number): string {
  return formatIpv4(ipv4Number(first) + offset);
}

/** A locally administered MAC that contains its address: 10.10.1.2 has 0a:00:0a:0a:01:02. */
export function macOf(ip: string): string {
  return `0a:00:${ip
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join(':')}`;
}
