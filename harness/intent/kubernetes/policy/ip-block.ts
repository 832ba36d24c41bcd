import type { IpBlock } from '../../../kube/schemas/policies.js';

/**
 * Whether the address is in the block and in none of its exceptions (Kubernetes, IPBlock), bit by
 * bit.
 */
export function isInBlock(ip: string, { cidr, except = [] }: IpBlock): boolean {
  if (cidr.includes(':')) return false; // of IPv6, and `ip` is of IPv4
  return begins(ip, cidr) && !except.some((hole) => begins(ip, hole));
}

function begins(ip: string, cidr: string): boolean {
  const [address = '', length = '32'] = cidr.split('/');
  return bits(ip).slice(0, Number(length)) === bits(address).slice(0, Number(length));
}

function bits(ip: string): string {
  return ip
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
}
