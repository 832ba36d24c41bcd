/** Every address and name of a topology, each on its own. */
import { ipv4Number, macBytes, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { formatCidr } from './topology-problem.js';
import { complaint } from '../base/errors/errors.js';
import type { Topology } from './topology.js';

export interface Value {
  readonly path: readonly (string | number)[];
  readonly kind: 'name' | 'ip' | 'mac' | 'cidr' | 'prefix length';
  readonly text: string;
}

export function groupAddress(mac: string): string | undefined {
  return ((macBytes(mac)[0] ?? 0) & 1) === 1
    ? `${mac} is a group address; an interface needs an individual one (first byte even)`
    : undefined;
}

/** What is wrong with a value by itself, and what would be right; undefined when nothing is. */
export const malformation: Readonly<Record<Value['kind'], (text: string) => string | undefined>> = {
  name: (text) =>
    /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= 253
      ? undefined
      : `"${text}" is no Kubernetes name: lower-case letters, digits, "-" and ".", with a ` +
        'letter or digit at both ends',
  ip: (text) => complaint(() => ipv4Number(text)),
  mac: (text) =>
    complaint(() => macBytes(text)) ??
    (text !== text.toLowerCase()
      ? `write the MAC address "${text}" in lower case`
      : groupAddress(text)),
  cidr: (text) =>
    complaint(() => parseCidr(text)) ??
    (formatCidr(parseCidr(text)) === text
      ? undefined
      : `"${text}" is not the first address of its block: write ${formatCidr(parseCidr(text))}`),
  'prefix length': (text) =>
    /^([1-9]|[12]\d|30)$/.test(text)
      ? undefined
      : `expected a prefix length from 1 to 30, got ${text}`,
};

export function valuesOf(topology: Topology): readonly Value[] {
  // A MAC address may have been made of the other.
  const addresses = (
    holder: { readonly ip: string; readonly mac: string },
    path: readonly (string | number)[],
  ): Value[] => [
    { path: [...path, 'ip'], kind: 'ip', text: holder.ip },
    ...(malformation.ip(holder.ip) === undefined
      ? [{ path: [...path, 'mac'], kind: 'mac' as const, text: holder.mac }]
      : []),
  ];
  return [
    { path: ['serviceCidr'], kind: 'cidr', text: topology.serviceCidr },
    ...topology.nodes.flatMap((node, n): Value[] => [
      { path: ['nodes', n, 'name'], kind: 'name', text: node.name },
      { path: ['nodes', n, 'podCidr'], kind: 'cidr', text: node.podCidr },
      ...addresses(node.underlay, ['nodes', n, 'underlay']),
      {
        path: ['nodes', n, 'underlay', 'prefixLength'],
        kind: 'prefix length',
        text: String(node.underlay.prefixLength),
      },
      ...addresses(node.gateway, ['nodes', n, 'gateway']),
      ...(node.adapters ?? []).flatMap((adapter, a): Value[] => [
        ...addresses(adapter, ['nodes', n, 'adapters', a]),
        {
          path: ['nodes', n, 'adapters', a, 'prefixLength'],
          kind: 'prefix length',
          text: String(adapter.prefixLength),
        },
      ]),
      ...node.pods.flatMap((pod, p): Value[] => [
        { path: ['nodes', n, 'pods', p, 'name'], kind: 'name', text: pod.name },
        ...addresses(pod, ['nodes', n, 'pods', p]),
      ]),
    ]),
    ...(topology.routers ?? []).flatMap((router, r): Value[] => [
      { path: ['routers', r, 'name'], kind: 'name', text: router.name },
      ...router.interfaces.flatMap((one, i): Value[] => [
        ...addresses(one, ['routers', r, 'interfaces', i]),
        {
          path: ['routers', r, 'interfaces', i, 'prefixLength'],
          kind: 'prefix length',
          text: String(one.prefixLength),
        },
      ]),
    ]),
    ...(topology.externalHosts ?? []).flatMap((host, h): Value[] => [
      { path: ['externalHosts', h, 'name'], kind: 'name', text: host.name },
      ...addresses(host, ['externalHosts', h]),
    ]),
  ];
}
